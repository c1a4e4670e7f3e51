package import AppStoreModel

/// An entitlement granted by a transaction, with the time when it ended because the items that granted it were revoked.
struct ItemEntitlement: Hashable, Sendable {
    var name: String
    /// The time when the last item that grants the entitlement was revoked, or nil if an unrevoked item grants it or
    /// there are no items.
    var revocationDate: AppStoreInstant?
}

extension ProductRule {
    /// Returns the entitlements that a transaction grants to its holder. Each item in an Advanced Commerce transaction
    /// grants the entitlements in the rule for its SKU, or for the product if the SKU has no rule. Individual items can
    /// be revoked. Source: Apple, `advancedCommerceInfo`, "the date access to this item was revoked".
    func entitlements(of transaction: TransactionFacts, at instant: AppStoreInstant) -> [ItemEntitlement] {
        guard !transaction.items.isEmpty else { return entitlements.map { ItemEntitlement(name: $0) } }
        var result: [ItemEntitlement] = []
        for item in transaction.items {
            let revocationDate = item.isRevoked(at: instant) ? item.revocationDate : nil
            for name in skus[item.sku] ?? entitlements {
                guard let known = result.firstIndex(where: { $0.name == name }) else {
                    result.append(ItemEntitlement(name: name, revocationDate: revocationDate))
                    continue
                }
                guard let date = result[known].revocationDate else { continue }
                result[known].revocationDate = revocationDate.map { max($0, date) }
            }
        }
        return result
    }
}

extension TransactionTraits.Item {
    func isRevoked(at instant: AppStoreInstant) -> Bool { revocationDate.map { $0 <= instant } ?? false }
}

extension TransactionFacts {
    /// Returns the SKUs of the Advanced Commerce items that are unrevoked at a given time, or nil if there are no
    /// items.
    package func skus(at instant: AppStoreInstant) -> [String]? {
        items.isEmpty ? nil : items.filter { !$0.isRevoked(at: instant) }.map(\.sku)
    }

    /// The time when units are debited: the transaction's revocationDate or, if absent, the latest revocationDate of
    /// its items, provided that every item was revoked. Nil otherwise.
    var unitsRevocationDate: AppStoreInstant? {
        if let revocationDate { return revocationDate }
        let dates = items.compactMap(\.revocationDate)
        return dates.count == items.count ? dates.max() : nil
    }
}
