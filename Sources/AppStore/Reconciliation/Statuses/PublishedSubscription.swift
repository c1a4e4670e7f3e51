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
    /// Whether the known facts leave Apple's statement unexplained, so that Apple is to be asked.
    package let needsStatusQuery: Bool

    /// Whether it is compared with what Apple says: version 1 is in no history, and what is unexplained is asked.
    package var isCompared: Bool { isLegacy || needsStatusQuery }

    /// - Parameter isComparedOnly: nil also for what is not compared; most rows are not, and then their facts are not read.
    /// Nil for another app's row, for what is no subscription, and for what cannot be read.
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
        // Several products of one purchase share its state; one that holds is listed first.
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
