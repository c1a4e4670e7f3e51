internal import AppStoreModel

/// Statements from version 1 notifications that Apple's signed statements have not settled.
struct UnsettledLegacy: Sendable {
    var transactions: [TransactionFacts] = []
    /// Transactions that were cancelled or replaced by an upgrade.
    var endedTransactions: [TransactionFacts] = []
    var renewal: UnsignedRenewal?
    /// The newest body that identifies the purchase but none of its transactions.
    var unresolved: LegacyFactId?

    var isEmpty: Bool {
        transactions.isEmpty && endedTransactions.isEmpty && renewal == nil && unresolved == nil
    }

    var ids: [LegacyFactId] {
        (transactions + endedTransactions).map(\.version)
            + [renewal.map { LegacyFactId($0.facts.version) }, unresolved].compactMap { $0 }
    }
}

/// Combines signed facts with facts from version 1 notifications.
///
/// An unsigned fact is settled by a statement that Apple signed after the fact was received: either a confirmation that
/// lists the fact, or a signed statement about the same object. Dates in the body of an unsigned fact are never
/// compared with signed dates.
extension PurchaseFacts {
    /// The minimum time, in milliseconds, from the receipt of an unsigned fact until a signed statement about the same
    /// object can settle it. Apple's API may show a change later than the notification reports it.
    static let settlingMilliseconds: Int64 = 300_000

    /// Unsigned facts that apply under `accept` and await confirmation under `confirm`, or nil if there are none.
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

    /// Whether version 1 notifications contain statements that Apple has not settled.
    package var hasUnsettledLegacy: Bool { unsettledLegacy != nil }

    private func isSettled(_ unsigned: TransactionFacts, _ legacy: LegacyFacts, newestStart: AppStoreInstant) -> Bool {
        let id = unsigned.version
        if legacy.setAside.covers(id) { return true }
        guard let signed = transactions[unsigned.key] else {
            // An unsigned transaction that is newer than all signed transactions is settled only by a signed copy.
            return unsigned.start <= newestStart && legacy.confirmed.covers(id)
        }
        if signed.expiresDate ?? .latest >= unsigned.expiresDate ?? .earliest { return true }
        return legacy.confirmed.covers(id) || Self.settles(signed.version.signedDate, id)
    }

    /// Returns whether a cancellation is settled: either Apple did not confirm it in time (``LegacyFacts/setAside``),
    /// or there is a signed copy of the transaction that shows the cancellation or was signed so much later that it
    /// would have to show it. A confirmation alone does not settle a cancellation.
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

    /// The unsettled transactions known only from version 1 notifications, latest receipt first.
    package var unsignedTransactions: [TransactionFacts] {
        guard let unsettled = unsettledLegacy else { return [] }
        let ended = Set(unsettled.endedTransactions.map(\.key))
        return (unsettled.endedTransactions + unsettled.transactions.filter { !ended.contains($0.key) })
            .filter { transactions[$0.key] == nil }.sorted { ($1.version, $1.key) < ($0.version, $0.key) }
    }

    /// The purchase combined with its unsettled version 1 facts: additional transactions, ends of signed transactions,
    /// and a renewal that replaces the signed one. The status computed from version 1 notifications is ignored, and the
    /// signed status is removed with the renewal that it belongs to.
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

    /// Whether Apple has signed any statement about the purchase.
    package var hasSignedFacts: Bool { !transactions.isEmpty || renewal != nil || status != nil }

    /// All notifications about this purchase, signed or not, oldest first.
    package var allEvents: [PurchaseEvent] {
        guard let legacy, !legacy.events.isEmpty else { return events }
        return (events + legacy.events).sorted { PurchaseEvent.isOlder($0, than: $1) }
    }
}

extension TransactionFacts {
    /// Returns a known transaction, extended if the unsigned statement has a later end. The unsigned statement cannot
    /// reverse a revocation or change anything else. If no transaction is known, returns the statement itself.
    fileprivate func extending(_ known: TransactionFacts?) -> TransactionFacts {
        guard let known else { return self }
        return TransactionFacts(
            key: known.key, version: known.version, start: known.start,
            expiresDate: known.expiresDate.map { max($0, expiresDate ?? $0) },
            revocationDate: known.revocationDate, traits: known.traits)
    }

    /// Returns a known transaction, marked as cancelled or replaced according to an unsigned statement. If no
    /// transaction is known, returns the statement itself.
    fileprivate func ending(_ known: TransactionFacts?) -> TransactionFacts {
        guard let known else { return self }
        return TransactionFacts(
            key: known.key, version: version, start: known.start, expiresDate: known.expiresDate,
            revocationDate: revocationDate, traits: isUpgraded ? traits : known.traits)
    }
}
