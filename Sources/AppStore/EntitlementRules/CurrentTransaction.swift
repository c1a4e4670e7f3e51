package import AppStoreModel

extension PurchaseFacts {
    /// Returns whether an upgrade replaced a transaction: either the transaction itself is marked as upgraded, or an
    /// upgrade was signed after the last statement about the transaction and begins before the transaction's period
    /// ends.
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

    /// Returns the transaction that determines the state of the subscription at a given time, or nil if there is none.
    ///
    /// Among the transactions that have begun and were not upgraded, this is the one with the latest purchaseDate. In a
    /// period with added seats, it is the first transaction. Ties are broken by expiresDate, then signedDate, then
    /// transactionId. If no transaction has begun, the earliest one is returned.
    package func currentTransaction(at instant: AppStoreInstant) -> TransactionFacts? {
        competingPeriods(from: instant).first?.first
    }

    /// Returns the current period at a given time, if any, and all later periods. Apple renews up to a day early, and a
    /// renewal has no effect until it begins.
    func competingPeriods(from instant: AppStoreInstant) -> [SubscriptionPeriod] {
        let periods = periods(after: instant) { !isUpgraded($0) }
        guard let current = periods.lastIndex(where: { $0.start <= instant }), current > 0 else { return periods }
        return Array(periods[current...])
    }

    /// Groups the transactions into periods, ordered by their first transactions.
    ///
    /// - Parameter instant: the time in question; a period may be omitted if a later one has begun by then.
    private func periods(
        after instant: AppStoreInstant, _ isIncluded: (TransactionFacts) -> Bool
    ) -> [SubscriptionPeriod] {
        if transactions.values.contains(where: \.hasAddedSeats) {
            let competing = transactions.values.filter { $0.isAutoRenewable && isIncluded($0) }
            return SubscriptionPeriod.periods(of: competing).sorted { Self.isEarlier($0.first, than: $1.first) }
        }
        var periods: [SubscriptionPeriod] = []
        var latestStart: AppStoreInstant?
        // Transactions are sorted by start and visited in reverse. Once a transaction that has begun is found, only
        // others with the same start are relevant.
        for transaction in transactions.values.reversed() {
            if let latestStart, transaction.start < latestStart { break }
            guard transaction.isAutoRenewable, isIncluded(transaction) else { continue }
            if transaction.start <= instant { latestStart = transaction.start }
            periods.append(SubscriptionPeriod(first: transaction))
        }
        if periods.count > 1 { periods.sort { Self.isEarlier($0.first, than: $1.first) } }
        return periods
    }

    /// Whether Apple's newest status is "revoked" and is explained by a known revocation of the transaction sent with
    /// the status. If that transaction is not the current one, the subscription continues.
    var explainsRevokedStatus: Bool {
        guard let status, status.status == .revoked, let uuid = status.version.uuid else {
            return false
        }
        let tieBreak = TransactionVersion(status.version).tieBreak
        if transactions.values.contains(where: { $0.revocationDate != nil && $0.version.tieBreak == tieBreak }) {
            return true
        }
        // If Apple has signed the transaction again since sending the status, the version differs, but the
        // notification's stored event still identifies the transaction.
        let key = events.first { $0.uuid == uuid }?.key
        if let key, transactions[key]?.revocationDate != nil { return true }
        // A transaction older than all stored ones may still be known from the latest statement.
        guard let latestTransaction, latestTransaction.version.uuid == uuid else {
            return false
        }
        return latestTransaction.content?.revocationDate != nil
    }

    /// Returns the first transaction of the latest period among the included transactions. By default, all transactions
    /// are included, even upgraded ones.
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

    /// The identifier shared by all of the customer's purchases in the app.
    package var appTransactionId: AppTransactionId? {
        (latest { $0.appTransactionId }) ?? renewal?.appTransactionId
            ?? (isConsent ? AppTransactionId(originalTransactionId.rawValue) : nil)
    }

    /// Whether this is Apple's statement about a customer's consent rather than a purchase. If so, the
    /// originalTransactionId is the customer's appTransactionId.
    package var isConsent: Bool {
        transactions.isEmpty && renewal == nil && status == nil && consentRescindedAt != nil
    }

    /// The time when consent to a minor's use of the app was last withdrawn, according to Apple.
    package var consentRescindedAt: AppStoreInstant? {
        events.last { $0.notificationType == .rescindConsent }?.signedDate
    }

    /// The purchase that this one continues after a migration to Advanced Commerce or a switch to or from a bundle.
    /// This purchase also inherits the earlier one's account.
    package var previousOriginalTransactionId: OriginalTransactionId? {
        (latest { $0.previousOriginalTransactionId })
            ?? predecessors.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    }

    /// Returns the value from the latest transaction that has one.
    private func latest<Value>(_ value: (TransactionFacts) -> Value?) -> Value? {
        for transaction in transactions.values.reversed() {
            if let value = value(transaction) { return value }
        }
        return nil
    }

    /// Whether this purchase is an auto-renewable subscription.
    package var isSubscription: Bool {
        renewal != nil || status != nil || transactions.values.contains { $0.isAutoRenewable }
    }
}
