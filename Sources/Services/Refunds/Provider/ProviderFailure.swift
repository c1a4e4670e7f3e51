internal import HTTPClient
internal import RefundCases
internal import RefundRules

/// Why the company's service gave no usable answer about a case.
package struct ProviderFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What there was instead of an answer. The raw value is for records and metrics: a contract.
    package enum Code: String, CaseIterable, Sendable {
        case timedOut = "timed_out"
        case connectionFailed = "connection_failed"
        case tls
        /// 408, 425 and 5xx.
        case unavailable
        /// 429.
        case throttled
        /// A status that speaks of the address or the secret, and not of this case: 401, 403, 404, 405, 407, 421, 426 and
        /// redirects, which are not followed.
        case settings
        /// Another 4xx: this case is refused.
        case refused
        /// 2xx with something else than the documented answer.
        case malformed
        /// An answer above 64 KiB.
        case tooLong = "too_long"
        /// The work was cancelled, or the client closed.
        case cancelled
        /// Anything else between here and there.
        case failed
    }

    package let code: Code
    /// Nil without an answer.
    package let status: Int?
    /// One sentence for the log, without path, query, secret or any value of the answer.
    package let message: String

    /// Whether there was no answer at all. Any other failure is a word of the service that cannot be used, and nothing else
    /// is taken for its consent.
    package var isSilence: Bool {
        switch code {
        case .timedOut, .connectionFailed, .tls, .unavailable, .throttled, .cancelled, .failed: true
        case .settings, .refused, .malformed, .tooLong: false
        }
    }

    /// Why a round waits after this.
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

    /// No answer.
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

    /// An answer that is not what was asked for; nil for 2xx.
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
        self.init(code: code, status: status, message: "the service answered \(status)")
    }

    /// 2xx with another body.
    init(_ error: RefundInputError, status: Int) {
        self.init(code: .malformed, status: status, message: error.description)
    }
}
