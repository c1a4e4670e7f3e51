package import AppStoreModel
internal import EntitlementRules
internal import JSON
package import KafkaModel
internal import Records

/// A subscription as the entitlements topic has it.
package struct PublishedSubscription: Sendable, Hashable {
    package let originalTransactionId: OriginalTransactionId
    /// Whether version 1 notifications said anything of it.
    package let isLegacy: Bool
    /// Of what it gives: whether it holds, its state, and the transaction it rests on; nil where it gives nothing.
    package private(set) var isEntitled = false
    package private(set) var state: String?
    package private(set) var transactionId: TransactionId?
    package private(set) var awaitsConfirmation = false

    /// Nil for another app's row, for what is no subscription, and for what cannot be read.
    package init?(_ record: KafkaRecord, of bundleId: BundleId) {
        guard let value = record.value, let key = record.key.flatMap({ String(validating: $0, as: UTF8.self) }),
            let parts = RecordKey.parts(of: key), parts.bundleId == bundleId,
            let facts = try? PurchaseFacts(published: value), let document = try? JSONDocument.object(value)
        else { return nil }
        isLegacy = facts.legacy != nil
        let unsigned = facts.legacy?.allTransactions ?? []
        guard facts.isSubscription || unsigned.contains(where: \.isAutoRenewable) else { return nil }
        originalTransactionId = OriginalTransactionId(parts.subject)
        let grants = ["grants", "inactive"].flatMap { name in
            document.root.members.first { $0.name == name }?.value.elements ?? []
        }
        // Several products of one purchase share its state; one that holds is listed first.
        guard let grant = grants.first else { return }
        isEntitled = grant["isEntitled"]?.bool ?? false
        state = grant["state"]?.string
        transactionId = grant["transactionId"]?.string.map { TransactionId($0) }
        awaitsConfirmation = grants.contains { $0["awaitsConfirmation"]?.bool == true }
    }

    package init(
        _ originalTransactionId: OriginalTransactionId, isLegacy: Bool = true, isEntitled: Bool = false,
        state: String? = nil, transactionId: TransactionId? = nil, awaitsConfirmation: Bool = false
    ) {
        self.originalTransactionId = originalTransactionId
        self.isLegacy = isLegacy
        self.isEntitled = isEntitled
        self.state = state
        self.transactionId = transactionId
        self.awaitsConfirmation = awaitsConfirmation
    }
}
