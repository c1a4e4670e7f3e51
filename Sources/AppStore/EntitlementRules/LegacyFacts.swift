internal import AppStoreModel
internal import JSON

/// Statements about a purchase that come from version 1 or older notifications and are authenticated only by a shared
/// secret.
///
/// They are stored separately from the signed facts, so that a merge never replaces a signed fact with one of them.
/// Their dates are those of the events, not of Apple's statements, so they are never compared with signed dates; the
/// version of an unsigned fact is its time of receipt. ``PurchaseFacts/unsettledLegacy`` determines which of them
/// apply.
///
/// Each kind of fact is a separate join. Bounds and erasures use the time of receipt, so a forged date in a body
/// affects neither.
package struct LegacyFacts: Hashable, Sendable {
    private var active = LegacyStatements(by: .expiry)
    private var ended = LegacyStatements(by: .cancellation)
    private(set) var renewal: UnsignedRenewal?
    /// The newest body that identifies the purchase but none of its transactions.
    private(set) var unresolved: LegacyFactId?
    private(set) var history = PurchaseEvents()
    /// Facts that were already known when Apple answered a query about the purchase.
    private(set) var confirmed = LegacyFactIds()
    /// Facts that Apple did not confirm within seven days, and that therefore no longer apply.
    private(set) var setAside = LegacyFactIds()

    init() {}

    var isEmpty: Bool {
        !hasFacts && history.values.isEmpty && confirmed.values.isEmpty && setAside.values.isEmpty
    }

    /// Whether any fact can change an answer or cause a query to Apple.
    var hasFacts: Bool {
        !active.isEmpty || !ended.isEmpty || renewal != nil || unresolved != nil
    }

    /// Transactions that, according to the bodies, were neither cancelled nor replaced by an upgrade.
    package var transactions: Transactions { active.greatest }
    /// Transactions that were cancelled or replaced by an upgrade. Later bodies cannot undo that, because version 1 has
    /// no notification for a reversal.
    package var endedTransactions: Transactions { ended.greatest }

    /// The version 1 notifications in the history, oldest first.
    package var events: [PurchaseEvent] { history.values }

    /// Active and ended transactions, each listed once.
    package var allTransactions: [TransactionFacts] {
        let transactions = transactions
        return transactions.values + endedTransactions.values.filter { transactions[$0.key] == nil }
    }

    /// The IDs of all facts.
    var ids: [LegacyFactId] {
        (active.values + ended.values).map(\.version)
            + [renewal.map { LegacyFactId($0.facts.version) }, unresolved].compactMap { $0 }
    }

    /// The latest receipt time or date among these facts.
    var latestDate: AppStoreInstant {
        let dates = (ids + confirmed.values.suffix(1) + setAside.values.suffix(1)).map(\.signedDate)
        return max(history.values.last?.signedDate ?? .earliest, dates.max() ?? .earliest)
    }

    /// The account of the latest active transaction that has an appAccountToken or, if there is none, of the latest
    /// ended one.
    var appAccountToken: AppAccountToken? {
        transactions.values.last { $0.appAccountToken != nil }?.appAccountToken
            ?? endedTransactions.values.last { $0.appAccountToken != nil }?.appAccountToken
    }

    // MARK: Merging

    mutating func merge(
        _ other: LegacyFacts, erasedAt: AppStoreInstant?, _ outcome: inout PurchaseFacts.MergeOutcome
    ) {
        for id in other.confirmed.values where confirm(id, erasedAt: erasedAt) { outcome.isChanged = true }
        for id in other.setAside.values where putAside(id, erasedAt: erasedAt) { outcome.isChanged = true }
        for transaction in other.active.values + other.ended.values {
            take(transaction, erasedAt: erasedAt, &outcome)
        }
        if let facts = other.renewal { take(facts, erasedAt: erasedAt, &outcome) }
        if let id = other.unresolved, takeUnresolved(id, erasedAt: erasedAt) { outcome.isChanged = true }
        for event in other.history.values where take(event, erasedAt: erasedAt) { outcome.isChanged = true }
    }

    mutating func take(
        _ offered: TransactionFacts, erasedAt: AppStoreInstant?, _ outcome: inout PurchaseFacts.MergeOutcome
    ) {
        guard Self.isKept(offered.version.signedDate, erasedAt) else {
            outcome.isStale = true
            return
        }
        let result =
            offered.revocationDate != nil || offered.isUpgraded ? ended.take(offered) : active.take(offered)
        switch result {
        case .taken: outcome.isChanged = true
        case .stale: outcome.isStale = true
        case .known: break
        }
    }

    mutating func take(
        _ offered: UnsignedRenewal, erasedAt: AppStoreInstant?, _ outcome: inout PurchaseFacts.MergeOutcome
    ) {
        guard Self.isKept(offered.facts.version.signedDate, erasedAt) else {
            outcome.isStale = true
            return
        }
        guard let known = renewal else {
            renewal = offered
            outcome.isChanged = true
            return
        }
        if offered.isNewer(than: known) {
            renewal = offered
            outcome.isChanged = true
        } else if offered != known {
            outcome.isStale = true
        }
    }

    /// - Returns: whether the ID is now the newest.
    mutating func takeUnresolved(_ id: LegacyFactId, erasedAt: AppStoreInstant?) -> Bool {
        guard Self.isKept(id.signedDate, erasedAt), unresolved.map({ $0 < id }) ?? true else { return false }
        unresolved = id
        return true
    }

    /// - Returns: whether the history changed.
    mutating func take(_ event: PurchaseEvent, erasedAt: AppStoreInstant?) -> Bool {
        Self.isKept(event.signedDate, erasedAt) && history.take(event, atMost: FactsBounds.legacyEvents)
    }

    private static func isKept(_ date: AppStoreInstant, _ erasedAt: AppStoreInstant?) -> Bool {
        erasedAt.map { date > $0 } ?? true
    }

    // MARK: Settling

    /// - Returns: whether the ID was added.
    mutating func confirm(_ id: LegacyFactId, erasedAt: AppStoreInstant?) -> Bool {
        Self.isKept(id.signedDate, erasedAt) && confirmed.insert(id)
    }

    /// - Returns: whether the ID was added.
    mutating func putAside(_ id: LegacyFactId, erasedAt: AppStoreInstant?) -> Bool {
        Self.isKept(id.signedDate, erasedAt) && setAside.insert(id)
    }

    mutating func erase(upTo moment: AppStoreInstant) {
        active.removeAll(receivedUpTo: moment)
        ended.removeAll(receivedUpTo: moment)
        if let renewal, renewal.facts.version.signedDate <= moment { self.renewal = nil }
        if let unresolved, unresolved.signedDate <= moment { self.unresolved = nil }
        history.removeAll(signedUpTo: moment)
        confirmed.removeAll(receivedUpTo: moment)
        setAside.removeAll(receivedUpTo: moment)
    }
}

