internal import AppStoreModel

/// The state of a subscription as the policy for version 1 notifications lets it be: see ``LegacyTrust``.
///
/// Under `confirm` what Apple has not settled gives and takes nothing: access is as Apple signed it last, and where
/// nothing is signed the purchase is shown as unconfirmed.
struct JudgedSubscription {
    /// Nil where the purchase is no subscription.
    private(set) var state: SubscriptionState?
    /// By which ``state`` was decided.
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
        // Of a past moment what was confirmed since is known.
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
            // What came next is known to whoever asks for a later moment.
            return (purchase.state(asOf: instant, policy: rules.subscriptions), nil)
        }
    }
}

extension PurchaseFacts {
    /// Whether version 1 notifications say something that does not count until Apple confirms it.
    package func awaitsConfirmation(_ rules: LegacyTrustRules) -> Bool {
        legacy != nil && rules[bundleId] == .confirm && hasUnsettledLegacy
    }
}
