internal import HTTPClient

/// The outcome of one attempt, and its consequence for the record.
struct ReceiverAnswer: Sendable, Equatable {
    let outcome: WebhooksOutcome
    /// The status of the response, or nil if there was no usable response.
    let status: Int?
    /// One sentence for the log, without the path, the query, the payload or the secret.
    let text: String
    /// The delay requested by the receiver, if any.
    let retryAfter: Duration?

    /// Evaluates a response.
    ///
    /// - Parameter now: seconds since 1970, for a `Retry-After` field with a date.
    init(_ response: HTTPClientResponse, now: Int64) {
        status = response.status
        outcome = Self.outcome(of: response.status)
        text = "the receiver responded \(response.status)"
        retryAfter =
            outcome == .throttled || outcome == .unavailable
            ? response.header(WebhooksHeader.retryAfter).flatMap { RetryAfter.wait($0, now: now) } : nil
    }

    /// The reason code to record: the status or, without a response, the outcome.
    var reasonCode: String { status.map { "\(WebhooksReason.refusedPrefix)\($0)" } ?? outcome.rawValue }

    /// Evaluates a failure without a usable response.
    init(_ error: HTTPClientError) {
        status = nil
        retryAfter = nil
        text = error.message
        switch error.code {
        case .timedOut: outcome = .timedOut
        case .connectionFailed: outcome = .connectionFailed
        case .tls: outcome = .tls
        default: outcome = .failed
        }
    }

    /// Statuses that concern the receiver rather than the record: a wrong secret (401, 403), a wrong address (404, 405,
    /// 421), or a proxy (407) or protocol (426) problem. They usually apply to all records, so a record is not
    /// dead-lettered immediately.
    private static let aboutReceiver: Set<Int> = [401, 403, 404, 405, 407, 421, 426]

    static func outcome(of status: Int) -> WebhooksOutcome {
        switch status {
        case 200...299: .accepted
        case 408, 425, 500...599: .unavailable
        case 429: .throttled
        case 410: .gone
        case 400...499: aboutReceiver.contains(status) ? .receiverSettings : .refused
        // Redirects are not followed, because the settings alone determine the recipient of a body.
        default: .receiverSettings
        }
    }
}
