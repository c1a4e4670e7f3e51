internal import AppStoreModel
internal import Kafka
internal import Records

/// What the receiver gets of a record, the same in every attempt.
struct WebhookMessage: Sendable, Equatable {
    /// See ``WebhookID``.
    let id: String
    /// Full-stop delimited, the most general part first (Standard Webhooks).
    let type: String
    /// The app that it is about.
    let bundleId: BundleId
    let body: [UInt8]
    /// The W3C trace context of the record, if it has a valid one.
    let traceParent: String?
    /// Its statement about the purchase, whatever the moment; nil where each message is posted.
    var content: StateContent?
}

/// Why there is nothing to deliver of a record.
enum WebhookMessageError: Error, Equatable {
    /// It is not what its topic holds; the text is a ``WebhooksReason``.
    case unusable(String)
    /// It holds nothing that this receiver gets; the text is a ``WebhooksReason``.
    case unwanted(String)
    /// The certificates topic has not been read as far as it needs.
    case notYet(HeaderReference)
}
