internal import AppStoreModel

/// Statements of version 1 notifications about a purchase that Apple's signed answers have not settled.
struct UnsettledLegacy: Sendable {
    var transactions: [TransactionFacts] = []
    /// Cancelled, or replaced by an upgrade.
    var endedTransactions: [TransactionFacts] = []
    var renewal: UnsignedRenewal?
    /// A body that names the purchase and no transaction of it.
    var unresolved: LegacyFactId?

    var isEmpty: Bool {
        transactions.isEmpty && endedTransactions.isEmpty && renewal == nil && unresolved == nil
    }

    var ids: [LegacyFactId] {
        (transactions + endedTransactions).map(\.version)
            + [renewal.map { LegacyFactId($0.facts.version) }, unresolved].compactMap { $0 }
    }
}

/// How signed facts and those of version 1 notifications go together.
///
/// An unsigned fact is settled by what Apple signed after it was received: a confirmation that lists it, or a signed
/// statement about the same object. No date in its body is compared with a signed one.
extension PurchaseFacts {
    /// How long after the receipt of an unsigned fact a signed statement about the same object settles it, in
    /// milliseconds: Apple's API may show a change later than the notification tells it.
    static let settlingMilliseconds: Int64 = 300_000

    /// Unsigned facts that count where they are accepted, and wait where they are to be confirmed. Nil for none.
    var unsettledLegacy: UnsettledLegacy? {
        guard let legacy, legacy.hasFacts else { return nil }
        var unsettled = UnsettledLegacy()
        let newestStart = transactions.values.last?.start ?? .earliest
        unsettled.transactions = legacy.transactions.values.filter { !isSettled($0, legacy, newestStart: newestStart) }
        unsettled.endedTransactions = legacy.endedTransactions.values.filter { !isEndSettled($0, legacy) }
        if let renewal = legacy.renewal, !isSettled(renewal, legacy) { unsettled.renewal = renewal }
        if let id = legacy.unresolved, !legacy.setAside.covers(id), !legacy.confirmed.covers(id) {
            unsettled.unresolved = id
        }
        return unsettled.isEmpty ? nil : unsettled
    }

    /// Whether version 1 notifications say something that Apple has not settled.
    package var hasUnsettledLegacy: Bool { unsettledLegacy != nil }

    private func isSettled(_ unsigned: TransactionFacts, _ legacy: LegacyFacts, newestStart: AppStoreInstant) -> Bool {
        let id = unsigned.version
        if legacy.setAside.covers(id) { return true }
        guard let signed = transactions[unsigned.key] else {
            // One that is newer than everything signed counts as Apple signs it, and not before.
            return unsigned.start <= newestStart && legacy.confirmed.covers(id)
        }
        if signed.expiresDate ?? .latest >= unsigned.expiresDate ?? .earliest { return true }
        return legacy.confirmed.covers(id) || Self.settles(signed.version.signedDate, id)
    }

    /// A cancellation is settled by a signed copy of its transaction only: one that shows it, or one of so much later that
    /// Apple would show it.
    private func isEndSettled(_ unsigned: TransactionFacts, _ legacy: LegacyFacts) -> Bool {
        if legacy.setAside.covers(unsigned.version) { return true }
        guard let signed = transactions[unsigned.key] else { return false }
        return signed.revocationDate != nil || isUpgraded(signed)
            || Self.settles(signed.version.signedDate, unsigned.version)
    }

    private func isSettled(_ unsigned: UnsignedRenewal, _ legacy: LegacyFacts) -> Bool {
        let id = LegacyFactId(unsigned.facts.version)
        if legacy.setAside.covers(id) || legacy.confirmed.covers(id) { return true }
        guard let renewal else { return false }
        if Self.settles(renewal.version.signedDate, id) { return true }
        let periods = (transactions.values + legacy.allTransactions).filter { $0.start == unsigned.periodStart }
        return unsigned.isSame(as: renewal, until: periods.compactMap(\.expiresDate).max())
    }

    private static func settles(_ signedDate: AppStoreInstant, _ id: LegacyFactId) -> Bool {
        signedDate > id.signedDate.advanced(byMilliseconds: settlingMilliseconds)
    }

    /// Transactions that only version 1 notifications name and that are not settled, the latest by receipt first.
    package var unsignedTransactions: [TransactionFacts] {
        guard let unsettled = unsettledLegacy else { return [] }
        let ended = Set(unsettled.endedTransactions.map(\.key))
        return (unsettled.endedTransactions + unsettled.transactions.filter { !ended.contains($0.key) })
            .filter { transactions[$0.key] == nil }.sorted { ($1.version, $1.key) < ($0.version, $0.key) }
    }

    /// The purchase with its unsettled version 1 facts: transactions beside the signed ones, ends of signed ones, and a
    /// renewal in the place of the signed one. Their computed status counts for nothing, and the signed status belongs to
    /// the renewal that is replaced.
    var withLegacyFacts: PurchaseFacts {
        guard let unsettled = unsettledLegacy else { return self }
        var result = self
        for unsigned in unsettled.transactions {
            result.overlay(unsigned.extending(result.transactions[unsigned.key]))
        }
        for ended in unsettled.endedTransactions {
            result.overlay(ended.ending(result.transactions[ended.key]))
        }
        if let unsigned = unsettled.renewal {
            let isPast = result.transactions.values.contains { $0.start > unsigned.periodStart && !$0.isUpgraded }
            result.replaceRenewal(with: isPast ? unsigned.withoutFailure : unsigned.facts)
        }
        return result
    }

    /// Whether Apple signed anything about it.
    package var hasSignedFacts: Bool { !transactions.isEmpty || renewal != nil || status != nil }

    /// Notifications that concerned this purchase, signed or not, oldest first.
    package var allEvents: [PurchaseEvent] {
        guard let legacy, !legacy.events.isEmpty else { return events }
        return (events + legacy.events).sorted { PurchaseEvent.isOlder($0, than: $1) }
    }
}

extension TransactionFacts {
    /// A known transaction with the later end of an unsigned statement, which takes no revocation back and changes nothing
    /// else; the statement itself where none is known.
    fileprivate func extending(_ known: TransactionFacts?) -> TransactionFacts {
        guard let known else { return self }
        return TransactionFacts(
            key: known.key, version: known.version, start: known.start,
            expiresDate: known.expiresDate.map { max($0, expiresDate ?? $0) },
            revocationDate: known.revocationDate, traits: known.traits)
    }

    /// A known transaction that was cancelled or replaced as an unsigned statement says; the statement itself where none
    /// is known.
    fileprivate func ending(_ known: TransactionFacts?) -> TransactionFacts {
        guard let known else { return self }
        return TransactionFacts(
            key: known.key, version: version, start: known.start, expiresDate: known.expiresDate,
            revocationDate: revocationDate, traits: isUpgraded ? traits : known.traits)
    }
}
