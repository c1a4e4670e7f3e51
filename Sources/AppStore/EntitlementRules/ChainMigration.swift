package import AppStoreModel

/// A migration to Advanced Commerce begins a new chain, whose transactions name the chain they go on from. The two have
/// keys of their own, so each is told of the other by facts: whatever comes first, and wherever it is handled, both end
/// in the same state.
extension ChainFacts {
    /// What this chain says about others, to be merged into them.
    ///
    /// A chain that goes on from another one closes it; a closed one hands its account on. Each grows with what is known
    /// and takes nothing back, so the join of all of them is the same in every order.
    package var consequences: [ChainFacts] {
        var result: [ChainFacts] = []
        for purchase in purchases.values {
            guard let previous = purchase.previousOriginalTransactionId, previous != originalTransactionId else {
                continue
            }
            var closed = other(previous)
            closed.insertSuccessor(originalTransactionId, since: purchase.purchaseDate ?? purchase.version.signedDate)
            result.append(closed)
        }
        guard !successors.isEmpty else { return result }
        let token = newestToken
        let claim = newestClaim
        guard token != nil || claim != nil else { return result }
        for id in successors.keys.sorted() where id != originalTransactionId {
            var heir = other(id)
            if let token { heir.insert(inheritedToken: token) }
            if let claim { heir.insert(inheritedClaim: claim) }
            result.append(heir)
        }
        return result
    }

    private func other(_ id: OriginalTransactionId) -> ChainFacts {
        ChainFacts(environment: environment, bundleId: bundleId, originalTransactionId: id)
    }

    /// The account that the newest signed statement names.
    private var newestToken: OwnerClaim? {
        var newest = inheritedToken
        func consider(_ token: AppAccountToken?, _ version: FactVersion) {
            guard let token else { return }
            newest = .newer(newest, OwnerClaim(appAccountToken: token, claimedAt: version.signedDate))
        }
        for purchase in purchases.values { consider(purchase.appAccountToken, purchase.version) }
        if let renewal { consider(renewal.appAccountToken, renewal.version) }
        return newest
    }

    /// Since when another chain goes on from this one; nil if none does.
    package var migratedAt: AppStoreInstant? { successors.values.min() }
}
