internal import AppStoreModel

/// A product and its app. Two apps may use the same product identifier.
struct AppProduct: Hashable {
    var bundleId: BundleId
    var productId: ProductId
}

/// A transaction for a product that does not renew automatically.
struct OneTimeEntry {
    var purchase: PurchaseFacts
    var productId: ProductId
    var facts: TransactionFacts

    var product: AppProduct { AppProduct(bundleId: purchase.bundleId, productId: productId) }

    /// Returns the states of all transactions for one product, and the times when they change without a notification.
    /// If the rule is `extend`, non-renewing subscriptions extend each other: each one begins when the previous one
    /// ends or when it was bought, whichever is later. The `until` of an active subscription includes the subscriptions
    /// that follow it without a gap.
    static func states(
        of transactions: [OneTimeEntry], at instant: AppStoreInstant, rule: ProductRule
    ) -> [(entry: OneTimeEntry, state: OneTimeState, change: AppStoreInstant?)] {
        let ordered = transactions.sorted {
            ($0.facts.start, $0.facts.transactionId) < ($1.facts.start, $1.facts.transactionId)
        }
        var previousEnd = AppStoreInstant.earliest
        var times: [PassTime?] = []
        for entry in ordered {
            let start = rule.accumulation == .extend ? max(entry.facts.start, previousEnd) : entry.facts.start
            let time = PassTime(of: entry.facts, from: start, at: instant, rule: rule)
            if let time, !entry.facts.isRevoked(at: instant) { previousEnd = time.end }
            times.append(time)
        }
        let held = times.compactMap { $0 }.filter { $0.start < $0.access }.sorted { $0.start < $1.start }
        return zip(ordered, times).map { entry, time in
            guard let time else {
                let state = entry.facts.oneTimeState(at: instant, rule: rule)
                return (entry, state, state.until)
            }
            var state = entry.facts.timedState(at: instant, from: time.start, end: time.end)
            let change = state.until
            if state.isEntitled { state.until = time.endOfAccess(followedBy: held) }
            return (entry, state, change)
        }
    }
}

/// The time during which a non-renewing subscription runs.
private struct PassTime {
    let start: AppStoreInstant
    let end: AppStoreInstant
    /// The time when access ends: at the end, or earlier if revoked.
    let access: AppStoreInstant

    /// Returns nil for other product types or if no length is configured.
    init?(of facts: TransactionFacts, from start: AppStoreInstant, at instant: AppStoreInstant, rule: ProductRule) {
        guard facts.type == .nonRenewingSubscription, let length = rule.lengthMilliseconds else { return nil }
        self.start = start
        end = start.advanced(byMilliseconds: length)
        access = min(end, facts.revocationDate ?? end)
    }

    /// Returns the time when access ends, including all subscriptions that follow without a gap.
    ///
    /// - Parameter others: the subscriptions that give access, sorted by start. This subscription may be among them.
    func endOfAccess(followedBy others: [PassTime]) -> AppStoreInstant {
        others.reduce(access) { end, next in next.start <= end ? max(end, next.access) : end }
    }
}
