package import AppStoreModel

extension PurchaseFacts {
    /// Whether a transaction was replaced by an upgrade: Apple says so in its own transaction, or an upgrade was signed
    /// after the last statement about that transaction and before its period ended.
    package func isUpgraded(_ transaction: TransactionFacts) -> Bool {
        if transaction.isUpgraded { return true }
        guard let expiresDate = transaction.expiresDate else { return false }
        return upgrades.contains { key, signedDate in
            guard key != transaction.key, transaction.version.signedDate < signedDate,
                let successor = transactions[key]
            else { return false }
            return successor.start < expiresDate
        }
    }

    /// The transaction that decides about the subscription at a moment: of those that have begun and were not upgraded the
    /// one with the greatest purchaseDate, and of a period with added seats the one bought first; ties by expiresDate,
    /// then signedDate, then transactionId. Where none has begun, the earliest. Nil if there is none.
    package func currentTransaction(at instant: AppStoreInstant) -> TransactionFacts? {
        competingPeriods(from: instant).first?.first
    }

    /// The period that is current at a moment, where one has begun, and those that begin after it: Apple renews up to a day
    /// ahead, and until then everything is as before.
    func competingPeriods(from instant: AppStoreInstant) -> [SubscriptionPeriod] {
        let periods = periods(after: instant) { !isUpgraded($0) }
        guard let current = periods.lastIndex(where: { $0.start <= instant }), current > 0 else { return periods }
        return Array(periods[current...])
    }

    /// The periods that the transactions make, by the order of those that represent them.
    ///
    /// - Parameter instant: a period that ended before others began by then may be left out.
    private func periods(
        after instant: AppStoreInstant, _ isIncluded: (TransactionFacts) -> Bool
    ) -> [SubscriptionPeriod] {
        if transactions.values.contains(where: \.hasAddedSeats) {
            let competing = transactions.values.filter { $0.isAutoRenewable && isIncluded($0) }
            return SubscriptionPeriod.periods(of: competing).sorted { Self.isEarlier($0.first, than: $1.first) }
        }
        var periods: [SubscriptionPeriod] = []
        var latestStart: AppStoreInstant?
        // The latest come last: only those of the same start can be later still.
        for transaction in transactions.values.reversed() {
            if let latestStart, transaction.start < latestStart { break }
            guard transaction.isAutoRenewable, isIncluded(transaction) else { continue }
            if transaction.start <= instant { latestStart = transaction.start }
            periods.append(SubscriptionPeriod(first: transaction))
        }
        if periods.count > 1 { periods.sort { Self.isEarlier($0.first, than: $1.first) } }
        return periods
    }

    /// Whether Apple's newest status, "revoked", is about a transaction that is known to be revoked: the one that came
    /// with it. If that is not the current one, the subscription goes on.
    var explainsRevokedStatus: Bool {
        guard let status, status.status == .revoked, let uuid = status.version.uuid else {
            return false
        }
        let tieBreak = TransactionVersion(status.version).tieBreak
        if transactions.values.contains(where: { $0.revocationDate != nil && $0.version.tieBreak == tieBreak }) {
            return true
        }
        // Apple may have signed the transaction again since.
        let key = events.first { $0.uuid == uuid }?.key
        if let key, transactions[key]?.revocationDate != nil { return true }
        // It may be older than what is kept of each.
        guard let latestTransaction, latestTransaction.version.uuid == uuid else {
            return false
        }
        return latestTransaction.content?.revocationDate != nil
    }

    /// The latest period, also one that was upgraded.
    func latestPeriod(_ isIncluded: (TransactionFacts) -> Bool = { _ in true }) -> TransactionFacts? {
        periods(after: .latest, isIncluded).last?.first
    }

    private static func isEarlier(_ one: TransactionFacts, than other: TransactionFacts) -> Bool {
        let (expiry, otherExpiry) = (one.expiresDate ?? .earliest, other.expiresDate ?? .earliest)
        if one.start != other.start { return one.start < other.start }
        if expiry != otherExpiry { return expiry < otherExpiry }
        if one.version.signedDate != other.version.signedDate {
            return one.version.signedDate < other.version.signedDate
        }
        return one.transactionId < other.transactionId
    }

    /// Links to the customer's other purchases in the app.
    package var appTransactionId: AppTransactionId? {
        (latest { $0.appTransactionId }) ?? renewal?.appTransactionId
            ?? (isConsent ? AppTransactionId(originalTransactionId.rawValue) : nil)
    }

    /// Whether this is no purchase, but what Apple said about a customer's consent: its originalTransactionId is the
    /// customer's appTransactionId.
    package var isConsent: Bool {
        transactions.isEmpty && renewal == nil && status == nil && consentRescindedAt != nil
    }

    /// When Apple last said that the consent for a minor's use of the app was withdrawn.
    package var consentRescindedAt: AppStoreInstant? {
        events.last { $0.notificationType == .rescindConsent }?.signedDate
    }

    /// The purchase this one continues after a migration to Advanced Commerce or a switch of bundles; its account link is
    /// transferred.
    package var previousOriginalTransactionId: OriginalTransactionId? {
        (latest { $0.previousOriginalTransactionId })
            ?? predecessors.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    }

    /// What the latest transaction that says anything of the kind says.
    private func latest<Value>(_ value: (TransactionFacts) -> Value?) -> Value? {
        for transaction in transactions.values.reversed() {
            if let value = value(transaction) { return value }
        }
        return nil
    }

    /// Whether this is a subscription that renews by itself.
    package var isSubscription: Bool {
        renewal != nil || status != nil || transactions.values.contains { $0.isAutoRenewable }
    }
}
