package import AppStoreModel

/// A transaction's grant of an entitlement, whether or not the grant is currently in effect.
package struct EntitlementGrant: Hashable, Sendable {
    package var entitlement: String
    package var environment: AppStoreEnvironment
    package var bundleId: BundleId
    package var isEntitled: Bool
    /// The raw value of `SubscriptionState.Phase` or `OneTimeState.Phase`.
    package var state: String
    /// The rule that determined the state.
    package var rule: StateRule
    package var productId: ProductId
    package var originalTransactionId: OriginalTransactionId
    package var transactionId: TransactionId
    package var ownership: InAppOwnershipType?
    /// The time when this state ends without a notification. Published only if access ends at that time.
    package var until: AppStoreInstant?
    package var willRenew: Bool?
    /// Whether a twelve-month commitment renews at its end.
    package var commitmentWillRenew: Bool?
    package var autoRenewProductId: ProductId?
    /// The product after the next renewal, if it differs from the current one.
    package var pendingProductId: ProductId?
    package var gracePeriodExpiresDate: AppStoreInstant?
    /// The status of an announced price increase; 0 while the customer has not responded.
    package var priceIncreaseStatus: PriceIncreaseStatus?
    package var expirationIntent: ExpirationIntent?
    package var seats: Int64?
    /// The SKUs of the unrevoked Advanced Commerce items, or nil if there are no items.
    package var skus: [String]?
    package var needsStatusQuery = false
    /// Whether access depends on input that has not been read yet.
    package var isUnknown = false
    /// The grant's trust level: `signed`, unless version 1 notifications determined the state or are the only source of
    /// the grant.
    package var trust = FactTrust.signed
    /// Whether version 1 notifications contain additional information about the purchase that Apple has not confirmed.
    package var awaitsConfirmation = false
    package var details = GrantDetails()
}

extension EntitlementGrant {
    /// Ends the grant if all items that provide the entitlement are revoked.
    fileprivate mutating func revoke(_ item: ItemEntitlement) {
        guard let revocationDate = item.revocationDate else { return }
        isEntitled = false
        state = SubscriptionState.Phase.revoked.rawValue
        rule = .itemsRevoked
        until = nil
        seats = seats.map { _ in 0 }
        details.revocationDate = revocationDate
    }
}

