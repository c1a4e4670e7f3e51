internal import CommandLine
internal import Configuration
internal import Cryptography
internal import FoundationEssentials
internal import Glibc
internal import Primitives
internal import Sluicectl

do {
    try initializeCryptography()
} catch {
    try? FileDescriptor.standardError.write("sluicectl: \(error)\n".utf8)
    exit(70)
}
exit(
    await Sluicectl(.wired).run(
        Command.processArguments(of: "sluicectl"), environment: ProcessInfo.processInfo.environment))
