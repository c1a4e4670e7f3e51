internal import Telemetry

/// Names of the service's metrics, a contract; the consumer's own are the runtime's.
enum WebhooksMetricName {
    static let attempts = "sluice_webhooks_attempts_total"
    static let attemptDuration = "sluice_webhooks_attempt_duration_seconds"
    static let stopped = "sluice_webhooks_stopped"
    static let paused = "sluice_webhooks_paused"
}

/// What became of one attempt: the label `outcome`, and the reason in the log.
enum WebhooksOutcome: String, Sendable, CaseIterable {
    /// 2xx.
    case accepted
    /// A status that speaks of this one record.
    case refused
    /// A status that speaks of the receiver's address, secret or being: whatever is sent, the answer is the same.
    case receiverSettings = "receiver_settings"
    /// 410: the receiver wants no more.
    case gone
    /// 408, 425 and 5xx.
    case unavailable
    /// 429.
    case throttled
    case timedOut = "timed_out"
    case connectionFailed = "connection_failed"
    case tls
    /// No usable answer otherwise, such as one that is too long.
    case failed
}

/// Codes of dead-lettered and skipped records beside `http_…`, the status of an answer, and ``WebhooksOutcome`` where
/// there was none.
enum WebhooksReason {
    /// An erasure whose key names no purchase: what was erased is unknown.
    static let keyMissing = "key_missing"
    /// The value is not what its topic holds.
    static let unreadable = "unreadable"
    /// `proof` does not fit the payloads.
    static let malformedProof = "malformed_proof"
    /// The certificates topic lacks a header segment that the record names, and was read to its end.
    static let unknownHeader = "unknown_header"
    static let refusedPrefix = "http_"

    // Skipped.
    /// Apple signed nothing that could be posted: version 1.
    static let unsigned = "unsigned"
    /// The tombstone of a row that nothing needs any more; its erasure was told before.
    static let expired = "expired"
    /// The receiver has accepted a state of the purchase that says the same.
    static let unchanged = "unchanged"
    static let otherApp = "other_app"
    static let otherType = "other_type"
}

/// Header fields of a delivery beside those of its signature, a contract.
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
