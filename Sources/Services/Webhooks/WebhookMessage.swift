internal import AppStoreModel
internal import Kafka
internal import Records

/// The message for one record, the same in every attempt.
struct WebhookMessage: Sendable, Equatable {
    /// See ``WebhookID``.
    let id: String
    /// The type as full-stop separated parts, the most general one first (Standard Webhooks).
    let type: String
    /// The app of the message.
    let bundleId: BundleId
    let body: [UInt8]
    /// The W3C trace context of the record, if it has a valid one.
    let traceParent: String?
    /// Content of the purchase's state without its moment; nil if each message is posted.
    var content: StateContent?
}

/// The reason why a record has no message.
enum WebhookMessageError: Error, Equatable {
    /// The record is invalid for its topic; the text is a ``WebhooksReason``.
    case unusable(String)
    /// The record has nothing for this receiver; the text is a ``WebhooksReason``.
    case unwanted(String)
    /// A required header segment of the certificates topic has not been read yet.
    case notYet(HeaderReference)
}
