internal import AppStoreModel

/// The conditions of a rule. All of them must be met. A condition on unknown data is not met, except that a missing
/// offer counts as no offer.
struct RefundConditions: Hashable, Sendable {
    /// A price in one currency.
    struct Price: Hashable, Sendable {
        var currency: String
        /// The bounds in milliunits of the currency.
        var bounds: HalfOpenBounds
    }

    var products: [ProductPattern]?
    var productTypes: Set<ProductType>?
    var price: Price?
    var reasons: Set<ConsumptionRequestReason>?
    /// The age of the purchase, in milliseconds.
    var age: HalfOpenBounds?
    var earlierRefunds: HalfOpenBounds?
    /// The consumed share in thousandths of a percent.
    var consumptionPercentage: HalfOpenBounds?
    var storefronts: Set<String>?
    var offers: Set<OfferCondition>?
    /// Whether the transaction is a free trial.
    var isTrial: Bool?
    var purchases: Set<TransactionReason>?
    var ownerships: Set<InAppOwnershipType>?
    /// The elapsed share of the subscription period, in thousandths of a percent.
    var elapsed: HalfOpenBounds?
    var earlierRequests: HalfOpenBounds?
    var earlierRequestsOfTransaction: HalfOpenBounds?
    var environments: Set<AppStoreEnvironment>?
    var bundleIds: Set<BundleId>?

    /// Whether there are no conditions. If so, the rule applies to every case.
    var isEmpty: Bool { self == RefundConditions() }

    func hold(_ facts: RefundFacts, _ consumption: ConsumptionFacts) -> Bool {
        if let products, !products.contains(where: { $0.matches(facts.productId) }) { return false }
        if let productTypes, !Self.contains(productTypes, facts.productType) { return false }
        if let price, facts.currency != price.currency || !price.bounds.contains(facts.price) { return false }
        if let reasons, !Self.contains(reasons, facts.consumptionRequestReason) { return false }
        if let age, !age.contains(facts.ageMilliseconds) { return false }
        if let earlierRefunds, !earlierRefunds.contains(facts.earlierRefunds) { return false }
        if let bounds = consumptionPercentage, !bounds.contains(consumption.consumptionPercentage) { return false }
        return holdsOfPurchase(facts)
    }

    private func holdsOfPurchase(_ facts: RefundFacts) -> Bool {
        if let storefronts, !Self.contains(storefronts, facts.storefront) { return false }
        if let offers, !offers.contains(where: { $0.holds(facts) }) { return false }
        if let isTrial, isTrial != (facts.offerDiscountType == .freeTrial) { return false }
        if let purchases, !Self.contains(purchases, facts.transactionReason) { return false }
        if let ownerships, !Self.contains(ownerships, facts.inAppOwnershipType) { return false }
        if let elapsed, !elapsed.contains(facts.elapsed) { return false }
        if let earlierRequests, !earlierRequests.contains(facts.earlierRequests) { return false }
        if let bounds = earlierRequestsOfTransaction, !bounds.contains(facts.earlierRequestsOfTransaction) {
            return false
        }
        if let environments, !environments.contains(facts.environment) { return false }
        if let bundleIds, !bundleIds.contains(facts.bundleId) { return false }
        return true
    }

    private static func contains<Value: Hashable>(_ values: Set<Value>, _ value: Value?) -> Bool {
        value.map(values.contains) ?? false
    }
}

/// The kind of offer that applied to a transaction.
enum OfferCondition: String, CaseIterable, Sendable {
    case introductory
    case promotional
    case offerCode
    case winBack
    case none

    func holds(_ facts: RefundFacts) -> Bool {
        switch self {
        case .introductory: facts.offerType == .introductory
        case .promotional: facts.offerType == .promotional
        case .offerCode: facts.offerType == .offerCode
        case .winBack: facts.offerType == .winBack
        case .none: facts.offerType == nil
        }
    }
}
