package import Cryptography

/// What went wrong while making or using test certificates and keys.
package struct AppStoreSigningError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// libcrypto refused; `cause` says why.
        case cryptography
        /// A file of the directory is missing, unreadable, or does not belong to the others.
        case directory
    }

    package let code: Code
    /// One line.
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