// MARK: JSON

extension LegacyFacts {
    /// Writes the members of an object, with the same names as for signed facts.
    func write(to object: inout JSONWriter) {
        confirmed.write(as: "confirmed", to: &object)
        setAside.write(as: "setAside", to: &object)
        if let unresolved { LegacyFactIds([unresolved]).write(as: "unresolved", to: &object) }
        renewal?.write(to: &object)
        active.write(to: &object)
        if !ended.isEmpty { object.object("ended") { ended.write(to: &$0) } }
        history.write(to: &object)
    }

    /// Reads the output of ``write(to:)``, or returns nil if a dense value is not in the form that this library writes.
    ///
    /// - Parameter keepsText: whether to keep the text of the renewal info instead of parsing it now. Use this only for
    ///   text that this library wrote.
    init?(_ element: JSONElement, keepsText: Bool) {
        var fields = FieldReader(element)
        guard let active = fields.statements(), let eventText = fields.dense("events"),
            let events = PurchaseEvents(dense: eventText, kinds: fields.element("eventKinds"))
        else { return nil }
        var ended: [TransactionFacts] = []
        if let element = fields.object("ended") {
            var endedFields = FieldReader(element)
            guard let read = endedFields.statements() else { return nil }
            ended = read
        }
        var outcome = PurchaseFacts.MergeOutcome()
        // Facts marked as signed are skipped, because signed facts are stored elsewhere.
        for transaction in active + ended where !transaction.version.isSigned {
            take(transaction, erasedAt: nil, &outcome)
        }
        if let facts = UnsignedRenewal(&fields, keepsText: keepsText) { take(facts, erasedAt: nil, &outcome) }
        for event in events.values where !event.isSigned { _ = take(event, erasedAt: nil) }
        for id in LegacyFactIds.read("confirmed", &fields) { _ = confirm(id, erasedAt: nil) }
        for id in LegacyFactIds.read("setAside", &fields) { _ = putAside(id, erasedAt: nil) }
        for id in LegacyFactIds.read("unresolved", &fields) { _ = takeUnresolved(id, erasedAt: nil) }
    }
}

extension FieldReader {
    /// Returns a reader for the member: an empty one if the member is absent, or nil if the member is not dense text.
    mutating func dense(_ name: StaticString) -> DenseReader? {
        guard let element = element(name) else { return DenseReader([], 0..<0) }
        return element.plainTextRange.map { DenseReader(element.document.bytes, $0) }
    }

    /// Reads the members that ``LegacyStatements`` writes, or returns nil if they are not in the form that this library
    /// writes.
    fileprivate mutating func statements() -> [TransactionFacts]? {
        let traits = objects("traits").map(TransactionTraits.init(_:))
        guard let text = dense("transactions"), let greatest = Transactions.statements(dense: text, traits: traits)
        else { return nil }
        guard let element = object("superseded") else { return greatest }
        var superseded = FieldReader(element)
        return superseded.statements().map { greatest + $0 }
    }
}
