internal import COpenSSL

/// What went wrong in this library. Verdicts about certificates, signatures and OCSP answers are values, not errors.
///
/// Equality compares the code and the message.
package struct CryptographyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure; callers decide on this, never on the text.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case unavailable, malformedCertificate, malformedKey, unsupportedKey, unreadableFile, untrustworthyRoot
            case malformedRequest, invalidArgument
        }

        private let value: Value

        /// libcrypto could not do what it always can: no memory, or an OpenSSL configuration without the algorithm.
        package static let unavailable = Code(value: .unavailable)
        /// Not one certificate in DER, or not certificates in PEM.
        package static let malformedCertificate = Code(value: .malformedCertificate)
        /// Not a private or public key of the expected form; encrypted keys too.
        package static let malformedKey = Code(value: .malformedKey)
        /// A good key of another kind than was asked for.
        package static let unsupportedKey = Code(value: .unsupportedKey)
        /// The file cannot be read, or is larger than such a file ever is.
        package static let unreadableFile = Code(value: .unreadableFile)
        /// A root whose own signature or extensions are not good.
        package static let untrustworthyRoot = Code(value: .untrustworthyRoot)
        /// Not an OCSP request.
        package static let malformedRequest = Code(value: .malformedRequest)
        /// The caller's value is outside what is allowed.
        package static let invalidArgument = Code(value: .invalidArgument)

        package var description: String { value.rawValue }
    }

    package let code: Code
    /// One line, with OpenSSL's own reason when it gave one.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(message) (\(code))" }
}

/// OpenSSL's error queue of the calling thread. Nothing is decided from it: return values are the contract.
enum ErrorQueue {
    static func clear() {
        ERR_clear_error()
    }

    /// An error with the oldest entry of the queue in its message; empties the queue.
    static func error(_ code: CryptographyError.Code, _ message: String) -> CryptographyError {
        let entry = ERR_peek_error()
        ERR_clear_error()
        guard entry != 0 else { return CryptographyError(code, message) }
        let reason = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String in
            guard let start = buffer.baseAddress else { return "" }
            ERR_error_string_n(entry, start, buffer.count)
            return String(cString: start)
        }
        return CryptographyError(code, "\(message): \(reason)")
    }
}
