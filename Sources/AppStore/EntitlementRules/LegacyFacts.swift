package import AppStoreModel
internal import JSON

/// What version 1 and older notifications said about a purchase, for which only a shared secret vouched.
///
/// Kept beside the signed facts and never among them, so that no merge lets one of these replace a signed fact: both
/// parts are joins of their own, and trust goes before date. What is dated until ``confirmedUpTo`` counts no more,
/// since Apple was asked about it and its signed answer was merged.
///
/// Bounded by date, which is also what a confirmation and an erasure remove by: the same in every order, whatever a
/// forged statement says of its transaction.
package struct LegacyFacts: Hashable, Sendable {
    package private(set) var transactions = Transactions()
    package private(set) var renewal: RenewalFacts?
    package private(set) var status: StatusFacts?
    private(set) var history = PurchaseEvents()
    /// What was dated until then is settled: Apple's signed answer says all that counts.
    package private(set) var confirmedUpTo: AppStoreInstant?

    init() {}

    var isEmpty: Bool { isSettled && history.values.isEmpty && confirmedUpTo == nil }

    /// Nothing of it can change an answer.
    package var isSettled: Bool { transactions.isEmpty && renewal == nil && status == nil }

    /// Notifications, oldest first.
    package var events: [PurchaseEvent] { history.values }

    /// The latest moment that anything of it is dated at.
    var latestDate: AppStoreInstant {
        var latest = max(history.values.last?.signedDate ?? .earliest, confirmedUpTo ?? .earliest)
        for transaction in transactions.values { latest = max(latest, transaction.version.signedDate) }
        for version in [renewal?.version, status?.version] { latest = max(latest, version?.signedDate ?? .earliest) }
        return latest
    }

    /// The account that the latest transaction names.
    var appAccountToken: AppAccountToken? {
        transactions.values.last { $0.appAccountToken != nil }?.appAccountToken
    }

    // MARK: Merging

    mutating func merge(
        _ other: LegacyFacts, erasedAt: AppStoreInstant?, _ outcome: inout PurchaseFacts.MergeOutcome
    ) {
        if let moment = other.confirmedUpTo, confirm(upTo: moment, erasedAt: erasedAt) { outcome.isChanged = true }
        for transaction in other.transactions.values { take(transaction, erasedAt: erasedAt, &outcome) }
        if let facts = other.renewal { take(facts, erasedAt: erasedAt, &outcome) }
        if let facts = other.status { take(facts, erasedAt: erasedAt, &outcome) }
        for event in other.history.values where take(event, erasedAt: erasedAt) { outcome.isChanged = true }
    }

    mutating func take(
        _ offered: TransactionFacts, erasedAt: AppStoreInstant?, _ outcome: inout PurchaseFacts.MergeOutcome
    ) {
        guard counts(offered.version.signedDate, erasedAt) else {
            outcome.isStale = true
            return
        }
        switch transactions.take(offered, latest: FactsBounds.legacyTransactions) {
        case .taken: outcome.isChanged = true
        case .stale: outcome.isStale = true
        case .known: break
        }
    }

    mutating func take(
        _ offered: RenewalFacts, erasedAt: AppStoreInstant?, _ outcome: inout PurchaseFacts.MergeOutcome
    ) {
        take(offered, into: \.renewal, erasedAt, &outcome)
    }

    mutating func take(
        _ offered: StatusFacts, erasedAt: AppStoreInstant?, _ outcome: inout PurchaseFacts.MergeOutcome
    ) {
        take(offered, into: \.status, erasedAt, &outcome)
    }

    /// - Returns: whether it was not known, or not so. A confirmation leaves the history alone.
    mutating func take(_ event: PurchaseEvent, erasedAt: AppStoreInstant?) -> Bool {
        if let erasedAt, event.signedDate <= erasedAt { return false }
        return history.take(event, atMost: FactsBounds.legacyEvents)
    }

    private mutating func take<Facts: VersionedFacts>(
        _ offered: Facts, into place: WritableKeyPath<LegacyFacts, Facts?>, _ erasedAt: AppStoreInstant?,
        _ outcome: inout PurchaseFacts.MergeOutcome
    ) {
        guard counts(offered.version.signedDate, erasedAt) else {
            outcome.isStale = true
            return
        }
        guard let known = self[keyPath: place] else {
            self[keyPath: place] = offered
            outcome.isChanged = true
            return
        }
        if Facts.isNewer(offered, than: known) {
            self[keyPath: place] = offered
            outcome.isChanged = true
        } else if offered.version != known.version {
            outcome.isStale = true
        }
    }

    private func counts(_ date: AppStoreInstant, _ erasedAt: AppStoreInstant?) -> Bool {
        date > confirmedUpTo ?? erasedAt ?? .earliest || confirmedUpTo == nil && erasedAt == nil
    }

    // MARK: Settling

    /// Nothing dated until then counts any more, now and whenever it comes again.
    ///
    /// - Returns: whether that is new.
    mutating func confirm(upTo moment: AppStoreInstant, erasedAt: AppStoreInstant?) -> Bool {
        // An erasure says as much of what is before it.
        guard moment > confirmedUpTo ?? erasedAt ?? .earliest else { return false }
        confirmedUpTo = moment
        removeAll(datedUpTo: moment)
        return true
    }

    mutating func erase(upTo moment: AppStoreInstant) {
        removeAll(datedUpTo: moment)
        history.removeAll(signedUpTo: moment)
        if let confirmedUpTo, confirmedUpTo <= moment { self.confirmedUpTo = nil }
    }

    private mutating func removeAll(datedUpTo moment: AppStoreInstant) {
        transactions.removeAll { $0.version.signedDate <= moment }
        if let renewal, renewal.version.signedDate <= moment { self.renewal = nil }
        if let status, status.version.signedDate <= moment { self.status = nil }
    }
}

