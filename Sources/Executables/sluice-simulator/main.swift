internal import Configuration
internal import Cryptography
internal import Glibc
internal import Primitives
internal import Simulator

do {
    try initializeCryptography()
} catch {
    try? FileDescriptor.standardError.write("sluice-simulator: \(error)\n".utf8)
    exit(70)
}
exit(await SimulatorCommand.run(SimulatorCommand.command.parseOrExit()))
