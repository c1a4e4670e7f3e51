internal import Configuration
internal import Primitives

/// The file named by `--shared-secret-file`.
enum SharedSecretFile {
    private static let maximumBytes = 1024

    /// Returns the secret without surrounding white space, or an empty string if no format requires one.
    ///
    /// - Throws: ``SimulatorError`` if a format requires a secret, and the file is unreadable, empty or not configured.
    static func read(_ configuration: Configuration) throws -> String {
        guard configuration[SimulatorSettings.formats] != [.v2] else { return "" }
        guard let path = configuration[SimulatorSettings.sharedSecretFile] else {
            throw SimulatorError(description: "--formats v1 and v0 require --shared-secret-file")
        }
        guard let bytes = try? FileDescriptor(reading: path).readToEnd(limit: maximumBytes),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw SimulatorError(description: "\(path) cannot be read, or is not a shared secret") }
        let secret = text.trimmingWhitespace
        guard !secret.isEmpty else { throw SimulatorError(description: "\(path) contains no shared secret") }
        return secret
    }
}
