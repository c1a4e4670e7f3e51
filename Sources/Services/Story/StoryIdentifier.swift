package import AppStoreModel
package import ArchiveKeys
internal import Records

/// An identifier given by an operator, and the kinds that its syntax permits.
package struct StoryIdentifier: Hashable, Sendable {
    /// The kinds of identifiers. The raw values are a public contract, because `sluicectl explain --output json` prints
    /// them.
    package enum Kind: String, Sendable, CaseIterable {
        case notificationUUID, appAccountToken, originalTransactionId, transactionId, appTransactionId
        case webOrderLineItemId
        /// A record key: `bundleId/originalTransactionId`.
        case recordKey
        case webhookId = "webhook-id"
        /// The order ID on the customer's invoice, which only Apple can resolve.
        case orderId
    }

    /// The text as given, except that UUIDs are in lowercase.
    package let text: String
    package let kinds: [Kind]

    /// Creates an identifier, or returns nil if the text cannot be part of a key or a URL.
    package init?(_ given: String) {
        guard BoundedText.accepts(given) else { return nil }
        if NotificationUUID(given).isWellFormed {
            self.init(given.lowercased(), [.notificationUUID, .appAccountToken])
        } else if given.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            self.init(given, [.originalTransactionId, .transactionId, .appTransactionId, .webOrderLineItemId])
        } else if RecordKey.parts(of: given) != nil {
            self.init(given, [.recordKey])
        } else if StoryWebhookId(given) != nil || Self.operatorEventId(in: given) != nil {
            self.init(given, [.webhookId])
        } else {
            self.init(given, [.orderId])
        }
    }

    private init(_ text: String, _ kinds: [Kind]) {
        self.text = text
        self.kinds = kinds
    }

    /// The id of an operator event, if the identifier is the webhook-id of that event; otherwise nil.
    package var operatorEventId: String? { kinds == [.webhookId] ? Self.operatorEventId(in: text) : nil }

    /// Returns the id in an operator event's webhook-id, `operations-<id>`, or nil for any other text.
    private static func operatorEventId(in text: String) -> String? {
        let prefix = "operations-"
        guard text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count else { return nil }
        return String(text.dropFirst(prefix.count))
    }

    /// The identifier as records contain it, for each of its kinds. Empty if no record contains such identifiers.
    package var indexedNames: Set<IndexedName> {
        Set(kinds.compactMap { $0.indexed.map { IndexedName($0, text) } })
    }
}

extension StoryIdentifier.Kind {
    /// The kind of the identifier in records, or nil if no record contains such identifiers.
    package var indexed: IndexedName.Kind? {
        switch self {
        case .notificationUUID: .notificationUUID
        case .appAccountToken: .appAccountToken
        case .originalTransactionId: .originalTransactionId
        case .transactionId: .transactionId
        case .appTransactionId: .appTransactionId
        case .webOrderLineItemId: .webOrderLineItemId
        case .recordKey, .webhookId, .orderId: nil
        }
    }
}

/// A `webhook-id` of a notification or a state, from sluice-webhooks: `<content>-<environment>-<name>`.
package struct StoryWebhookId: Hashable, Sendable {
    package let environment: AppStoreEnvironment
    /// The notificationUUID of the message, or nil if the message is about a state.
    package let notificationUUID: String?
    /// If the message is about a state, the first 16 hexadecimal digits of the record key's SHA-256 digest; otherwise
    /// nil.
    package let keyDigest: String?

    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3,
            let environment = AppStoreEnvironment.published.first(where: { $0.topicSuffix == parts[1] })
        else { return nil }
        self.environment = environment
        switch parts[0] {
        case "notification", "signed":
            notificationUUID = parts[2].lowercased()
            keyDigest = nil
        case "state":
            guard let digest = parts[2].split(separator: "-").first, digest.utf8.count == 16 else { return nil }
            notificationUUID = nil
            keyDigest = String(digest)
        default: return nil
        }
    }
}