// MARK: JSON

extension LegacyFacts {
    /// Writes the members of an object: as those of the signed facts are named.
    func write(to object: inout JSONWriter) {
        object.set("confirmedUpTo", confirmedUpTo)
        if let renewal {
            object.name("renewalInfo")
            renewal.writeObject(to: &object)
        }
        if let status {
            object.name("status")
            status.writeObject(to: &object)
        }
        transactions.write(to: &object)
        history.write(to: &object)
    }

    /// Reads what ``write(to:)`` wrote; nil for dense texts that it does not write.
    ///
    /// - Parameter keepsText: the text is one that this library wrote.
    init?(_ element: JSONElement, keepsText: Bool) {
        var fields = FieldReader(element)
        let traits = fields.objects("traits").map(TransactionTraits.init(_:))
        guard let transactionText = fields.dense("transactions"), let eventText = fields.dense("events"),
            let transactions = Transactions(dense: transactionText, traits: traits),
            let events = PurchaseEvents(dense: eventText, kinds: fields.element("eventKinds"))
        else { return nil }
        if let moment = fields.instant("confirmedUpTo") { _ = confirm(upTo: moment, erasedAt: nil) }
        var outcome = PurchaseFacts.MergeOutcome()
        // What claims to be signed is not, wherever else it is kept.
        for transaction in transactions.values where !transaction.version.isSigned {
            take(transaction, erasedAt: nil, &outcome)
        }
        if let facts = fields.object("renewalInfo").flatMap({ RenewalFacts($0, keepsText: keepsText) }),
            !facts.version.isSigned
        {
            take(facts, erasedAt: nil, &outcome)
        }
        if let facts = fields.object("status").flatMap(StatusFacts.init(_:)), !facts.version.isSigned {
            take(facts, erasedAt: nil, &outcome)
        }
        for event in events.values where !event.isSigned { _ = take(event, erasedAt: nil) }
    }
}

extension FieldReader {
    /// Empty where there is none, nil where it is no dense text.
    mutating func dense(_ name: StaticString) -> DenseReader? {
        guard let element = element(name) else { return DenseReader([], 0..<0) }
        return element.plainTextRange.map { DenseReader(element.document.bytes, $0) }
    }
}
