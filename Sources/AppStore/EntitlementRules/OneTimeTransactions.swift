internal import AppStoreModel

extension PurchaseFacts {
    /// Transactions that do not renew by themselves, each non-consumable once: restoring it on another device makes a
    /// further transaction of the same purchase, and Apple tells of a refund by one of them. What Apple signed last
    /// decides for all. Source: Apple, `originalTransactionId`; developer.apple.com/forums/thread/736020.
    ///
    /// - Parameter moment: the past moment that is asked about, for transactions as they were known then; nil for the
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
    /// Whether both are transactions of one purchase of a non-consumable.
    fileprivate func isCopy(of other: TransactionFacts) -> Bool {
        type == .nonConsumable && productId == other.productId
    }

    /// Whether this statement decides about the purchase of both: the newer one, of those that were signed by then.
    fileprivate func overrides(_ other: TransactionFacts, asOf moment: AppStoreInstant?) -> Bool {
        if let moment {
            let (isSigned, isOtherSigned) = (version.signedDate <= moment, other.version.signedDate <= moment)
            if isSigned != isOtherSigned { return isSigned }
        }
        return (other.version, other.key) < (version, key)
    }
}
