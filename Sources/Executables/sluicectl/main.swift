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
        Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
