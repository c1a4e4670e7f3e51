package import AppStoreModel

/// Everything that is known about one chain of purchases: a join of signed facts.
///
/// Merging is associative, commutative and idempotent, so that duplicates, disorder and replays end in the same value.
/// A one-time purchase is a chain of one transaction (or few).
package struct ChainFacts: Hashable, Sendable {
    /// Purchases kept of one chain: those with the latest purchaseDate, which never changes for a transaction.
    package static let maximumPurchases = 512
    /// Events kept of one chain: the latest.
    package static let maximumEvents = 32

    package let environment: AppStoreEnvironment
    package let bundleId: BundleId
    package let originalTransactionId: OriginalTransactionId

    package private(set) var purchases: [TransactionId: PurchaseFacts] = [:]
    package private(set) var renewal: RenewalFacts?
    package private(set) var status: StatusFacts?
    package private(set) var claim: OwnerClaim?
    /// Transactions that began with an upgrade, and when the upgrade was signed.
    package private(set) var upgrades: [TransactionId: AppStoreInstant] = [:]
    /// Notifications that concerned this chain, oldest first.
    package private(set) var events: [ChainEvent] = []
    /// Members written by a later version of this library.
    package private(set) var unknownFields = JSONObject()

    package init(
        environment: AppStoreEnvironment, bundleId: BundleId, originalTransactionId: OriginalTransactionId
    ) {
        self.environment = environment
        self.bundleId = bundleId
        self.originalTransactionId = originalTransactionId
    }

    /// What a merge did.
    package struct MergeOutcome: Hashable, Sendable {
        /// The facts are other than before.
        package var changed = false
        /// Something merged was older than what was known: it changed nothing and is counted as late.
        package var isLate = false

        package init(changed: Bool = false, isLate: Bool = false) {
            self.changed = changed
            self.isLate = isLate
        }
    }

    /// Takes in what another value knows about the same chain. Facts of another chain change nothing.
    @discardableResult
    package mutating func merge(_ other: ChainFacts) -> MergeOutcome {
        guard other.environment == environment, other.bundleId == bundleId,
            other.originalTransactionId == originalTransactionId
        else { return MergeOutcome() }
        let before = self
        var isLate = false
        func newer<Facts: VersionedFacts>(_ known: Facts?, _ offered: Facts?) -> Facts? {
            let winner = Facts.newer(known, offered)
            if let offered, winner?.version != offered.version { isLate = true }
            return winner
        }
        for (transactionId, purchase) in other.purchases {
            purchases[transactionId] = newer(purchases[transactionId], purchase)
        }
        renewal = newer(renewal, other.renewal)
        status = newer(status, other.status)
        claim = OwnerClaim.newer(claim, other.claim)
        upgrades.merge(other.upgrades) { max($0, $1) }
        mergeEvents(other.events)
        mergeUnknownFields(other.unknownFields)
        dropOldest()
        return MergeOutcome(changed: self != before, isLate: isLate)
    }

    /// Merges one purchase.
    package mutating func insert(_ purchase: PurchaseFacts) {
        purchases[purchase.transactionId] = .newer(purchases[purchase.transactionId], purchase)
        dropOldest()
    }

    package mutating func insert(_ facts: RenewalFacts) { renewal = .newer(renewal, facts) }
    package mutating func insert(_ facts: StatusFacts) { status = .newer(status, facts) }
    package mutating func insert(_ facts: OwnerClaim) { claim = .newer(claim, facts) }
    package mutating func insert(_ event: ChainEvent) { mergeEvents([event]) }

    /// Notes that a transaction began with an upgrade, signed then.
    package mutating func insertUpgrade(to transactionId: TransactionId, signedDate: AppStoreInstant) {
        upgrades[transactionId] = max(upgrades[transactionId] ?? .earliest, signedDate)
        dropOldest()
    }

    mutating func insertUnknown(_ fields: JSONObject) { mergeUnknownFields(fields) }

    private mutating func mergeEvents(_ others: [ChainEvent]) {
        guard !others.isEmpty else { return }
        var byVersion: [FactVersion: ChainEvent] = [:]
        for event in events + others {
            byVersion[event.version] = .newer(byVersion[event.version], event)
        }
        events = byVersion.values.sorted { $0.version < $1.version }.suffix(Self.maximumEvents)
    }

    /// Of a member that both have with different values the one whose text is greater is kept. Sorted by name.
    private mutating func mergeUnknownFields(_ others: JSONObject) {
        guard !others.isEmpty else { return }
        var merged = unknownFields
        for member in others.members {
            guard let known = merged[member.name] else {
                merged[member.name] = member.value
                continue
            }
            if known.json.lexicographicallyPrecedes(member.value.json) { merged[member.name] = member.value }
        }
        var sorted = JSONObject()
        for name in merged.names.sorted() { sorted[name] = merged[name] }
        unknownFields = sorted
    }

    /// Keeps the greatest purchases and upgrades by an order that does not depend on arrival.
    private mutating func dropOldest() {
        if purchases.count > Self.maximumPurchases {
            let kept = orderedPurchases.suffix(Self.maximumPurchases)
            purchases = Dictionary(uniqueKeysWithValues: kept.map { ($0.transactionId, $0) })
        }
        if upgrades.count > Self.maximumPurchases {
            let kept = upgrades.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.suffix(Self.maximumPurchases)
            upgrades = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
        }
    }

    /// By purchaseDate, then transactionId.
    package var orderedPurchases: [PurchaseFacts] {
        purchases.values.sorted { ($0.start, $0.transactionId) < ($1.start, $1.transactionId) }
    }
}
