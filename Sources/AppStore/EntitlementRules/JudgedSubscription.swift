internal import AppStoreModel

/// The state of a subscription under the app's policy for version 1 notifications. See ``LegacyTrust``.
///
/// Under `confirm`, unsettled statements neither grant nor remove access. Access follows Apple's last signed
/// statements, and a purchase without signed statements is shown as unconfirmed.
struct JudgedSubscription {
    /// The state, or nil if the purchase is not a subscription.
    private(set) var state: SubscriptionState?
    /// The facts on which ``state`` is based.
    private(set) var facts: PurchaseFacts
    private(set) var nextChange: AppStoreInstant?
    private(set) var trust = FactTrust.signed
    private(set) var awaitsConfirmation = false

    init(
        _ purchase: PurchaseFacts, at instant: AppStoreInstant, rules: ProductRules, view: EntitlementAnswer.View
    ) {
        facts = purchase
        (state, nextChange) = Self.evaluate(purchase, at: instant, rules, view)
        guard purchase.hasUnsettledLegacy else { return }
        switch rules.legacyTrust[purchase.bundleId] {
        case .observe: return
        case .accept: accept(at: instant, rules, view)
        // A view of the past already includes later confirmations, so there is nothing to wait for.
        case .confirm: if view == .newestFacts { wait(at: instant, rules) }
        }
    }

    private mutating func accept(at instant: AppStoreInstant, _ rules: ProductRules, _ view: EntitlementAnswer.View) {
        let all = facts.withLegacyFacts
        let (together, change) = Self.evaluate(all, at: instant, rules, view)
        let isSame =
            together?.phase == state?.phase && together?.isEntitled == state?.isEntitled
            && together?.until == state?.until && together?.transaction == state?.transaction
        if !isSame { trust = .sharedSecret }
        (state, nextChange, facts) = (together, change, all)
    }

    private mutating func wait(at instant: AppStoreInstant, _ rules: ProductRules) {
        awaitsConfirmation = true
        guard state == nil else { return }
        let all = facts.withLegacyFacts
        let (together, change) = Self.evaluate(all, at: instant, rules, .newestFacts)
        nextChange = change
        guard var claimed = together else { return }
        if claimed.isEntitled {
            claimed.phase = .unconfirmed
            claimed.rule = .unconfirmed
            claimed.isEntitled = false
            claimed.until = nil
            claimed.seats = 0
            claimed.needsStatusQuery = false
        }
        (state, facts, trust) = (claimed, all, .sharedSecret)
    }

    private static func evaluate(
        _ purchase: PurchaseFacts, at instant: AppStoreInstant, _ rules: ProductRules, _ view: EntitlementAnswer.View
    ) -> (SubscriptionState?, AppStoreInstant?) {
        switch view {
        case .newestFacts:
            let both = purchase.stateAndNextChange(at: instant, policy: rules.subscriptions)
            return (both?.state, both?.nextChange)
        case .history:
            // No next change is returned, because callers can find it by querying a later time.
            return (purchase.state(asOf: instant, policy: rules.subscriptions), nil)
        }
    }
}

extension PurchaseFacts {
    /// Returns whether version 1 notifications contain statements that apply only after Apple confirms them.
    package func awaitsConfirmation(_ rules: LegacyTrustRules) -> Bool {
        legacy != nil && rules[bundleId] == .confirm && hasUnsettledLegacy
    }
}