/// The units of one consumable product in an app, summed over all its transactions. Sums saturate at the 64-bit limits.
package struct UnitBalance: Hashable, Sendable {
    package var environment: AppStoreEnvironment
    package var bundleId: BundleId
    package var productId: ProductId
    package var creditedUnits: Int64 = 0
    package var debitedUnits: Int64 = 0

    package init(
        environment: AppStoreEnvironment, bundleId: BundleId, productId: ProductId, creditedUnits: Int64 = 0,
        debitedUnits: Int64 = 0
    ) {
        self.environment = environment
        self.bundleId = bundleId
        self.productId = productId
        self.creditedUnits = creditedUnits
        self.debitedUnits = debitedUnits
    }

    package var netUnits: Int64 { creditedUnits - debitedUnits }  // both are nonnegative

    mutating func add(_ state: OneTimeState) {
        creditedUnits = Self.saturating(creditedUnits, state.creditedUnits)
        debitedUnits = Self.saturating(debitedUnits, state.debitedUnits)
    }

    private static func saturating(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

/// The entitlements of a holder at a given time, each with its reason.
package struct EntitlementAnswer: Hashable, Sendable {
    /// A transaction that may grant less than intended.
    package struct Report: Hashable, Sendable {
        package var environment: AppStoreEnvironment
        package var bundleId: BundleId
        package var transactionId: TransactionId
        package var problem: EntitlementProblem
    }

    package var asOf: AppStoreInstant
    /// The grants, sorted by entitlement, then purchase, then transaction.
    package var grants: [EntitlementGrant] = []
    /// The balances, sorted by app, then product.
    package var balances: [UnitBalance] = []
    package var reports: [Report] = []
    /// The time when the answer changes without a notification, or nil if it never does.
    package var nextChange: AppStoreInstant?
    /// The time from which the facts are complete, or nil if they are complete at the time of the answer. An answer
    /// based on incomplete facts may differ from the one originally given.
    package var knownSince: AppStoreInstant?

    /// Whether the balances include units known only from version 1 notifications.
    var hasUnsignedBalance = false

    /// The trust level of the answer: `sharedSecret` if any part of it depends on version 1 notifications. Statements
    /// awaiting confirmation do not count.
    package var trust: FactTrust {
        let isUnsigned = grants.contains {
            $0.trust == .sharedSecret && ($0.isEntitled || $0.state != SubscriptionState.Phase.unconfirmed.rawValue)
        }
        return isUnsigned || hasUnsignedBalance ? .sharedSecret : .signed
    }

    /// The names of the entitlements in effect.
    package var active: Set<String> { Set(grants.filter(\.isEntitled).map(\.entitlement)) }
}

extension EntitlementAnswer {
    /// The facts on which an answer is based.
    package enum View: Sendable {
        /// All known facts, regardless of their dates.
        case newestFacts
        /// The stored facts dated no later than the given time.
        case history
    }

    /// Combines the purchases from one environment. Purchases from other environments are ignored, because a record
    /// never combines environments.
    package init(
        purchases: [PurchaseFacts], environment: AppStoreEnvironment, at instant: AppStoreInstant, rules: ProductRules,
        view: View = .newestFacts
    ) {
        self.init(asOf: instant)
        var oneTime: [OneTimeEntry] = []
        for purchase in purchases where purchase.environment == environment {
            if view == .history, let since = purchase.whollyKnownSince(before: instant) {
                knownSince = max(knownSince ?? since, since)
            }
            add(subscription: purchase, rules: rules, view: view)
            let policy = rules.legacyTrust[purchase.bundleId]
            if policy == .confirm, view == .newestFacts { addUnconfirmed(purchase, rules) }
            let counted = policy == .accept ? purchase.withLegacyFacts : purchase
            for transaction in counted.oneTimeTransactions(asOf: view == .history ? instant : nil) {
                guard let productId = transaction.productId else {
                    report(.productMissing, of: transaction, in: purchase)
                    continue
                }
                oneTime.append(OneTimeEntry(purchase: counted, productId: productId, facts: transaction))
            }
        }
        if !oneTime.isEmpty { add(oneTime, rules: rules) }
        reports.sort { ($0.transactionId, $0.problem.rawValue) < ($1.transactionId, $1.problem.rawValue) }
        if grants.count > 1 {
            grants.sort {
                ($0.entitlement, $0.originalTransactionId, $0.transactionId)
                    < ($1.entitlement, $1.originalTransactionId, $1.transactionId)
            }
        }
        balances.sort { ($0.bundleId, $0.productId) < ($1.bundleId, $1.productId) }
    }

    private mutating func report(
        _ problem: EntitlementProblem, of transaction: TransactionFacts, in purchase: PurchaseFacts
    ) {
        reports.append(
            Report(
                environment: purchase.environment, bundleId: purchase.bundleId,
                transactionId: transaction.transactionId, problem: problem))
    }

    private mutating func add(subscription purchase: PurchaseFacts, rules: ProductRules, view: View) {
        let judged = JudgedSubscription(purchase, at: asOf, rules: rules, view: view)
        note(nextChange: judged.nextChange)
        guard let state = judged.state else { return }
        let purchase = judged.facts
        guard let transaction = state.transaction else {
            if state.isEntitled { reportMissingTransaction(of: purchase) }
            return
        }
        guard let productId = transaction.productId else {
            report(.productMissing, of: transaction, in: purchase)
            return
        }
        if transaction.amountProblems.contains(.items) {
            report(.itemsOutOfRange, of: transaction, in: purchase)
        }
        let renewal = purchase.renewal.flatMap { view == .newestFacts || $0.version.signedDate <= asOf ? $0 : nil }
        let details = GrantDetails(of: transaction, in: purchase, at: asOf)
        for item in rules.rule(for: productId).entitlements(of: transaction, at: asOf) {
            var grant = EntitlementGrant(
                entitlement: item.name, environment: purchase.environment, bundleId: purchase.bundleId,
                isEntitled: state.isEntitled, state: state.phase.rawValue, rule: state.rule,
                productId: productId, originalTransactionId: purchase.originalTransactionId,
                transactionId: transaction.transactionId, ownership: transaction.inAppOwnershipType,
                until: state.until, willRenew: state.willRenew,
                commitmentWillRenew: state.commitmentWillRenew,
                autoRenewProductId: renewal?.autoRenewProductId, pendingProductId: state.pendingProductId,
                gracePeriodExpiresDate: renewal?.gracePeriodExpiresDate,
                priceIncreaseStatus: state.priceIncreaseStatus, expirationIntent: state.expirationIntent,
                seats: state.seats, skus: transaction.skus(at: asOf),
                needsStatusQuery: state.needsStatusQuery, isUnknown: state.isUnknown, trust: judged.trust,
                awaitsConfirmation: judged.awaitsConfirmation, details: details)
            if state.isEntitled { grant.revoke(item) }
            grants.append(grant)
        }
    }

    /// Reports a subscription that is active according to Apple but has no known transaction, so nothing can be
    /// granted.
    private mutating func reportMissingTransaction(of purchase: PurchaseFacts) {
        reports.append(
            Report(
                environment: purchase.environment, bundleId: purchase.bundleId,
                transactionId: TransactionId(purchase.originalTransactionId.rawValue), problem: .transactionMissing))
    }

    /// Adds one-time transactions, except consumables, that are known only from version 1 notifications. They are
    /// listed but grant nothing.
    private mutating func addUnconfirmed(_ purchase: PurchaseFacts, _ rules: ProductRules) {
        for transaction in purchase.unsignedTransactions where !transaction.isAutoRenewable {
            guard let productId = transaction.productId, transaction.type != .consumable else { continue }
            let rule = rules.rule(for: productId)
            let state = transaction.oneTimeState(at: asOf, rule: rule)
            guard state.phase != .unknown else { continue }
            let phase = state.isEntitled ? SubscriptionState.Phase.unconfirmed.rawValue : state.phase.rawValue
            let details = GrantDetails(of: transaction, in: purchase, at: asOf)
            grants += rule.entitlements.map { name in
                EntitlementGrant(
                    entitlement: name, environment: purchase.environment, bundleId: purchase.bundleId,
                    isEntitled: false, state: phase, rule: state.isEntitled ? .unconfirmed : state.rule,
                    productId: productId,
                    originalTransactionId: purchase.originalTransactionId, transactionId: transaction.transactionId,
                    ownership: transaction.inAppOwnershipType, trust: .sharedSecret, awaitsConfirmation: true,
                    details: details)
            }
        }
    }

    private mutating func add(_ entries: [OneTimeEntry], rules: ProductRules) {
        var balances: [AppProduct: UnitBalance] = [:]
        for (product, transactions) in Dictionary(grouping: entries, by: \.product) {
            let productId = product.productId
            let rule = rules.rule(for: productId)
            for (entry, state, change) in OneTimeEntry.states(of: transactions, at: asOf, rule: rule) {
                let purchase = entry.purchase
                for problem in state.problems { report(problem, of: entry.facts, in: purchase) }
                note(nextChange: change)
                if entry.facts.type == .consumable {
                    let none = UnitBalance(
                        environment: purchase.environment, bundleId: product.bundleId, productId: productId)
                    balances[product, default: none].add(state)
                    if !entry.facts.version.isSigned { hasUnsignedBalance = true }
                    continue
                }
                guard state.phase != .unknown else { continue }
                let details = GrantDetails(of: entry.facts, in: purchase, at: asOf)
                for item in entry.facts.items { note(nextChange: item.revocationDate) }
                grants += rule.entitlements(of: entry.facts, at: asOf).map { item in
                    var grant = EntitlementGrant(
                        entitlement: item.name, environment: purchase.environment, bundleId: product.bundleId,
                        isEntitled: state.isEntitled, state: state.phase.rawValue, rule: state.rule,
                        productId: productId, originalTransactionId: purchase.originalTransactionId,
                        transactionId: entry.facts.transactionId, ownership: entry.facts.inAppOwnershipType,
                        until: state.until, skus: entry.facts.skus(at: asOf),
                        trust: entry.facts.version.isSigned ? .signed : .sharedSecret, details: details)
                    if state.isEntitled { grant.revoke(item) }
                    return grant
                }
            }
        }
        self.balances = Array(balances.values)
    }

    private mutating func note(nextChange moment: AppStoreInstant?) {
        guard let moment, moment > asOf else { return }
        nextChange = min(nextChange ?? moment, moment)
    }
}
