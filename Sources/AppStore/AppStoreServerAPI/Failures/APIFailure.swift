/// Why a request to the App Store Server API has no usable answer.
///
/// Callers base decisions on `kind`, `code` and `isRetriable`; the texts are for people and contain neither tokens nor
/// keys.
package struct APIFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The request was refused locally, before anything was sent.
        case invalidRequest = "invalid_request"
        /// No key is configured for the app, or the key could not be read. Nothing was sent.
        case noKey = "no_key"
        /// No connection, no TLS, or no complete answer in time. Apple may have acted on the request.
        case noAnswer = "no_answer"
        /// The task was cancelled. Apple may have acted on the request.
        case cancelled
        /// A 401 answer, even with a new token.
        case unauthorized
        /// A 429 answer, or the local budget is used up or closed until `retryAt`.
        case rateLimited = "rate_limited"
        /// Any other 4xx answer: Apple refuses this request.
        case refused
        /// A 5xx answer.
        case server
        /// An undocumented answer: a redirect, an oversized body, a body that is not JSON, or a member of the wrong
        /// type.
        case unreadable
        /// A signed object in the answer is not signed by Apple, or belongs to another app or environment.
        case unverified
    }

    package var kind: Kind
    /// The HTTP status; nil if there was no answer.
    package var status: Int?
    /// Apple's error code, if the answer contains one.
    package var code: APIErrorCode?
    /// One line, at most 512 bytes, without control characters.
    package var message: String
    /// Whether the same request may succeed later without intervention.
    package var isRetriable: Bool
    /// Time of the next attempt, from Retry-After or a closed budget: milliseconds since 1970, at most an hour ahead.
    package var retryAt: Int64?
    /// How to fix the failure, as text for an operator.
    package var fix: String?
    /// Time of the answer on Apple's clock (`Date` header): milliseconds since 1970, in whole seconds.
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
