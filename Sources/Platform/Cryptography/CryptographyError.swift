internal import COpenSSL

/// An error from this library. Verdicts on certificates, signatures and OCSP responses are values, not errors.
///
/// Two errors are equal if their codes and messages are equal.
package struct CryptographyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure. Callers base decisions on it, never on the message.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case unavailable, malformedCertificate, malformedKey, unsupportedKey, unreadableFile, untrustworthyRoot
            case malformedRequest, invalidArgument
        }

        private let value: Value

        /// A libcrypto operation that normally succeeds has failed, because memory is exhausted or the OpenSSL
        /// configuration lacks the algorithm.
        package static let unavailable = Code(value: .unavailable)
        /// The input contains neither a DER certificate nor PEM certificates.
        package static let malformedCertificate = Code(value: .malformedCertificate)
        /// The input is not a private or public key in the expected format, or the key is encrypted.
        package static let malformedKey = Code(value: .malformedKey)
        /// The key is valid, but not of the requested kind.
        package static let unsupportedKey = Code(value: .unsupportedKey)
        /// The file cannot be read or is too large.
        package static let unreadableFile = Code(value: .unreadableFile)
        /// A root's own signature or extensions are invalid.
        package static let untrustworthyRoot = Code(value: .untrustworthyRoot)
        /// The input is not an OCSP request.
        package static let malformedRequest = Code(value: .malformedRequest)
        /// An argument is out of range.
        package static let invalidArgument = Code(value: .invalidArgument)

        package var description: String { value.rawValue }
    }

    package let code: Code
    /// A one-line message, with OpenSSL's reason if there is one.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(message) (\(code))" }
}

/// OpenSSL's error queue for the current thread. Decisions are based on return values, not on the queue.
enum ErrorQueue {
    static func clear() {
        ERR_clear_error()
    }

    /// Creates an error with the queue's oldest entry in its message, and clears the queue.
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
