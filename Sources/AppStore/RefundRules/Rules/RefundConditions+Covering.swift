internal import AppStoreModel

/// Detects rules that can never apply, because an earlier rule always applies first or the conditions contradict each
/// other.
extension RefundConditions {
    /// Returns whether these conditions are met whenever those in `other` are met.
    func cover(_ other: RefundConditions) -> Bool {
        Self.covers(products, other.products) { patterns, others in
            others.allSatisfy { other in patterns.contains { $0.covers(other) } }
        }
            && Self.covers(price, other.price) { $0.currency == $1.currency && $0.bounds.cover($1.bounds) }
            && Self.covers(isTrial, other.isTrial) { $0 == $1 }
            && coverSets(other) && coverBounds(other)
    }

    private func coverSets(_ other: RefundConditions) -> Bool {
        Self.covers(productTypes, other.productTypes) { $0.isSuperset(of: $1) }
            && Self.covers(reasons, other.reasons) { $0.isSuperset(of: $1) }
            && Self.covers(storefronts, other.storefronts) { $0.isSuperset(of: $1) }
            && Self.covers(offers, other.offers) { $0.isSuperset(of: $1) }
            && Self.covers(purchases, other.purchases) { $0.isSuperset(of: $1) }
            && Self.covers(ownerships, other.ownerships) { $0.isSuperset(of: $1) }
            && Self.covers(environments, other.environments) { $0.isSuperset(of: $1) }
            && Self.covers(bundleIds, other.bundleIds) { $0.isSuperset(of: $1) }
    }

    private func coverBounds(_ other: RefundConditions) -> Bool {
        let bounds = [
            (age, other.age), (earlierRefunds, other.earlierRefunds),
            (consumptionPercentage, other.consumptionPercentage), (elapsed, other.elapsed),
            (earlierRequests, other.earlierRequests),
            (earlierRequestsOfTransaction, other.earlierRequestsOfTransaction),
        ]
        return bounds.allSatisfy { Self.covers($0, $1) { $0.cover($1) } }
    }

    /// Returns whether one condition covers another. A missing condition covers every condition, and only a missing
    /// condition covers a missing one.
    private static func covers<Value>(_ one: Value?, _ other: Value?, _ covers: (Value, Value) -> Bool) -> Bool {
        guard let one else { return true }
        return other.map { covers(one, $0) } ?? false
    }

    /// The reason why these conditions are never met, or are met only by requests for which Apple does not accept an
    /// answer. Nil if there is no such reason.
    var contradiction: String? {
        if let ownerships, ownerships.isSubset(of: [.familyShared, .assigned]) {
            return "Apple does not accept answers for family members' or assigned transactions"
        }
        guard let productTypes, !productTypes.contains(.autoRenewableSubscription) else { return nil }
        if elapsed != nil { return "only an Auto-Renewable Subscription has a period that elapses" }
        if purchases == [.renewal] { return "only an Auto-Renewable Subscription renews" }
        if isTrial == true { return "only an Auto-Renewable Subscription has a trial" }
        return nil
    }
}

extension HalfOpenBounds {
    /// Returns whether every number within `other` is also within these bounds.
    func cover(_ other: HalfOpenBounds) -> Bool {
        if let from, other.from.map({ $0 < from }) ?? true { return false }
        if let to, other.to.map({ $0 > to }) ?? true { return false }
        return true
    }
}
