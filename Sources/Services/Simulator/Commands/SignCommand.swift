internal import AppStoreSigning
internal import CommandLine
internal import Configuration
internal import Lifecycle
internal import Primitives

/// `sluice-simulator sign`: signs a payload unchanged.
struct SignCommand {
    private let path: String
    private let directory: String
    private let printsBody: Bool

    /// Maximum size of a payload: far larger than any of Apple's, but small enough to fit in memory.
    private static let maximumBytes = 16 * 1024 * 1024

    init(_ context: CommandContext) {
        path = context.arguments.first ?? "-"
        directory = context.configuration[SimulatorSettings.pki]
        printsBody = context.configuration[SimulatorSettings.body]
    }

    func run(_ console: Console) async throws -> ExitCode {
        let signer = JWSSigner(try PKICommand.load(directory))
        let signedPayload = try signer.sign(try payload())
        let text = printsBody ? NotificationFactory.body(signedPayload: signedPayload) : signedPayload
        await console.print(String(decoding: text, as: UTF8.self))
        return .ok
    }

    private func payload() throws -> [UInt8] {
        let file: FileDescriptor
        do throws(FileDescriptor.Failure) {
            file = path == "-" ? .standardInput : try FileDescriptor(reading: path)
        } catch { throw SimulatorError(description: "\(path) cannot be read: \(error)") }
        guard let bytes = try file.readToEnd(limit: Self.maximumBytes) else {
            throw SimulatorError(description: "\(path) has more than \(Self.maximumBytes) bytes")
        }
        return bytes
    }
}
