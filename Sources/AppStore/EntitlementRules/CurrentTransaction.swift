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
    package var currentPurchase: PurchaseFacts? {
        Self.latest(purchases.values.filter { Self.competes($0) && !isUpgraded($0) })
    }

    /// As ``currentPurchase``, among the purchases made by then. An upgrade that lies later has not happened.
    func currentPurchase(asOf instant: AppStoreInstant) -> PurchaseFacts? {
        let made = purchases.values.filter { Self.competes($0) && $0.start <= instant }
        let later = purchases.values.filter { Self.competes($0) && $0.start > instant }.map(\.start).min()
        return Self.latest(made.filter { later != nil || !isUpgraded($0) })
    }

    /// Seat additions of the period of a purchase.
    func seatAdditions(to purchase: PurchaseFacts) -> [PurchaseFacts] {
        guard let expiresDate = purchase.expiresDate else { return [] }
        return orderedPurchases.filter {
            $0.isSeatAddition && $0.isAutoRenewable && $0.start >= purchase.start && $0.start < expiresDate
        }
    }

    private static func competes(_ purchase: PurchaseFacts) -> Bool {
        purchase.isAutoRenewable && !purchase.isSeatAddition
    }

    private static func latest(_ purchases: [PurchaseFacts]) -> PurchaseFacts? {
        purchases.max { one, other in
            let (expiry, otherExpiry) = (one.expiresDate ?? .earliest, other.expiresDate ?? .earliest)
            if one.start != other.start { return one.start < other.start }
            if expiry != otherExpiry { return expiry < otherExpiry }
            if one.version.signedDate != other.version.signedDate {
                return one.version.signedDate < other.version.signedDate
            }
            return one.transactionId < other.transactionId
        }
    }

    /// The account the chain belongs to: the appAccountToken of the latest purchase that has one, else the renewal
    /// info's, else the app's own claim. Nil while unclaimed.
    package var appAccountToken: AppAccountToken? {
        orderedPurchases.reversed().lazy.compactMap(\.appAccountToken).first ?? renewal?.appAccountToken
            ?? claim?.appAccountToken
    }

    /// Links to the customer's other purchases in the app.
    package var appTransactionId: AppTransactionId? {
        orderedPurchases.reversed().lazy.compactMap(\.appTransactionId).first ?? renewal?.appTransactionId
    }

    /// The chain this one continues after a migration to Advanced Commerce; its account link is to be inherited.
    package var previousOriginalTransactionId: OriginalTransactionId? {
        orderedPurchases.reversed().lazy.compactMap(\.previousOriginalTransactionId).first
    }

    /// Whether this is a subscription that renews by itself.
    package var isSubscription: Bool {
        renewal != nil || status != nil || purchases.values.contains { $0.isAutoRenewable }
    }
}
