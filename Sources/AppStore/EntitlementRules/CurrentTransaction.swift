package import AppStoreModel

extension ChainFacts {
    /// Whether a purchase was replaced by an upgrade: Apple says so in its own transaction, or an upgrade was signed
    /// after that transaction's last word and before its period ended.
    package func isUpgraded(_ purchase: PurchaseFacts) -> Bool {
        if purchase.isUpgraded { return true }
        guard let expiresDate = purchase.expiresDate else { return false }
        return upgrades.contains { transactionId, signedDate in
            guard transactionId != purchase.transactionId, purchase.version.signedDate < signedDate,
                let successor = purchases[transactionId]
            else { return false }
            return successor.start < expiresDate
        }
    }

    /// The purchase that decides about the subscription: of those that were not upgraded and add no seats the one with
    /// the greatest purchaseDate; ties by expiresDate, then signedDate, then transactionId. Nil if there is none.
    package var currentPurchase: PurchaseFacts? { latestPurchase { !isUpgraded($0) } }

    /// As ``currentPurchase``, among the purchases made by then. An upgrade that lies later has not happened.
    func currentPurchase(asOf instant: AppStoreInstant) -> PurchaseFacts? {
        let hasLater = purchases.values.contains { Self.competes($0) && $0.start > instant }
        return latestPurchase { $0.start <= instant && (hasLater || !isUpgraded($0)) }
    }

    /// Seat additions of the period of a purchase.
    func seatAdditions(to purchase: PurchaseFacts) -> [PurchaseFacts] {
        guard let expiresDate = purchase.expiresDate, purchases.values.contains(where: { $0.isSeatAddition })
        else {
            return []
        }
        return orderedPurchases.filter {
            $0.isSeatAddition && $0.isAutoRenewable && $0.start >= purchase.start && $0.start < expiresDate
        }
    }

    private static func competes(_ purchase: PurchaseFacts) -> Bool {
        purchase.isAutoRenewable && !purchase.isSeatAddition
    }

    /// The latest purchase of those that compete.
    private func latestPurchase(_ isIncluded: (PurchaseFacts) -> Bool) -> PurchaseFacts? {
        var latest: PurchaseFacts?
        for purchase in purchases.values where Self.competes(purchase) && isIncluded(purchase) {
            guard let known = latest else {
                latest = purchase
                continue
            }
            if Self.isEarlier(known, than: purchase) { latest = purchase }
        }
        return latest
    }

    private static func isEarlier(_ one: PurchaseFacts, than other: PurchaseFacts) -> Bool {
        let (expiry, otherExpiry) = (one.expiresDate ?? .earliest, other.expiresDate ?? .earliest)
        if one.start != other.start { return one.start < other.start }
        if expiry != otherExpiry { return expiry < otherExpiry }
        if one.version.signedDate != other.version.signedDate {
            return one.version.signedDate < other.version.signedDate
        }
        return one.transactionId < other.transactionId
    }

    /// The account the chain belongs to: the appAccountToken of the latest purchase that has one, else the renewal
    /// info's, else that of the chain it goes on from; else the app's own claim, the newest of both. Nil while unclaimed.
    package var appAccountToken: AppAccountToken? {
        purchasedToken ?? newestClaim?.appAccountToken
    }

    /// The app's last word, on this chain or on the one that it goes on from.
    package var newestClaim: OwnerClaim? { .newer(claim, inheritedClaim) }

    /// The account that Apple's own facts name; no claim changes it.
    package var purchasedToken: AppAccountToken? {
        (latest { $0.appAccountToken }) ?? renewal?.appAccountToken ?? inheritedToken?.appAccountToken
    }

    /// Links to the customer's other purchases in the app.
    package var appTransactionId: AppTransactionId? { (latest { $0.appTransactionId }) ?? renewal?.appTransactionId }

    /// The chain this one continues after a migration to Advanced Commerce; its account link is inherited.
    package var previousOriginalTransactionId: OriginalTransactionId? {
        latest { $0.previousOriginalTransactionId }
    }

    /// What the latest purchase that says anything of the kind says.
    private func latest<Value>(_ value: (PurchaseFacts) -> Value?) -> Value? {
        var latest: (start: AppStoreInstant, id: TransactionId, value: Value)?
        for purchase in purchases.values {
            guard let value = value(purchase) else { continue }
            if let latest, (purchase.start, purchase.transactionId) < (latest.start, latest.id) { continue }
            latest = (purchase.start, purchase.transactionId, value)
        }
        return latest?.value
    }

    /// Whether this is a subscription that renews by itself.
    package var isSubscription: Bool {
        renewal != nil || status != nil || purchases.values.contains { $0.isAutoRenewable }
    }
}
