package import AppStoreModel

/// How far back the facts are complete.
extension PurchaseFacts {
    /// The moment from which the facts are complete, if it is after `instant`: an answer about an earlier moment may differ
    /// from the answer given then. Nil if the facts about `instant` are complete.
    package func whollyKnownSince(before instant: AppStoreInstant) -> AppStoreInstant? {
        var since = transactions.firstPeriodOfMany?.start ?? .earliest
        if latestSignedDate > instant {
            if let first = events.first, events.count >= FactsBounds.events { since = max(since, first.signedDate) }
            for transaction in transactions.values where transaction.version.signedDate > instant {
                if let moment = knownSince(transaction, before: instant) { since = max(since, moment) }
            }
            if let moment = renewalKnownSince(before: instant) { since = max(since, moment) }
        }
        return since > instant ? since : nil
    }

    /// The moment from which the statements about a transaction are complete. Apple signed it again after `instant`.
    private func knownSince(_ transaction: TransactionFacts, before instant: AppStoreInstant) -> AppStoreInstant? {
        let later = events.filter { $0.key == transaction.key && $0.signedDate > instant }
        switch telling(of: transaction, by: instant) {
        case .later:
            // The app may have handed it in, or an answer of Apple's have had it, before the first notification.
            return transaction.start <= instant ? later.first?.signedDate : nil
        case .unknown: return transaction.version.signedDate
        case .told: break
        }
        // How long the period was before it was extended, and how many seats it had before a refund, is not kept.
        let change = later.last { $0.notificationType == .renewalExtended || $0.isRefundOfSeats }
        let moments = [change?.signedDate, revocationKnownSince(transaction, before: instant)]
        return moments.compactMap { $0 }.max()
    }

    /// The moment from which the revocations of a transaction are complete.
    private func revocationKnownSince(
        _ transaction: TransactionFacts, before instant: AppStoreInstant
    ) -> AppStoreInstant? {
        let told = revocationEvents(of: transaction)
        let next = told.first { $0.signedDate > instant }?.signedDate
        var moments: [AppStoreInstant?] = []
        // An earlier revocation is not kept where the first statement that is kept takes it back.
        if let first = told.first, !first.isRevocation { moments.append(first.signedDate) }
        // Nor is the share that a refund took of a consumable, before the next statement.
        if transaction.type == .consumable, told.last(where: { $0.signedDate <= instant })?.isRevocation == true {
            moments.append(next)
        }
        // Nor are the items that were revoked.
        if !transaction.items.isEmpty { moments.append(told.last { $0.signedDate > instant }?.signedDate) }
        // A revocation may have been in a transaction that the app handed in, before Apple's notification of it.
        let dates = [transaction.revocationDate] + transaction.items.map(\.revocationDate)
        for date in dates.compactMap({ $0 }) where date <= instant {
            let isTold = told.contains { $0.isRevocation && date <= $0.signedDate && $0.signedDate <= instant }
            if !isTold { moments.append(next ?? transaction.version.signedDate) }
        }
        return moments.compactMap { $0 }.max()
    }

    /// The moment from which the statements about the renewal are complete, if access at `instant` depended on them: the
    /// period had ended, and no status decided.
    private func renewalKnownSince(before instant: AppStoreInstant) -> AppStoreInstant? {
        guard let renewal, renewal.version.signedDate > instant, isSubscription,
            let evidence = evidence(asOf: instant), let current = evidence.current(at: instant),
            current.expiresDate(at: instant).map({ $0 <= instant }) ?? false
        else { return nil }
        switch evidence.status?.status {
        case .some(.expired), .some(.billingRetry): return nil
        default: return renewal.version.signedDate
        }
    }
}
