package import AppStoreModel

/// Determines the time from which the facts are complete.
extension PurchaseFacts {
    /// Returns the time from which the facts are complete, or nil if they are already complete at `instant`. An answer
    /// based on incomplete facts may differ from the one originally given.
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

    /// Returns the time from which the statements about a transaction are complete, or nil if they are already complete
    /// at `instant`. Apple must have signed the transaction again after `instant`.
    private func knownSince(_ transaction: TransactionFacts, before instant: AppStoreInstant) -> AppStoreInstant? {
        let later = events.filter { $0.key == transaction.key && $0.signedDate > instant }
        switch telling(of: transaction, by: instant) {
        case .later:
            // The transaction may have been known before its first notification, from an upload by the app or a
            // response from the App Store Server API.
            return transaction.start <= instant ? later.first?.signedDate : nil
        case .unknown: return transaction.version.signedDate
        case .told: break
        }
        // A seat refund overwrites the number of seats, and an extension overwrites the previous end of the period.
        let change = later.last { $0.notificationType == .renewalExtended || $0.isRefundOfSeats }
        let moments = [change?.signedDate, revocationKnownSince(transaction, before: instant)]
        return moments.compactMap { $0 }.max()
    }

    /// Returns the time from which all revocations of a transaction are known, or nil if they are already known at
    /// `instant`.
    private func revocationKnownSince(
        _ transaction: TransactionFacts, before instant: AppStoreInstant
    ) -> AppStoreInstant? {
        let told = revocationEvents(of: transaction)
        let next = told.first { $0.signedDate > instant }?.signedDate
        var moments: [AppStoreInstant?] = []
        // If the first stored statement reverses a revocation, that revocation is not stored.
        if let first = told.first, !first.isRevocation { moments.append(first.signedDate) }
        // The refunded share of a consumable is overwritten by the next statement.
        if transaction.type == .consumable, told.last(where: { $0.signedDate <= instant })?.isRevocation == true {
            moments.append(next)
        }
        // The next statement also overwrites which items are revoked.
        if !transaction.items.isEmpty { moments.append(told.last { $0.signedDate > instant }?.signedDate) }
        // The app may have uploaded the revocation before Apple's notification arrived.
        let dates = [transaction.revocationDate] + transaction.items.map(\.revocationDate)
        for date in dates.compactMap({ $0 }) where date <= instant {
            let isTold = told.contains { $0.isRevocation && date <= $0.signedDate && $0.signedDate <= instant }
            if !isTold { moments.append(next ?? transaction.version.signedDate) }
        }
        return moments.compactMap { $0 }.max()
    }

    /// Returns the time from which the statements about the renewal are complete, or nil if they are already complete
    /// at `instant` or access at that time did not depend on them. Access depended on them if the period had ended and
    /// the status was not decisive.
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
