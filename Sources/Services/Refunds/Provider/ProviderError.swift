internal import HTTPClient
internal import RefundRules

/// The reason why the company's service returned no usable answer about a case.
package struct ProviderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failure codes. The raw values appear in records and metrics and are a contract.
    package enum Code: String, CaseIterable, Sendable {
        case timedOut = "timed_out"
        case connectionFailed = "connection_failed"
        case tls
        /// A response with status 408, 425 or 5xx.
        case unavailable
        /// A response with status 429.
        case throttled
        /// A status that concerns the address or the secret rather than this case: 401, 403, 404, 405, 407, 421, 426,
        /// and redirects, which are not followed.
        case settings
        /// A response with any other 4xx status: the service refuses this case.
        case refused
        /// A 2xx response with an undocumented answer.
        case malformed
        /// An answer larger than 64 KiB.
        case tooLong = "too_long"
        /// The task was cancelled, or the client was closed.
        case cancelled
        /// Any other failure.
        case failed
    }

    package let code: Code
    /// The HTTP status, or nil if there was no answer.
    package let status: Int?
    /// One sentence for the log, without the path, the query, the secret or any value from the answer.
    package let message: String

    /// Whether the service gave no answer: it did not respond, or responded with a temporary failure. Any other failure
    /// is an unusable answer, after which consent must not be taken from another source.
    package var isSilence: Bool {
        switch code {
        case .timedOut, .connectionFailed, .tls, .unavailable, .throttled, .cancelled, .failed: true
        case .settings, .refused, .malformed, .tooLong: false
        }
    }

    /// The obstacle that is recorded for a round that has to wait after this failure.
    var obstacle: RefundObstacle {
        let reason =
            switch code {
            case .settings, .refused: RefundReason.providerRefused
            case .malformed, .tooLong: RefundReason.providerMalformed
            case .timedOut, .connectionFailed, .tls, .unavailable, .throttled, .cancelled, .failed:
                RefundReason.providerSilent
            }
        return RefundObstacle(reason, message, status: status.map { Int32(clamping: $0) })
    }

    package var description: String { "\(code.rawValue): \(message)" }

    init(code: Code, status: Int? = nil, message: String) {
        self.code = code
        self.status = status
        self.message = message
    }

    /// Creates the failure for a request without a complete response.
    init(_ error: HTTPClientError) {
        let code: Code
        switch error.code {
        case .timedOut: code = .timedOut
        case .connectionFailed: code = .connectionFailed
        case .tls: code = .tls
        case .bodyTooLarge: code = .tooLong
        case .cancelled, .closed: code = .cancelled
        default: code = .failed
        }
        self.init(code: code, message: error.message)
    }

    /// Creates the failure for an answer with an unexpected status. Returns nil for 2xx.
    init?(status: Int) {
        let code: Code
        switch status {
        case 200...299: return nil
        case 408, 425, 500...599: code = .unavailable
        case 429: code = .throttled
        case 401, 403, 404, 405, 407, 421, 426: code = .settings
        case 400...499: code = .refused
        default: code = .settings
        }
        self.init(code: code, status: status, message: "the service responded \(status)")
    }

    /// Creates the failure for a 2xx answer with an unexpected body.
    init(_ error: RefundInputError, status: Int) {
        self.init(code: .malformed, status: status, message: error.description)
    }
}
