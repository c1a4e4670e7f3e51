package import AppStoreModel

/// A query to Apple about a purchase identified by version 1 notifications.
package struct LegacyQuestion: Hashable, Sendable {
    /// The time when the query is due: the receipt of the oldest unsettled fact, the next attempt to confirm a
    /// cancellation, or the unreported end of the period, whichever is first.
    package var due: AppStoreInstant
    /// The IDs of the facts that an answer settles.
    package var ids: [LegacyFactId]
    /// The transactions whose signed copies are requested, latest receipt first.
    package var transactions: [TransactionId]
}

extension PurchaseFacts {
    /// If the signed transaction does not show a cancellation yet, Apple is queried again after these delays, in
    /// milliseconds after the receipt of the cancellation. After the last of them, Apple's signed statement prevails.
    static let contestedSteps: [Int64] = [300_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000, 72 * 3_600_000]

    /// The next query, due now or later, or nil if there is none.
    ///
    /// The query depends only on the facts, so all replicas make the same query and a restart does not repeat it.
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

    /// The facts that an answer to a query sent now would settle. These are all facts received so far that are in
    /// neither ``LegacyFacts/confirmed`` nor ``LegacyFacts/setAside``, including those that currently agree with Apple,
    /// because the answer may contradict them (app-store.md 12.4).
    package var answeredLegacyIds: [LegacyFactId] {
        guard let legacy else { return [] }
        return legacy.ids.filter { !legacy.setAside.covers($0) && !legacy.confirmed.contains($0) }
    }

    /// Returns the time to query Apple about a cancellation, or nil once the signed transaction shows the cancellation
    /// or the last attempt was made.
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
    /// notification for a plain expiry, so Apple is queried once. Nil if renewal is off and there is no grace period,
    /// because in that case the end is already known.
    private var unheardEnd: AppStoreInstant? {
        guard let end = latestPeriod({ !isUpgraded($0) && $0.revocationDate == nil })?.expiresDate,
            renewal?.autoRenewStatus != .off || renewal?.gracePeriodExpiresDate != nil
        else { return nil }
        let dates = [renewal?.version.signedDate, status?.version.signedDate, latestTransaction?.version.signedDate]
        let latest = dates.compactMap { $0 }.max() ?? .earliest
        return [end, renewal?.gracePeriodExpiresDate].compactMap { $0 }.sorted().first { $0 >= latest }
    }
}
