internal import CommandLine
internal import Cryptography
internal import FoundationEssentials
internal import Glibc
internal import Lifecycle
internal import Primitives
internal import Simulator

do {
    try initializeCryptography()
} catch {
    try? FileDescriptor.standardError.write("sluice-simulator: \(error)\n".utf8)
    exit(70)
}
exit(
    await SimulatorCommand.command.run(
        Command.processArguments(of: "sluice-simulator"), environment: ProcessInfo.processInfo.environment
    ).rawValue)
