/// Why a request to the App Store Server API has no usable answer.
///
/// Callers decide on `kind`, `code` and `isRetriable`; the texts are for people, and hold neither tokens nor keys.
package struct APIFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Refused here, before anything was sent.
        case invalidRequest = "invalid_request"
        /// No key is configured for the app, or none could be read. Nothing was sent.
        case noKey = "no_key"
        /// No connection, no TLS, or no whole answer in time. Apple may have acted on the request.
        case noAnswer = "no_answer"
        /// The task was cancelled. Apple may have acted on the request.
        case cancelled
        /// 401, also with a new token.
        case unauthorized
        /// 429, or the budget here is spent or closed until `retryAt`.
        case rateLimited = "rate_limited"
        /// 4xx otherwise: Apple refuses this request.
        case refused
        /// 5xx.
        case server
        /// An answer that is not as documented: a redirect, too long, not JSON, a member of another type.
        case unreadable
        /// A signed object in the answer is not Apple's, or is of another app or environment.
        case unverified
    }

    package var kind: Kind
    /// The HTTP status; nil when there was no answer.
    package var status: Int?
    /// Apple's own code, where the answer had one.
    package var code: APIErrorCode?
    /// One line, at most 512 bytes, without control characters.
    package var message: String
    /// Whether the same request may succeed later, without anyone changing anything.
    package var isRetriable: Bool
    /// When to try again, from Retry-After or a closed budget: milliseconds since 1970, at most an hour ahead.
    package var retryAt: Int64?
    /// What to do about it, in words.
    package var fix: String?
    /// The time of the answer by Apple's clock (its `Date`): milliseconds since 1970, of whole seconds.
    package var serverDate: Int64?

    package init(
        kind: Kind, status: Int? = nil, code: APIErrorCode? = nil, message: String, isRetriable: Bool,
        retryAt: Int64? = nil, fix: String? = nil, serverDate: Int64? = nil
    ) {
        self.kind = kind
        self.status = status
        self.code = code
        self.message = PrintableText.bounded(message, to: 512)
        self.isRetriable = isRetriable
        self.retryAt = retryAt
        self.fix = fix
        self.serverDate = serverDate
    }

    package var description: String {
        var text = message
        if let code { text += " (\(code))" } else if let status { text += " (HTTP \(status))" }
        if let fix { text += ": \(fix)" }
        return text
    }
}

extension APIFailure {
    static func invalidRequest(_ message: String) -> APIFailure {
        APIFailure(kind: .invalidRequest, message: message, isRetriable: false)
    }

    static func unreadable(_ message: String, status: Int? = nil, isRetriable: Bool = false) -> APIFailure {
        APIFailure(kind: .unreadable, status: status, message: message, isRetriable: isRetriable)
    }
}
