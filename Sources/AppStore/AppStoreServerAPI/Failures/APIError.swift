/// A failed request to the App Store Server API, with its cause.
///
/// Callers base decisions on `kind`, `code` and `isRetriable`. All other strings are for people and contain neither
/// tokens nor keys.
package struct APIError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The request was refused locally before anything was sent.
        case invalidRequest = "invalid_request"
        /// No key is configured for the app, or the key could not be read. Nothing was sent.
        case noKey = "no_key"
        /// The connection or the TLS handshake failed, or no complete response arrived in time. Apple may have acted on
        /// the request.
        case noAnswer = "no_answer"
        /// The task was cancelled. Apple may have acted on the request.
        case cancelled
        /// The status was 401, even with a new token.
        case unauthorized
        /// The status was 429, or the local budget is exhausted or closed until `retryAt`.
        case rateLimited = "rate_limited"
        /// The status was any other 4xx: Apple, or a proxy, refused this request.
        case refused
        /// The status was 5xx.
        case server
        /// The response was undocumented: a redirect, an oversized body, a body that is not JSON, or a member that is
        /// absent or of the wrong type.
        case unreadable
        /// A signed object in the response was rejected, for example because Apple did not sign it or because it
        /// belongs to a different app or environment.
        case unverified
    }

    package var kind: Kind
    /// The HTTP status, or nil if there was no response.
    package var status: Int?
    /// Apple's error code, if the response contains one.
    package var code: APIErrorCode?
    /// A single-line message of at most 512 bytes, without control characters.
    package var message: String
    /// Whether the same request may succeed later without intervention.
    package var isRetriable: Bool
    /// The time of the next attempt, taken from Retry-After or a closed budget, in milliseconds since 1970; at most an
    /// hour in the future.
    package var retryAt: Int64?
    /// How an operator can fix the failure.
    package var fix: String?
    /// The time of the response on Apple's clock (`Date` header), in milliseconds since 1970, rounded to whole seconds.
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

extension APIError {
    static func invalidRequest(_ message: String) -> APIError {
        APIError(kind: .invalidRequest, message: message, isRetriable: false)
    }

    static func unreadable(_ message: String, status: Int? = nil, isRetriable: Bool = false) -> APIError {
        APIError(kind: .unreadable, status: status, message: message, isRetriable: isRetriable)
    }
}
