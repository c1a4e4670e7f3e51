package import AppStoreModel
internal import EntitlementRules
internal import JSON
package import KafkaModel
internal import Records

/// A subscription as published in the entitlements topic.
package struct PublishedSubscription: Sendable, Hashable {
    package let originalTransactionId: OriginalTransactionId
    /// Whether the subscription has facts from version 1 notifications.
    package let isLegacy: Bool
    /// Whether the first grant is in effect; false if there is no grant.
    package private(set) var isEntitled = false
    /// The state of the first grant, or nil if there is no grant.
    package private(set) var state: String?
    /// The transaction of the first grant, or nil if there is no grant.
    package private(set) var transactionId: TransactionId?
    /// Whether any grant awaits Apple's confirmation.
    package private(set) var awaitsConfirmation = false
    /// Whether a status query is needed because the known facts do not explain Apple's statement.
    package let needsStatusQuery: Bool

    /// Whether the subscription is compared with Apple's status. This is needed for version 1 notifications, which no
    /// history contains, and for unexplained states.
    package var isCompared: Bool { isLegacy || needsStatusQuery }

    /// - Parameter isComparedOnly: whether to return nil, without parsing the facts, for subscriptions that need no
    ///   comparison. These are the majority.
    ///
    /// Returns nil for rows about other apps or about products other than subscriptions, and for unreadable rows.
    package init?(_ record: KafkaRecord, of bundleId: BundleId, isComparedOnly: Bool = false) {
        guard let value = record.value, let key = record.key.flatMap({ String(validating: $0, as: UTF8.self) }),
            let parts = RecordKey.parts(of: key), parts.bundleId == bundleId,
            let document = try? JSONDocument.object(value)
        else { return nil }
        let grants = ["grants", "inactive"].flatMap { document.root[$0]?.elements ?? [] }
        needsStatusQuery = grants.contains { $0["needsStatusQuery"]?.bool == true }
        guard !isComparedOnly || needsStatusQuery || document.root["facts"]?["legacy"] != nil,
            let facts = try? PurchaseFacts(published: value)
        else { return nil }
        isLegacy = facts.legacy != nil
        let unsigned = facts.legacy?.allTransactions ?? []
        guard facts.isSubscription || unsigned.contains(where: \.isAutoRenewable) else { return nil }
        originalTransactionId = OriginalTransactionId(parts.subject)
        // Several products of one purchase share its state. A product in effect is listed first.
        guard let grant = grants.first else { return }
        isEntitled = grant["isEntitled"]?.bool ?? false
        state = grant["state"]?.string
        transactionId = grant["transactionId"]?.string.map { TransactionId($0) }
        awaitsConfirmation = grants.contains { $0["awaitsConfirmation"]?.bool == true }
    }

    package init(
        _ originalTransactionId: OriginalTransactionId, isLegacy: Bool = true, isEntitled: Bool = false,
        state: String? = nil, transactionId: TransactionId? = nil, awaitsConfirmation: Bool = false,
        needsStatusQuery: Bool = false
    ) {
        self.originalTransactionId = originalTransactionId
        self.isLegacy = isLegacy
        self.isEntitled = isEntitled
        self.state = state
        self.transactionId = transactionId
        self.awaitsConfirmation = awaitsConfirmation
        self.needsStatusQuery = needsStatusQuery
    }
}
