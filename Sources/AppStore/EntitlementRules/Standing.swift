package import AppStoreModel

/// The state of one transaction of a purchase at a given time, with the rule that determined it.
package struct Standing: Hashable, Sendable {
    /// The entitlements in sorted order. Empty for a consumable, which has units instead.
    package var entitlements: [String]
    package var productId: ProductId
    package var transactionId: TransactionId
    /// The raw value of `SubscriptionState.Phase` or `OneTimeState.Phase`.
    package var state: String
    package var rule: StateRule
    package var isEntitled: Bool
    /// The time when this state ends without a notification, or nil if it never does.
    package var until: AppStoreInstant?
    /// Whether the subscription renews at the end of the period, or nil if this is unknown or the purchase is not a
    /// subscription.
    package var willRenew: Bool?
    package var expirationIntent: ExpirationIntent?
    /// The units of a consumable, credited minus debited, or nil for other purchases.
    package var units: Int64?
}

extension PurchaseFacts {
    /// Returns the states of all relevant transactions at a given time, with consumables last, and the time when one of
    /// the states next changes without a notification.
    package func standings(
        at instant: AppStoreInstant, rules: ProductRules, view: EntitlementAnswer.View = .newestFacts
    ) -> (standings: [Standing], nextChange: AppStoreInstant?) {
        let answer = EntitlementAnswer(
            purchases: [self], environment: environment, at: instant, rules: rules, view: view)
        var standings: [Standing] = []
        for grant in answer.grants {
            let standing = Standing(grant)
            // A transaction's entitlements with equal states share one ``Standing``. Their states differ only if
            // individual items were revoked.
            if let index = standings.firstIndex(where: { $0.isEqual(to: standing) }) {
                standings[index].entitlements += standing.entitlements
            } else {
                standings.append(standing)
            }
        }
        for transaction in oneTimeTransactions(asOf: view == .history ? instant : nil) {
            guard transaction.type == .consumable, let productId = transaction.productId else { continue }
            let state = transaction.oneTimeState(at: instant, rule: rules.rule(for: productId))
            standings.append(Standing(state, of: transaction, productId))
        }
        return (standings, answer.nextChange)
    }
}

extension Standing {
    fileprivate init(_ grant: EntitlementGrant) {
        self.init(
            entitlements: [grant.entitlement], productId: grant.productId, transactionId: grant.transactionId,
            state: grant.state, rule: grant.rule, isEntitled: grant.isEntitled, until: grant.until,
            willRenew: grant.willRenew, expirationIntent: grant.expirationIntent)
    }

    fileprivate init(_ state: OneTimeState, of transaction: TransactionFacts, _ productId: ProductId) {
        self.init(
            entitlements: [], productId: productId, transactionId: transaction.transactionId,
            state: state.phase.rawValue, rule: state.rule, isEntitled: false, until: state.until,
            units: state.netUnits)
    }

    /// Returns whether the two states are equal except for their entitlements.
    fileprivate func isEqual(to other: Standing) -> Bool {
        var copy = other
        copy.entitlements = entitlements
        return copy == self
    }
}
