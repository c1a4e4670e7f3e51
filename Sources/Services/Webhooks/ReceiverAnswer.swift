internal import HTTPClient

/// What one attempt came to, and what it means for the record.
struct ReceiverAnswer: Sendable, Equatable {
    let outcome: WebhooksOutcome
    /// Nil when there was no answer.
    let status: Int?
    /// One sentence for the log, without path, query, payload or secret.
    let text: String
    /// When the receiver asked to be left alone for a while.
    let retryAfter: Duration?

    /// An answer.
    ///
    /// - Parameter now: seconds since 1970, for a `Retry-After` that is a date.
    init(_ response: HTTPClientResponse, now: Int64) {
        status = response.status
        outcome = Self.outcome(of: response.status)
        text = "the receiver answered \(response.status)"
        retryAfter =
            outcome == .throttled || outcome == .unavailable
            ? response.header(WebhooksHeader.retryAfter).flatMap { RetryAfter.wait($0, now: now) } : nil
    }

    /// Of a record that is at fault: the status, or what there was instead of one.
    var reasonCode: String { status.map { "\(WebhooksReason.refusedPrefix)\($0)" } ?? outcome.rawValue }

    /// No answer.
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

    /// Statuses that speak of the receiver and not of the record: a wrong secret (401, 403), a wrong address (404, 405,
    /// 421), a proxy (407), a protocol (426). Most often each answers every record alike, so none sends one to the dead
    /// letter topic at once.
    private static let aboutReceiver: Set<Int> = [401, 403, 404, 405, 407, 421, 426]

    static func outcome(of status: Int) -> WebhooksOutcome {
        switch status {
        case 200...299: .accepted
        case 408, 425, 500...599: .unavailable
        case 429: .throttled
        case 410: .gone
        case 400...499: aboutReceiver.contains(status) ? .receiverSettings : .refused
        // Redirects are not followed: who may read the body is a setting.
        default: .receiverSettings
        }
    }
}
