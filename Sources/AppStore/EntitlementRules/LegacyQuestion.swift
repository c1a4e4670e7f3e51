package import AppStoreModel

/// A question for Apple about a purchase that version 1 notifications named.
package struct LegacyQuestion: Hashable, Sendable {
    /// From when on: the receipt of the oldest fact that is not settled, or a moment at which Apple is asked again.
    package var due: AppStoreInstant
    /// All that was received until now: what an answer settles.
    package var ids: [LegacyFactId]
    /// Transactions that a signed copy is wanted of, the latest by receipt first.
    package var transactions: [TransactionId]
}

extension PurchaseFacts {
    /// How long after the receipt of a cancellation Apple is asked again while the signed transaction does not show it, in
    /// milliseconds; after the last one what Apple signed holds.
    static let contestedSteps: [Int64] = [300_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000, 72 * 3_600_000]

    /// The question that Apple is asked now or later; nil for none.
    ///
    /// It depends on the facts alone, so that every replica asks the same, and a restart asks nothing again.
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

    /// The facts that an answer to a question of now settles: all that were received, also one that says the same as Apple so
    /// far, since the answer may say something else (app-store.md 12.4).
    package var answeredLegacyIds: [LegacyFactId] {
        guard let legacy else { return [] }
        return legacy.ids.filter { !legacy.setAside.covers($0) && !legacy.confirmed.contains($0) }
    }

    /// When Apple is asked about a cancellation; nil once the signed transaction shows it, and after the last time.
    private func contestedMoment(of ended: TransactionFacts, _ legacy: LegacyFacts) -> AppStoreInstant? {
        let receipt = ended.version.signedDate
        guard let signed = transactions[ended.key] else { return receipt }
        guard signed.revocationDate == nil, !isUpgraded(signed) else { return nil }
        let signedDate = signed.version.signedDate
        let first = receipt.advanced(byMilliseconds: Self.settlingMilliseconds)
        if signedDate <= first, !legacy.confirmed.covers(ended.version) { return receipt }
        return Self.contestedSteps.map { receipt.advanced(byMilliseconds: $0) }.first { $0 >= signedDate }
    }

    /// The end of the period, or of its grace period, if Apple has signed nothing since: version 1 has no word for a plain
    /// expiry, so Apple is asked once. Nil where renewal was switched off before: then the end is known.
    private var unheardEnd: AppStoreInstant? {
        guard let end = latestPeriod({ !isUpgraded($0) && $0.revocationDate == nil })?.expiresDate,
            renewal?.autoRenewStatus != .off || renewal?.gracePeriodExpiresDate != nil
        else { return nil }
        let dates = [renewal?.version.signedDate, status?.version.signedDate, latestTransaction?.version.signedDate]
        let latest = dates.compactMap { $0 }.max() ?? .earliest
        return [end, renewal?.gracePeriodExpiresDate].compactMap { $0 }.sorted().first { $0 >= latest }
    }
}
