internal import AppStoreModel

extension PurchaseFacts {
    /// Returns the transactions that do not renew automatically, with one transaction per non-consumable. Restoring a
    /// non-consumable on another device creates another transaction for the same purchase. Apple reports a refund in
    /// only one of these transactions, so Apple's last signed statement applies to all of them. Source: Apple,
    /// `originalTransactionId`; developer.apple.com/forums/thread/736020.
    ///
    /// - Parameter moment: a time in the past, to return the transactions as they were known then, or nil to use the
    ///   newest facts.
    func oneTimeTransactions(asOf moment: AppStoreInstant?) -> [TransactionFacts] {
        var result: [TransactionFacts] = []
        for transaction in transactions.values where !transaction.isAutoRenewable {
            if let moment, transaction.start > moment || !isKnown(transaction, at: moment) { continue }
            guard transaction.type == .nonConsumable,
                let copy = result.firstIndex(where: { $0.isCopy(of: transaction) })
            else {
                result.append(transaction)
                continue
            }
            if transaction.overrides(result[copy], asOf: moment) { result[copy] = transaction }
        }
        guard let moment else { return result }
        return result.map { asKnown($0, at: moment) }
    }
}

extension TransactionFacts {
    /// Returns whether both transactions belong to the same non-consumable purchase.
    fileprivate func isCopy(of other: TransactionFacts) -> Bool {
        type == .nonConsumable && productId == other.productId
    }

    /// Returns whether this statement takes precedence over another for the shared purchase. A statement signed no
    /// later than `moment` takes precedence over one signed afterward; otherwise, the newer one does.
    fileprivate func overrides(_ other: TransactionFacts, asOf moment: AppStoreInstant?) -> Bool {
        if let moment {
            let (isSigned, isOtherSigned) = (version.signedDate <= moment, other.version.signedDate <= moment)
            if isSigned != isOtherSigned { return isSigned }
        }
        return (other.version, other.key) < (version, key)
    }
}
