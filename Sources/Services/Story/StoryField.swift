package import AppStoreModel
package import JSON

/// A named value in a story entry.
package struct StoryField: Hashable, Sendable {
    package let name: String
    package let value: JSONValue
    /// Whether the value identifies a person or may contain personal data.
    package let isPersonal: Bool

    package init(_ name: String, _ value: JSONValue, isPersonal: Bool = false) {
        self.name = name
        self.value = value
        self.isPersonal = isPersonal
    }
}

extension [StoryField] {
    package mutating func add(_ name: String, _ text: String?, isPersonal: Bool = false) {
        if let text { append(StoryField(name, .string(text), isPersonal: isPersonal)) }
    }

    package mutating func add(_ name: String, _ moment: AppStoreInstant?) {
        if let moment { append(StoryField(name, .string(moment.description))) }
    }

    package mutating func add(_ name: String, _ number: Int64?) {
        if let number { append(StoryField(name, .integer(number))) }
    }

    package mutating func add(_ name: String, _ flag: Bool?) {
        if let flag { append(StoryField(name, .bool(flag))) }
    }
}

/// One event in a story.
package struct StoryEntry: Hashable, Sendable {
    /// The kinds of events. The raw values are a public contract.
    package enum Kind: String, Sendable, CaseIterable {
        /// A notification was received, verified and published.
        case notification
        case quarantined
        case deadLettered = "dead_lettered"
        /// A purchase's state changed.
        case state
        /// A purchase's state was published.
        case published
        case erased
        /// A decision about the archive: an erasure, or the start or end of a legal hold.
        case archiveDecision = "archive_decision"
        case refundRequested = "refund_requested"
        case refundDecided = "refund_decided"
        case refundAnswered = "refund_answered"
        case refundEnded = "refund_ended"
        case refundOutcome = "refund_outcome"
        case refundWaiting = "refund_waiting"
        /// A webhook was sent, or an attempt failed.
        case webhook
    }

    package let at: AppStoreInstant
    package let kind: Kind
    /// A one-line description for people.
    package let title: String
    /// The record key of the purchase, if known.
    package var purchase: String?
    /// The notification to which this event belongs, if any.
    package var notificationUUID: String?
    package var fields: [StoryField]

    package init(
        at: AppStoreInstant, _ kind: Kind, _ title: String, purchase: String? = nil, notificationUUID: String? = nil,
        fields: [StoryField] = []
    ) {
        self.at = at
        self.kind = kind
        self.title = title
        self.purchase = purchase
        self.notificationUUID = notificationUUID
        self.fields = fields
    }
}
