package import AppStoreModel
internal import JSON

/// The current facts about one purchase: signed facts, limited by ``FactsBounds``, and separately the unsigned facts
/// from version 1 notifications (``LegacyFacts``), which are authenticated only by a shared secret. All properties
/// except ``legacy`` contain signed facts.
///
/// Merging is associative, commutative and idempotent, so duplicates, reordering and replays lead to the same value. A
/// one-time purchase has only one or a few transactions.
package struct PurchaseFacts: Hashable, Sendable {
    /// The number of days that an erased purchase is kept; greater than the notification topics' retention.
    package static let erasureDays: Int64 = 45

    /// The facts, shared by all copies of this value until one of them changes.
    private(set) var storage: PurchaseStorage

    package init(
        environment: AppStoreEnvironment, bundleId: BundleId, originalTransactionId: OriginalTransactionId
    ) {
        storage = PurchaseStorage(
            PurchaseFields(
                environment: environment, bundleId: bundleId, originalTransactionId: originalTransactionId))
    }

    /// Mutable access to the facts, which are copied first if another value shares them.
    private var fields: PurchaseFields {
        get { storage.fields }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = PurchaseStorage(storage.fields) }
            yield &storage.fields
        }
    }

    package static func == (one: PurchaseFacts, other: PurchaseFacts) -> Bool {
        one.storage === other.storage || one.storage.fields == other.storage.fields
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(storage.fields) }

    /// The facts from version 1 or older notifications, or nil if there are none.
    package var legacy: LegacyFacts? { legacyStorage?.facts }

    /// The signed notifications about this purchase, oldest first.
    package var events: [PurchaseEvent] { history.values }

    /// The transactions ordered by start, then by transactionId.
    package var orderedTransactions: [TransactionFacts] { transactions.values }

    // MARK: Merging

    /// The result of a merge.
    package struct MergeOutcome: Hashable, Sendable {
        /// Whether the merge changed anything.
        package var isChanged = false
        /// Whether a merged fact was ignored because it was older than the current one.
        package var isStale = false

        package init(isChanged: Bool = false, isStale: Bool = false) {
            self.isChanged = isChanged
            self.isStale = isStale
        }
    }

    /// Merges the facts of another value about the same purchase. Facts about a different purchase are ignored.
    @discardableResult
    package mutating func merge(_ other: PurchaseFacts) -> MergeOutcome {
        guard other.environment == environment, other.bundleId == bundleId,
            other.originalTransactionId == originalTransactionId
        else { return MergeOutcome() }
        var outcome = MergeOutcome()
        if let erasedAt = other.erasedAt { erase(upTo: erasedAt, &outcome) }
        for transaction in other.transactions.values { take(transaction, &outcome) }
        // Do not report these two facts as stale: they come from transactions that were merged above, where any stale
        // transaction was already reported.
        var ignored = MergeOutcome()
        Self.take(other.latestTransaction, into: &fields.latestTransaction, erasedAt, &ignored)
        Self.take(other.namedAccount, into: &fields.namedAccount, erasedAt, &ignored)
        outcome.isChanged = outcome.isChanged || ignored.isChanged
        Self.take(other.renewal, into: &fields.renewal, erasedAt, &outcome)
        Self.take(other.status, into: &fields.status, erasedAt, &outcome)
        Self.take(other.claim, into: &fields.claim, erasedAt, &outcome)
        Self.take(other.transferredToken, into: &fields.transferredToken, erasedAt, &outcome)
        Self.take(other.transferredClaim, into: &fields.transferredClaim, erasedAt, &outcome)
        for (id, signedDate) in other.upgrades where takeUpgrade(to: id, signedDate) { outcome.isChanged = true }
        for (start, signedDate) in other.purchases where takePurchase(at: start, signedDate) {
            outcome.isChanged = true
        }
        for event in other.history.values where isKept(event.signedDate) && fields.history.take(event) {
            outcome.isChanged = true
        }
        if let others = other.legacy { changeLegacy { $0.merge(others, erasedAt: $1, &outcome) } }
        if erasedAt == nil {
            for (id, since) in other.successors where Self.takeLink(id, since, into: &fields.successors) {
                outcome.isChanged = true
            }
            for (id, since) in other.predecessors where Self.takeLink(id, since, into: &fields.predecessors) {
                outcome.isChanged = true
            }
            if !other.unknownFields.isEmpty, mergeUnknownFields(other.unknownFields) { outcome.isChanged = true }
        }
        return outcome
    }

    private mutating func take(_ offered: TransactionFacts, _ outcome: inout MergeOutcome) {
        guard isKept(offered.version.signedDate) else {
            outcome.isStale = true
            return
        }
        switch fields.transactions.take(offered) {
        case .taken: outcome.isChanged = true
        case .stale: outcome.isStale = true
        case .known: break
        }
    }

    /// Keeps the newer of two statements. Statements from before the erasure are ignored.
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

    /// Merges Apple's statement about one transaction.
    ///
    /// - Parameter texts: the JSON texts of the transaction, if available.
    mutating func insert(_ content: TransactionDetailsContent, texts: TransactionTexts? = nil) {
        let version = content.version
        var outcome = MergeOutcome()
        let transaction = TransactionFacts(content, traitsText: texts?.traits)
        guard version.isSigned else {
            changeLegacy { $0.take(transaction, erasedAt: $1, &outcome) }
            return
        }
        take(transaction, &outcome)
        Self.insert(TransactionDetails(content, text: texts?.details), erasedAt, into: &fields.latestTransaction)
        if let token = content.appAccountToken {
            Self.insert(
                OwnerClaim(appAccountToken: token, claimedAt: version.signedDate), erasedAt, into: &fields.namedAccount)
        }
        if content.transactionReason == .purchase { insertPurchase(transaction) }
        if let previous = content.previousOriginalTransactionId, erasedAt == nil {
            _ = Self.takeLink(previous, transaction.beginning, into: &fields.predecessors)
        }
    }

    /// Merges signed renewal info. Unsigned renewal info is ignored.
    package mutating func insert(_ facts: RenewalFacts) {
        if facts.version.isSigned { Self.insert(facts, erasedAt, into: &fields.renewal) }
    }
    /// Merges a signed status. A status computed from version 1 notifications is ignored.
    package mutating func insert(_ facts: StatusFacts) {
        if facts.version.isSigned { Self.insert(facts, erasedAt, into: &fields.status) }
    }
    mutating func insert(_ facts: UnsignedRenewal) {
        var outcome = MergeOutcome()
        changeLegacy { $0.take(facts, erasedAt: $1, &outcome) }
    }
    mutating func insert(unresolved id: LegacyFactId) {
        changeLegacy { _ = $0.takeUnresolved(id, erasedAt: $1) }
    }
    package mutating func insert(_ facts: OwnerClaim) { Self.insert(facts, erasedAt, into: &fields.claim) }
    package mutating func insert(_ event: PurchaseEvent) {
        guard event.isSigned else { return changeLegacy { _ = $0.take(event, erasedAt: $1) } }
        if isKept(event.signedDate) { _ = fields.history.take(event) }
    }
    mutating func insert(transferredToken facts: OwnerClaim) {
        Self.insert(facts, erasedAt, into: &fields.transferredToken)
    }
    mutating func insert(transferredClaim facts: OwnerClaim) {
        Self.insert(facts, erasedAt, into: &fields.transferredClaim)
    }

    private static func insert<Facts: VersionedFacts>(
        _ facts: Facts, _ erasedAt: AppStoreInstant?, into place: inout Facts?
    ) {
        var outcome = MergeOutcome()
        take(facts, into: &place, erasedAt, &outcome)
    }

    /// Records that a transaction began with an upgrade signed on the given date.
    package mutating func insertUpgrade(to transactionId: TransactionId, signedDate: AppStoreInstant) {
        _ = takeUpgrade(to: TransactionKey(transactionId), signedDate)
    }

    /// Records a purchase by the customer if the transaction is auto-renewable and has an account. The entry outlives
    /// the transaction.
    mutating func insertPurchase(_ transaction: TransactionFacts) {
        guard transaction.isAutoRenewable, transaction.appAccountToken != nil else { return }
        insertPurchase(at: transaction.start, signedDate: transaction.version.signedDate)
    }

    mutating func insertPurchase(at start: AppStoreInstant, signedDate: AppStoreInstant) {
        _ = takePurchase(at: start, signedDate)
    }

    /// Records that another purchase continues this one.
    mutating func insertSuccessor(_ id: OriginalTransactionId, since: AppStoreInstant) {
        if erasedAt == nil { _ = Self.takeLink(id, since, into: &fields.successors) }
    }

    /// Marks unsigned facts as confirmed, because Apple has answered a query about them. From then on, only Apple's
    /// signed facts apply, even if the unsigned facts arrive again. A cancellation, or a transaction that Apple has not
    /// signed, must still wait for its signed copy.
    package mutating func settleLegacy(_ ids: [LegacyFactId]) {
        changeLegacy { facts, erasedAt in for id in ids { _ = facts.confirm(id, erasedAt: erasedAt) } }
    }

    /// Stops considering these unsigned facts, because Apple did not confirm them within the time limit.
    package mutating func setLegacyAside(_ ids: [LegacyFactId]) {
        changeLegacy { facts, erasedAt in for id in ids { _ = facts.putAside(id, erasedAt: erasedAt) } }
    }

    /// The IDs of all facts from version 1 notifications that are not settled yet.
    package var unsettledLegacyIds: [LegacyFactId] { unsettledLegacy?.ids ?? [] }

    private mutating func changeLegacy(_ change: (inout LegacyFacts, AppStoreInstant?) -> Void) {
        var facts = legacyStorage?.facts ?? LegacyFacts()
        change(&facts, erasedAt)
        fields.legacyStorage = facts.isEmpty ? nil : LegacyStorage(facts)
    }

    /// Replaces the statement about a transaction with another one, regardless of their versions. Use this only for
    /// evaluation; do not merge or write the result.
    mutating func overlay(_ transaction: TransactionFacts) { fields.transactions.overlay(transaction) }

    /// Replaces the renewal info and removes the signed status, which belonged to the replaced renewal info. Like
    /// ``overlay(_:)``, use this only for evaluation.
    mutating func replaceRenewal(with facts: RenewalFacts) {
        fields.renewal = facts
        fields.status = nil
    }

    /// Restores properties from JSON text written by this library.
    mutating func restore(
        _ transactions: Transactions, _ history: PurchaseEvents, _ legacy: LegacyFacts?,
        latestTransaction: TransactionDetails?,
        namedAccount: OwnerClaim?, predecessors: [(id: OriginalTransactionId, since: AppStoreInstant)],
        unknownFields: JSONObject
    ) {
        fields.transactions = transactions
        fields.history = history
        // No version writes unsigned facts here. If another program wrote some, they must not be treated as signed.
        if self.transactions.values.contains(where: { !$0.version.isSigned }) {
            fields.transactions.removeAll { !$0.version.isSigned }
        }
        fields.history.removeUnsigned()
        fields.legacyStorage = legacy.flatMap { $0.isEmpty ? nil : LegacyStorage($0) }
        fields.latestTransaction = latestTransaction.flatMap { $0.version.isSigned ? $0 : nil }
        fields.namedAccount = namedAccount
        for (id, since) in predecessors { _ = Self.takeLink(id, since, into: &fields.predecessors) }
        if !unknownFields.isEmpty { _ = mergeUnknownFields(unknownFields) }
    }

    // MARK: Erasure

    /// Removes all facts signed up to this time. Later merges ignore such facts.
    package mutating func erase(upTo moment: AppStoreInstant) {
        var outcome = MergeOutcome()
        erase(upTo: moment, &outcome)
    }

    private mutating func erase(upTo moment: AppStoreInstant, _ outcome: inout MergeOutcome) {
        guard moment > erasedAt ?? .earliest || erasedAt == nil else { return }
        outcome.isChanged = true
        fields.erasedAt = moment
        fields.transactions.removeAll { $0.version.signedDate <= moment }
        fields.upgrades = upgrades.filter { $0.value > moment }
        fields.purchases = purchases.filter { $0.value > moment }
        fields.history.removeAll(signedUpTo: moment)
        if legacyStorage != nil { changeLegacy { facts, _ in facts.erase(upTo: moment) } }
        fields.latestTransaction = Self.kept(latestTransaction, after: moment)
        fields.renewal = Self.kept(renewal, after: moment)
        fields.status = Self.kept(status, after: moment)
        fields.claim = Self.kept(claim, after: moment)
        fields.namedAccount = Self.kept(namedAccount, after: moment)
        fields.transferredToken = Self.kept(transferredToken, after: moment)
        fields.transferredClaim = Self.kept(transferredClaim, after: moment)
        // These links have no signedDate to compare with the erasure, so a purchase that was ever erased has no links.
        fields.successors = [:]
        fields.predecessors = [:]
        fields.unknownFields = JSONObject()
    }

    private static func kept<Facts: VersionedFacts>(_ facts: Facts?, after moment: AppStoreInstant) -> Facts? {
        facts.flatMap { $0.version.signedDate > moment ? $0 : nil }
    }

    /// Whether the erasure is the only remaining fact.
    package var isErased: Bool {
        erasedAt != nil && transactions.isEmpty && latestTransaction == nil && renewal == nil && status == nil
            && claim == nil && namedAccount == nil && events.isEmpty && upgrades.isEmpty && purchases.isEmpty
            && transferredToken == nil && transferredClaim == nil && legacyStorage == nil
    }

    /// Whether all identifiers used in keys, indexes and answers are within the length limit.
    package var hasBoundedIdentifiers: Bool {
        originalTransactionId.isBounded && bundleId.isBounded
            && transactions.values.allSatisfy { $0.hasBoundedIdentifiers }
            && legacyStorage?.facts.allTransactions.allSatisfy { $0.hasBoundedIdentifiers } ?? true
            && hasBoundedAccounts && appTransactionId?.isBounded ?? true
    }

    private var hasBoundedAccounts: Bool {
        var areBounded = true
        forEachAccount { areBounded = areBounded && $0.isBounded }
        return areBounded
    }

    /// The latest signedDate of all facts. For unsigned facts, it is the time of receipt or the date of the event,
    /// whichever is later.
    package var latestSignedDate: AppStoreInstant {
        var latest = history.values.last?.signedDate ?? .earliest
        func consider(_ moment: AppStoreInstant?) { if let moment, moment > latest { latest = moment } }
        for transaction in transactions.values { consider(transaction.version.signedDate) }
        for signedDate in upgrades.values { consider(signedDate) }
        consider(latestTransaction?.version.signedDate)
        consider(renewal?.version.signedDate)
        consider(status?.version.signedDate)
        consider(claim?.version.signedDate)
        consider(namedAccount?.version.signedDate)
        consider(transferredToken?.version.signedDate)
        consider(transferredClaim?.version.signedDate)
        consider(legacyStorage?.facts.latestDate)
        return latest
    }

    // MARK: Bounds

    private mutating func takeUpgrade(to id: TransactionKey, _ signedDate: AppStoreInstant) -> Bool {
        guard isKept(signedDate), signedDate > upgrades[id] ?? .earliest || upgrades[id] == nil else { return false }
        fields.upgrades[id] = signedDate
        guard upgrades.count > FactsBounds.upgrades,
            let oldest = upgrades.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key
        else { return true }
        fields.upgrades[oldest] = nil
        return oldest != id
    }

    private mutating func takePurchase(at start: AppStoreInstant, _ signedDate: AppStoreInstant) -> Bool {
        guard isKept(signedDate), purchases[start].map({ signedDate > $0 }) ?? true else { return false }
        fields.purchases[start] = signedDate
        guard purchases.count > FactsBounds.purchases, let earliest = purchases.keys.min() else { return true }
        fields.purchases[earliest] = nil
        return earliest != start
    }

    private static func takeLink(
        _ id: OriginalTransactionId, _ since: AppStoreInstant,
        into links: inout [OriginalTransactionId: AppStoreInstant]
    ) -> Bool {
        guard since < links[id] ?? .latest || links[id] == nil else { return false }
        links[id] = since
        guard links.count > FactsBounds.links,
            let latest = links.max(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key
        else { return true }
        links[latest] = nil
        return latest != id
    }

    /// Merges unknown members. If two values differ, the greater text is kept.
    private mutating func mergeUnknownFields(_ others: JSONObject) -> Bool {
        let kept = FactsBounds.members(unknownFields.union(others))
        defer { fields.unknownFields = kept }
        return kept != unknownFields
    }
}
