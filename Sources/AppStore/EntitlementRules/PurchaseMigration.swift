internal import AppStoreModel

/// Purchase migration. A migration to Advanced Commerce, or a switch between a single subscription and a bundle in
/// either direction, begins a new purchase, whose transactions identify the continued purchase. The two purchases have
/// different keys, so facts about each are merged into the other. Both reach the same state regardless of the order of
/// arrival.
extension PurchaseFacts {
    /// Updates that result from this purchase, to be merged into other purchases.
    ///
    /// A successor adds itself to the purchase that it continues. The continued purchase passes on its account, and
    /// ends when Apple signs a revocation or its period expires. Both updates only add facts, so joining them gives the
    /// same result in any order.
    package var derivedUpdates: [PurchaseFacts] {
        var result: [PurchaseFacts] = []
        var previous = predecessors
        for transaction in transactions.values {
            guard let id = transaction.previousOriginalTransactionId else { continue }
            previous[id] = min(previous[id] ?? .latest, transaction.beginning)
        }
        for (id, since) in previous.sorted(by: { $0.key < $1.key }) where id != originalTransactionId {
            var continued = other(id)
            continued.insertSuccessor(originalTransactionId, since: since)
            result.append(continued)
        }
        guard !successors.isEmpty else { return result }
        let token = newestToken
        let claim = newestClaim
        guard token != nil || claim != nil else { return result }
        for id in successors.keys.sorted() where id != originalTransactionId {
            var successor = other(id)
            if let token { successor.insert(transferredToken: token) }
            if let claim { successor.insert(transferredClaim: claim) }
            result.append(successor)
        }
        return result
    }

    private func other(_ id: OriginalTransactionId) -> PurchaseFacts {
        PurchaseFacts(environment: environment, bundleId: bundleId, originalTransactionId: id)
    }

    /// The account in the newest transaction statement that names one. The transaction belongs to this purchase or to a
    /// purchase that this one continues.
    private var newestToken: OwnerClaim? { .newer(transferredToken, namedAccount) }

}
