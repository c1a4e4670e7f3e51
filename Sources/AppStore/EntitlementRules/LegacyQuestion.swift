package import AppStoreModel

/// A query to Apple about a purchase named by version 1 notifications.
package struct LegacyQuestion: Hashable, Sendable {
    /// When the query is due: when the oldest unsettled fact was received, or when the query must be repeated.
    package var due: AppStoreInstant
    /// Ids of all facts received so far; an answer settles them.
    package var ids: [LegacyFactId]
    /// Transactions for which a signed copy is requested, latest receipt first.
    package var transactions: [TransactionId]
}

extension PurchaseFacts {
    /// Delays after the receipt of a cancellation, in milliseconds, at which Apple is queried again while the signed
    /// transaction does not show the cancellation. After the last delay, Apple's signed statement prevails.
    static let contestedSteps: [Int64] = [300_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000, 72 * 3_600_000]

    /// The query that is due now or later; nil if there is none.
    ///
    /// It depends only on the facts, so every replica makes the same query and a restart does not repeat one.
    package var legacyQuestion: LegacyQuestion? {
        guard let legacy else { return nil }
        let unsettled = unsettledLegacy ?? UnsettledLegacy()
        var due = unsettled.transactions.map(\.version.signedDate)
        if let id = unsettled.unresolved { due.append(id.signedDate) }
        if let renewal = unsettled.renewal { due.append(renewal.facts.version.signedDate) }
        var asked = unsettled.transactions
        for ended in legacy.endedTransactions.values where !legacy.setAside.covers(ended.version) {
            guard let moment = contestedMoment(of: ended, legacy) else { continue }
            due.append(moment)
            asked.append(ended)
        }
        if let end = unheardEnd { due.append(end) }
        guard let first = due.min() else { return nil }
        let transactions = asked.sorted { ($1.version, $1.key) < ($0.version, $0.key) }.map(\.transactionId)
        var seen: Set<TransactionId> = []
        return LegacyQuestion(
            due: first, ids: answeredLegacyIds, transactions: transactions.filter { seen.insert($0).inserted })
    }

    /// The facts that an answer to a query at this moment settles: all facts received so far, including a fact that
    /// agrees with Apple now, because the answer may contradict it (app-store.md 12.4).
    package var answeredLegacyIds: [LegacyFactId] {
        guard let legacy else { return [] }
        return legacy.ids.filter { !legacy.setAside.covers($0) && !legacy.confirmed.contains($0) }
    }

    /// Returns when to query Apple about a cancellation; nil once the signed transaction shows it, and after the last
    /// attempt.
    private func contestedMoment(of ended: TransactionFacts, _ legacy: LegacyFacts) -> AppStoreInstant? {
        let receipt = ended.version.signedDate
        guard let signed = transactions[ended.key] else { return receipt }
        guard signed.revocationDate == nil, !isUpgraded(signed) else { return nil }
        let signedDate = signed.version.signedDate
        let first = receipt.advanced(byMilliseconds: Self.settlingMilliseconds)
        if signedDate <= first, !legacy.confirmed.covers(ended.version) { return receipt }
        return Self.contestedSteps.map { receipt.advanced(byMilliseconds: $0) }.first { $0 >= signedDate }
    }

    /// The end of the period, or of its grace period, if Apple has signed nothing since then. Version 1 has no
    /// notification of a plain expiry, so Apple is queried once. Nil if renewal was switched off earlier: the end is
    /// then already known.
    private var unheardEnd: AppStoreInstant? {
        guard let end = latestPeriod({ !isUpgraded($0) && $0.revocationDate == nil })?.expiresDate,
            renewal?.autoRenewStatus != .off || renewal?.gracePeriodExpiresDate != nil
        else { return nil }
        let dates = [renewal?.version.signedDate, status?.version.signedDate, latestTransaction?.version.signedDate]
        let latest = dates.compactMap { $0 }.max() ?? .earliest
        return [end, renewal?.gracePeriodExpiresDate].compactMap { $0 }.sorted().first { $0 >= latest }
    }
}
