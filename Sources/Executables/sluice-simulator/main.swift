internal import Configuration
internal import Cryptography
internal import Foundation
internal import Simulator

do {
    try initializeCryptography()
} catch {
    FileHandle.standardError.write(Data("sluice-simulator: \(error)\n".utf8))
    exit(70)
}
exit(await SimulatorCommand.run(SimulatorCommand.command.parseOrExit()))
