internal import AppStoreSigning
package import Cryptography
internal import FoundationEssentials
internal import Primitives

/// The server's data about the In-App Purchase key that signs API requests.
package struct ServerAPICredentials: Sendable {
    /// The `iss` of every token.
    package let issuerId: String
    /// The `kid` of every token.
    package let keyId: String
    /// The public half of the `.p8` file.
    package let publicKey: P256PublicKey

    package init(issuerId: String, keyId: String, publicKey: P256PublicKey) {
        self.issuerId = issuerId
        self.keyId = keyId
        self.publicKey = publicKey
    }
}

/// The key stored with the certificates of `sluice-simulator pki`. Its ids are constant, because only the key is
/// secret.
package enum SimulatedAPIKey {
    package static let fileName = "api.key.p8"
    package static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"
    package static let keyId = "2X9R4HXF34"

    /// Creates the key file, readable only by its owner, unless it already exists.
    ///
    /// - Returns: the path of the file.
    /// - Throws: ``SimulatorError`` if the file cannot be written, or ``CryptographyError``.
    static func make(in directory: String) throws -> String {
        let path = directory + "/" + fileName
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        let pem = try PrivateKey.generate(.p256).pem()
        do throws(FileDescriptor.Failure) {
            try FileDescriptor(replacing: path, mode: 0o600).write(pem)
        } catch { throw SimulatorError(description: "\(path) cannot be written: \(error)") }
        return path
    }

    /// Loads the key from a directory. Creates the key if it is missing, because earlier versions created certificates
    /// without one.
    ///
    /// - Throws: the errors of ``make(in:)``.
    package static func credentials(in directory: String) throws -> ServerAPICredentials {
        let path = try make(in: directory)
        guard let publicKey = try PrivateKey(contentsOf: path).publicKey else {
            throw SimulatorError(description: "\(path) is not a P-256 key")
        }
        return ServerAPICredentials(issuerId: issuerId, keyId: keyId, publicKey: publicKey)
    }
}
