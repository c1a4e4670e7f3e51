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

    /// The transaction that decides about the subscription: of those that were not upgraded and add no seats the one with
    /// the greatest purchaseDate; ties by expiresDate, then signedDate, then transactionId. Nil if there is none.
    package var currentTransaction: TransactionFacts? { latestPeriod { !isUpgraded($0) } }

    /// As ``currentTransaction``, among the transactions made by then. An upgrade that lies later has not happened.
    func currentTransaction(asOf instant: AppStoreInstant) -> TransactionFacts? {
        let hasLater = transactions.values.contains { $0.isPeriod && $0.start > instant }
        return latestPeriod { $0.start <= instant && (hasLater || !isUpgraded($0)) }
    }

    /// Seat additions of the period of a transaction.
    func seatAdditions(to transaction: TransactionFacts) -> [TransactionFacts] {
        guard let expiresDate = transaction.expiresDate, transactions.values.contains(where: { $0.isSeatAddition })
        else {
            return []
        }
        return orderedTransactions.filter {
            $0.isSeatAddition && $0.isAutoRenewable && $0.start >= transaction.start && $0.start < expiresDate
        }
    }

    /// The latest transaction of those that compete.
    private func latestPeriod(_ isIncluded: (TransactionFacts) -> Bool) -> TransactionFacts? {
        var latest: TransactionFacts?
        // The latest come last: only those of the same start can be later still.
        for transaction in transactions.values.reversed() {
            if let latest, transaction.start < latest.start { break }
            guard transaction.isPeriod, isIncluded(transaction) else { continue }
            if latest.map({ Self.isEarlier($0, than: transaction) }) ?? true { latest = transaction }
        }
        return latest
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

    /// The account the purchase belongs to: the appAccountToken of the latest transaction that has one, else the renewal
    /// info's, else the last one named, else that of the purchase it continues; else the newest claim of the app. Nil
    /// while unclaimed.
    package var appAccountToken: AppAccountToken? {
        purchasedToken ?? newestClaim?.appAccountToken
    }

    /// The app's newest claim, on this purchase or on the one that it continues.
    package var newestClaim: OwnerClaim? { .newer(claim, transferredClaim) }

    /// The account that Apple's own facts name; no claim changes it.
    package var purchasedToken: AppAccountToken? {
        (latest { $0.appAccountToken }) ?? renewal?.appAccountToken ?? namedAccount?.appAccountToken
            ?? transferredToken?.appAccountToken
    }

    /// Links to the customer's other purchases in the app.
    package var appTransactionId: AppTransactionId? { (latest { $0.appTransactionId }) ?? renewal?.appTransactionId }

    /// The purchase this one continues after a migration to Advanced Commerce; its account link is transferred.
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
