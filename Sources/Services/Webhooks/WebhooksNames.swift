internal import Telemetry

/// The names of the service's metrics, which are a public contract. The runtime defines the metrics common to all
/// consumers.
enum WebhooksMetricName {
    static let attempts = "sluice_webhooks_attempts_total"
    static let attemptDuration = "sluice_webhooks_attempt_duration_seconds"
    static let stopped = "sluice_webhooks_stopped"
    static let paused = "sluice_webhooks_paused"
}

/// The outcome of an attempt, used as the `outcome` label and as the reason in the log.
enum WebhooksOutcome: String, Sendable, CaseIterable {
    /// A response with status 2xx.
    case accepted
    /// A status that concerns only this record.
    case refused
    /// A status that concerns the receiver's address, secret or protocol and applies to all requests alike.
    case receiverSettings = "receiver_settings"
    /// A response with status 410: the receiver accepts no more requests.
    case gone
    /// A response with status 408, 425 or 5xx.
    case unavailable
    /// A response with status 429.
    case throttled
    case timedOut = "timed_out"
    case connectionFailed = "connection_failed"
    case tls
    /// Any other unusable response, such as one that is too long.
    case failed
}

/// The reason codes for dead-lettered and skipped records. Other possible codes are `http_…` with the response status
/// and, if there was no response, those of ``WebhooksOutcome``.
enum WebhooksReason {
    /// An erasure whose key does not identify a purchase, or a record from a topic without an environment.
    static let keyMissing = "key_missing"
    /// The value is invalid for its topic.
    static let unreadable = "unreadable"
    /// `proof` does not match the payloads.
    static let malformedProof = "malformed_proof"
    /// The certificates topic was read to its end but does not contain one of the record's header segments.
    static let unknownHeader = "unknown_header"
    static let refusedPrefix = "http_"

    // Skipped.
    /// A version 1 notification, which contains no Apple-signed payload to post.
    static let unsigned = "unsigned"
    /// The tombstone of an expired row. The row was already reported as erased.
    static let expired = "expired"
    /// The receiver has already accepted an equal state for the purchase.
    static let unchanged = "unchanged"
    static let otherApp = "other_app"
    static let otherType = "other_type"
}

/// The header fields of a delivery, in addition to those of the signature. They are a public contract.
enum WebhooksHeader {
    static let contentType = "content-type"
    static let userAgent = "user-agent"
    static let traceParent = "traceparent"
    static let retryAfter = "retry-after"
}

extension LogKey {
    static let topic = LogKey(rawValue: "topic")
    static let partition = LogKey(rawValue: "partition")
    static let offset = LogKey(rawValue: "offset")
    static let webhookId = LogKey(rawValue: "webhookId")
    static let header = LogKey(rawValue: "header")
    static let status = LogKey(rawValue: "status")
    static let path = LogKey(rawValue: "path")
    static let retryAfterSeconds = LogKey(rawValue: "retryAfterSeconds")
}
