package import Cryptography

/// An error while creating or using test certificates and keys.
package struct AppStoreSigningError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// libcrypto failed. See `cause` for the details.
        case cryptography
        /// A file in the directory is missing, cannot be read or written, or does not match the others.
        case directory
    }

    package let code: Code
    /// A one-line message.
    package let message: String
    package let cause: CryptographyError?

    init(_ code: Code, _ message: String, cause: CryptographyError? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String {
        guard let cause else { return message }
        return "\(message): \(cause)"
    }
}
