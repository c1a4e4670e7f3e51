internal import AppStoreModel
internal import Kafka
internal import Records

/// The message for one record. All attempts send the same message.
struct WebhookMessage: Sendable, Equatable {
    /// The message ID. See ``WebhookID``.
    let id: String
    /// The type, as parts separated by periods with the most general part first (Standard Webhooks).
    let type: String
    /// The app that the message concerns, or nil if it concerns none.
    let bundleId: BundleId?
    let body: [UInt8]
    /// The record's W3C trace context, if it has a valid one.
    let traceParent: String?
    /// The content of the purchase's state, used to recognize equal states, which are not posted again. Nil for a
    /// message that is always posted.
    var content: StateContent?
}

/// The reason why a record has no message.
enum WebhookMessageError: Error, Equatable {
    /// The record is invalid for its topic. The string is a ``WebhooksReason``.
    case unusable(String)
    /// The record contains nothing for this receiver. The string is a ``WebhooksReason``.
    case unwanted(String)
    /// A required header segment has not been read from the certificates topic yet.
    case notYet(HeaderReference)
}
