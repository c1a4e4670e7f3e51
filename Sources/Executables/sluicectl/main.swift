internal import Configuration
internal import Cryptography
internal import Foundation
internal import Operations

do {
    try initializeCryptography()
} catch {
    FileHandle.standardError.write(Data("sluicectl: \(error)\n".utf8))
    exit(70)
}
exit(
    await Sluicectl(.wired).run(
        Command.processArguments(of: "sluicectl"), environment: ProcessInfo.processInfo.environment))
