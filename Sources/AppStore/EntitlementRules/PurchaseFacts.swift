package import AppStoreModel
package import JSON

/// Everything that is known about one purchase: a join of signed facts.
///
/// Merging is associative, commutative and idempotent, so that duplicates, disorder and replays end in the same value.
/// A one-time purchase has one transaction (or few).
package struct PurchaseFacts: Hashable, Sendable {
    /// Transactions kept of one purchase: those with the latest purchaseDate, which never changes for a transaction.
    package static let maximumTransactions = 512
    /// Events kept of one purchase: the latest.
    package static let maximumEvents = 32
    /// Purchases that one was migrated to: the earliest.
    static let maximumSuccessors = 8

    package let environment: AppStoreEnvironment
    package let bundleId: BundleId
    package let originalTransactionId: OriginalTransactionId

    package private(set) var transactions = Transactions()
    package private(set) var renewal: RenewalFacts?
    package private(set) var status: StatusFacts?
    package private(set) var claim: OwnerClaim?
    /// Transactions that began with an upgrade, and when the upgrade was signed.
    package private(set) var upgrades: [TransactionId: AppStoreInstant] = [:]
    /// Notifications that concerned this purchase, oldest first.
    package private(set) var events: [PurchaseEvent] = []
    /// Purchases that go on where this one was migrated to Advanced Commerce, and since when.
    package private(set) var successors: [OriginalTransactionId: AppStoreInstant] = [:]
    /// The account of the purchase that this one goes on from: by its transactions, and by the app's word.
    package private(set) var transferredToken: OwnerClaim?
    package private(set) var transferredClaim: OwnerClaim?
    /// Everything signed until then is forgotten.
    package private(set) var erasedAt: AppStoreInstant?
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
        package var isChanged = false
        /// Something merged was older than what was known: it changed nothing and is counted as late.
        package var isStale = false

        package init(isChanged: Bool = false, isStale: Bool = false) {
            self.isChanged = isChanged
            self.isStale = isStale
        }
    }

    /// Takes in what another value knows about the same purchase. Facts of another purchase change nothing.
    @discardableResult
    package mutating func merge(_ other: PurchaseFacts) -> MergeOutcome {
        guard other.environment == environment, other.bundleId == bundleId,
            other.originalTransactionId == originalTransactionId
        else { return MergeOutcome() }
        // What is taken in and dropped at once, beyond the bounds, is no change.
        let before = mayOverflow(with: other) ? self : nil
        var outcome = MergeOutcome()
        if let erasedAt = other.erasedAt { erase(upTo: erasedAt, &outcome) }
        for transaction in other.transactions.values { take(transaction, &outcome) }
        Self.take(other.renewal, into: &renewal, erasedAt, &outcome)
        Self.take(other.status, into: &status, erasedAt, &outcome)
        Self.take(other.claim, into: &claim, erasedAt, &outcome)
        Self.take(other.transferredToken, into: &transferredToken, erasedAt, &outcome)
        Self.take(other.transferredClaim, into: &transferredClaim, erasedAt, &outcome)
        for (id, signedDate) in other.upgrades where isKept(signedDate) && signedDate > upgrades[id] ?? .earliest {
            upgrades[id] = signedDate
            outcome.isChanged = true
        }
        for event in other.events where take(event) { outcome.isChanged = true }
        if erasedAt == nil {
            for (id, since) in other.successors where since < successors[id] ?? .latest || successors[id] == nil {
                successors[id] = since
                outcome.isChanged = true
            }
            if !other.unknownFields.isEmpty, mergeUnknownFields(other.unknownFields) { outcome.isChanged = true }
        }
        dropOldest()
        if let before { outcome.isChanged = self != before }
        return outcome
    }

    private mutating func take(_ offered: TransactionFacts, _ outcome: inout MergeOutcome) {
        var place = transactions[offered.transactionId]
        var taken = MergeOutcome()
        Self.take(offered, into: &place, erasedAt, &taken)
        if taken.isChanged { transactions[offered.transactionId] = place }
        outcome.isChanged = outcome.isChanged || taken.isChanged
        outcome.isStale = outcome.isStale || taken.isStale
    }

    /// The newer of two statements stays; one from before the erasure is none.
    private static func take<Facts: VersionedFacts>(
        _ offered: Facts?, into place: inout Facts?, _ erasedAt: AppStoreInstant?, _ outcome: inout MergeOutcome
    ) {
        guard let offered else { return }
        if let erasedAt, offered.version.signedDate <= erasedAt {
            outcome.isStale = true
            return
        }
        guard let known = place else {
            place = offered
            outcome.isChanged = true
            return
        }
        if Facts.isNewer(offered, than: known) {
            place = offered
            outcome.isChanged = true
        } else if offered.version != known.version {
            outcome.isStale = true
        }
    }

    private func isKept(_ signedDate: AppStoreInstant) -> Bool { erasedAt.map { signedDate > $0 } ?? true }

    // MARK: Single facts

    package mutating func insert(_ transaction: TransactionFacts) {
        var outcome = MergeOutcome()
        take(transaction, &outcome)
        dropOldest()
    }

    package mutating func insert(_ facts: RenewalFacts) { Self.insert(facts, erasedAt, into: &renewal) }
    package mutating func insert(_ facts: StatusFacts) { Self.insert(facts, erasedAt, into: &status) }
    package mutating func insert(_ facts: OwnerClaim) { Self.insert(facts, erasedAt, into: &claim) }
    package mutating func insert(_ event: PurchaseEvent) { _ = take(event) }
    mutating func insert(transferredToken facts: OwnerClaim) { Self.insert(facts, erasedAt, into: &transferredToken) }
    mutating func insert(transferredClaim facts: OwnerClaim) { Self.insert(facts, erasedAt, into: &transferredClaim) }

    private static func insert<Facts: VersionedFacts>(
        _ facts: Facts, _ erasedAt: AppStoreInstant?, into place: inout Facts?
    ) {
        var outcome = MergeOutcome()
        take(facts, into: &place, erasedAt, &outcome)
    }

    /// Notes that a transaction began with an upgrade, signed then.
    package mutating func insertUpgrade(to transactionId: TransactionId, signedDate: AppStoreInstant) {
        guard isKept(signedDate) else { return }
        upgrades[transactionId] = max(upgrades[transactionId] ?? .earliest, signedDate)
        dropOldest()
    }

    /// Notes that another purchase goes on from this one.
    mutating func insertSuccessor(_ id: OriginalTransactionId, since: AppStoreInstant) {
        guard erasedAt == nil else { return }
        successors[id] = min(successors[id] ?? .latest, since)
        dropOldest()
    }

    mutating func insertUnknown(_ fields: JSONObject) {
        if erasedAt == nil { _ = mergeUnknownFields(fields) }
    }

    // MARK: Erasure

    /// Forgets everything that was signed until then, now and whenever it comes again.
    package mutating func erase(upTo moment: AppStoreInstant) {
        var outcome = MergeOutcome()
        erase(upTo: moment, &outcome)
    }

    private mutating func erase(upTo moment: AppStoreInstant, _ outcome: inout MergeOutcome) {
        guard moment > erasedAt ?? .earliest || erasedAt == nil else { return }
        outcome.isChanged = true
        erasedAt = moment
        transactions.removeAll { $0.version.signedDate <= moment }
        upgrades = upgrades.filter { $0.value > moment }
        events = events.filter { $0.version.signedDate > moment }
        renewal = Self.kept(renewal, after: moment)
        status = Self.kept(status, after: moment)
        claim = Self.kept(claim, after: moment)
        transferredToken = Self.kept(transferredToken, after: moment)
        transferredClaim = Self.kept(transferredClaim, after: moment)
        // These have no moment of their own: of a purchase that was once erased nothing of the kind is kept.
        successors = [:]
        unknownFields = JSONObject()
    }

    private static func kept<Facts: VersionedFacts>(_ facts: Facts?, after moment: AppStoreInstant) -> Facts? {
        facts.flatMap { $0.version.signedDate > moment ? $0 : nil }
    }

    /// Whether nothing is known but that it was erased.
    package var isErased: Bool {
        erasedAt != nil && transactions.isEmpty && renewal == nil && status == nil && claim == nil && events.isEmpty
            && upgrades.isEmpty && transferredToken == nil && transferredClaim == nil
    }

    /// Whether everything that becomes part of a key, an index or an answer's names is of a sensible length.
    package var hasBoundedIdentifiers: Bool {
        originalTransactionId.isBounded && bundleId.isBounded
            && transactions.values.allSatisfy {
                $0.transactionId.isBounded && $0.productId?.isBounded ?? true
                    && $0.previousOriginalTransactionId?.isBounded ?? true
            }
            && appAccountToken?.isBounded ?? true && appTransactionId?.isBounded ?? true
    }

    /// The latest moment that anything known was signed at.
    package var latestSignedDate: AppStoreInstant {
        var latest = events.last?.version.signedDate ?? .earliest
        for transaction in transactions.values { latest = max(latest, transaction.version.signedDate) }
        for signedDate in upgrades.values { latest = max(latest, signedDate) }
        let versions = [
            renewal?.version, status?.version, claim?.version, transferredToken?.version, transferredClaim?.version,
        ]
        for version in versions { latest = max(latest, version?.signedDate ?? .earliest) }
        return latest
    }

    // MARK: Bounds

    /// - Returns: whether it was not known, or not so.
    private mutating func take(_ event: PurchaseEvent) -> Bool {
        guard isKept(event.version.signedDate) else { return false }
        var index = events.count
        while index > 0, event.version < events[index - 1].version { index -= 1 }
        if index > 0, events[index - 1].version == event.version {
            guard PurchaseEvent.isNewer(event, than: events[index - 1]) else { return false }
            events[index - 1] = event
            return true
        }
        guard events.count >= Self.maximumEvents else {
            events.insert(event, at: index)
            return true
        }
        guard index > 0 else { return false }
        events.insert(event, at: index)
        events.removeFirst()
        return true
    }

    /// Of a member that both have with different values the one whose text is greater is kept. Sorted by name.
    private mutating func mergeUnknownFields(_ others: JSONObject) -> Bool {
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
        defer { unknownFields = sorted }
        return sorted != unknownFields
    }

    private func mayOverflow(with other: PurchaseFacts) -> Bool {
        transactions.count + other.transactions.count > Self.maximumTransactions
            || upgrades.count + other.upgrades.count > Self.maximumTransactions
            || successors.count + other.successors.count > Self.maximumSuccessors
    }

    /// Keeps the greatest transactions and upgrades by an order that does not depend on arrival.
    private mutating func dropOldest() {
        transactions.keepLast(Self.maximumTransactions)
        if upgrades.count > Self.maximumTransactions {
            let kept = upgrades.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.suffix(Self.maximumTransactions)
            upgrades = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
        }
        if successors.count > Self.maximumSuccessors {
            let kept = successors.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(Self.maximumSuccessors)
            successors = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
        }
    }

    /// By purchaseDate, then transactionId.
    package var orderedTransactions: [TransactionFacts] { transactions.values }
}
