package import AppStoreModel

/// One of the names that a transaction gives, and until when by its items.
struct ItemEntitlement: Hashable, Sendable {
    var name: String
    /// When the last item that gives it was revoked; nil while one is held, and without items.
    var revocationDate: AppStoreInstant?
}

extension ProductRule {
    /// The names that the holder of a transaction may use. An Advanced Commerce transaction gives what its items give,
    /// each by the rule for its SKU, else by the rule for the product; one item may be revoked while the others are held.
    /// Source: Apple, `advancedCommerceInfo`, "the date access to this item was revoked".
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
    /// Advanced Commerce: the SKUs of the items that are not revoked then; nil without items.
    package func skus(at instant: AppStoreInstant) -> [String]? {
        items.isEmpty ? nil : items.filter { !$0.isRevoked(at: instant) }.map(\.sku)
    }

    /// When units are taken back: with the transaction, or with the last of its items.
    var unitsRevocationDate: AppStoreInstant? {
        if let revocationDate { return revocationDate }
        let dates = items.compactMap(\.revocationDate)
        return dates.count == items.count ? dates.max() : nil
    }
}
