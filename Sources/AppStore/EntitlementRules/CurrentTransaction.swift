package import AppStoreModel

extension PurchaseFacts {
    /// Whether a transaction was replaced by an upgrade: Apple says so in its own transaction, or an upgrade was signed
    /// after that transaction's last word and before its period ended.
    package func isUpgraded(_ transaction: TransactionFacts) -> Bool {
        if transaction.isUpgraded { return true }
        guard let expiresDate = transaction.expiresDate else { return false }
        return upgrades.contains { transactionId, signedDate in
            guard transactionId != transaction.transactionId, transaction.version.signedDate < signedDate,
                let successor = transactions[transactionId]
            else { return false }
            return successor.start < expiresDate
        }
    }

    /// The transaction that decides about the subscription: of those that were not upgraded and add no seats the one with
    /// the greatest purchaseDate; ties by expiresDate, then signedDate, then transactionId. Nil if there is none.
    package var currentTransaction: TransactionFacts? { latestTransaction { !isUpgraded($0) } }

    /// As ``currentTransaction``, among the transactions made by then. An upgrade that lies later has not happened.
    func currentTransaction(asOf instant: AppStoreInstant) -> TransactionFacts? {
        let hasLater = transactions.values.contains { Self.competes($0) && $0.start > instant }
        return latestTransaction { $0.start <= instant && (hasLater || !isUpgraded($0)) }
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

    private static func competes(_ transaction: TransactionFacts) -> Bool {
        transaction.isAutoRenewable && !transaction.isSeatAddition
    }

    /// The latest transaction of those that compete.
    private func latestTransaction(_ isIncluded: (TransactionFacts) -> Bool) -> TransactionFacts? {
        var latest: TransactionFacts?
        for transaction in transactions.values where Self.competes(transaction) && isIncluded(transaction) {
            guard let known = latest else {
                latest = transaction
                continue
            }
            if Self.isEarlier(known, than: transaction) { latest = transaction }
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
    /// info's, else that of the purchase it goes on from; else the app's own claim, the newest of both. Nil while unclaimed.
    package var appAccountToken: AppAccountToken? {
        purchasedToken ?? newestClaim?.appAccountToken
    }

    /// The app's last word, on this purchase or on the one that it goes on from.
    package var newestClaim: OwnerClaim? { .newer(claim, transferredClaim) }

    /// The account that Apple's own facts name; no claim changes it.
    package var purchasedToken: AppAccountToken? {
        (latest { $0.appAccountToken }) ?? renewal?.appAccountToken ?? transferredToken?.appAccountToken
    }

    /// Links to the customer's other transactions in the app.
    package var appTransactionId: AppTransactionId? { (latest { $0.appTransactionId }) ?? renewal?.appTransactionId }

    /// The purchase this one continues after a migration to Advanced Commerce; its account link is transferred.
    package var previousOriginalTransactionId: OriginalTransactionId? {
        latest { $0.previousOriginalTransactionId }
    }

    /// What the latest transaction that says anything of the kind says.
    private func latest<Value>(_ value: (TransactionFacts) -> Value?) -> Value? {
        var latest: (start: AppStoreInstant, id: TransactionId, value: Value)?
        for transaction in transactions.values {
            guard let value = value(transaction) else { continue }
            if let latest, (transaction.start, transaction.transactionId) < (latest.start, latest.id) { continue }
            latest = (transaction.start, transaction.transactionId, value)
        }
        return latest?.value
    }

    /// Whether this is a subscription that renews by itself.
    package var isSubscription: Bool {
        renewal != nil || status != nil || transactions.values.contains { $0.isAutoRenewable }
    }
}
