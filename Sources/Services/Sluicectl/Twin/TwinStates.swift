internal import AppStoreModel
internal import EntitlementRules
internal import Records

/// The states that result from each stream alone. For each purchase, the stream's facts are joined and evaluated.
struct TwinStates: Sendable {
    struct Purchase: Hashable, Comparable, Sendable {
        let bundleId: BundleId
        let originalTransactionId: OriginalTransactionId

        static func < (one: Purchase, other: Purchase) -> Bool {
            (one.bundleId, one.originalTransactionId) < (other.bundleId, other.originalTransactionId)
        }
    }

    /// A purchase whose states differ between the streams.
    struct Difference: Sendable, Equatable {
        let purchase: Purchase
        let signed: [State]
        let sharedSecret: [State]
    }

    /// One grant, reduced to the members whose differences matter to a customer or an operator.
    struct State: Hashable, Sendable {
        let productId: ProductId
        let state: String
        let isEntitled: Bool
        let until: AppStoreInstant?
        let willRenew: Bool?
    }

    struct Result: Sendable {
        /// Number of purchases that are in both streams and have the same state.
        var same = 0
        /// Number of purchases with notifications only in the signed stream.
        var onlySigned = 0
        var onlySharedSecret = 0
        /// Number of one-time purchases. Version 1 does not report the product type, so they have no state to compare.
        var notComparable = 0
        var differences: [Difference] = []
    }

    private struct Sides: Sendable {
        var signed: PurchaseFacts?
        var sharedSecret: PurchaseFacts?
    }

    private let environment: AppStoreEnvironment
    private var purchases: [Purchase: Sides] = [:]

    init(_ environment: AppStoreEnvironment) { self.environment = environment }

    mutating func take(_ record: NotificationRecord) { take(record, trust: record.trust ?? .signed) }

    private mutating func take(_ record: NotificationRecord, trust: RecordTrust) {
        let facts = PurchaseFacts(
            notification: record.notification, transaction: record.transaction, renewalInfo: record.renewalInfo,
            isSigned: trust == .signed)
        guard let facts, facts.environment == environment else { return }
        let purchase = Purchase(bundleId: facts.bundleId, originalTransactionId: facts.originalTransactionId)
        switch trust {
        case .signed: Self.merge(facts, into: &purchases[purchase, default: Sides()].signed)
        case .sharedSecret: Self.merge(facts, into: &purchases[purchase, default: Sides()].sharedSecret)
        }
    }

    private static func merge(_ facts: PurchaseFacts, into known: inout PurchaseFacts?) {
        if known == nil { known = facts } else { known?.merge(facts) }
    }

    /// Compares the states at a given time. Each product grants an entitlement with the product's name, because the
    /// app's mapping is the same for both streams.
    func result(at instant: AppStoreInstant) -> Result {
        var result = Result()
        for (purchase, sides) in purchases.sorted(by: { $0.key < $1.key }) {
            switch (sides.signed, sides.sharedSecret) {
            case (_?, nil): result.onlySigned += 1
            case (nil, _?): result.onlySharedSecret += 1
            case (nil, nil): continue
            case (let signed?, let sharedSecret?):
                let difference = Difference(
                    purchase: purchase, signed: states(of: signed, at: instant),
                    sharedSecret: states(of: sharedSecret, at: instant))
                guard !difference.sharedSecret.isEmpty else {
                    result.notComparable += 1
                    continue
                }
                if difference.signed == difference.sharedSecret {
                    result.same += 1
                } else {
                    result.differences.append(difference)
                }
            }
        }
        return result
    }

    /// Accepts version 1 without confirmation, because the comparison is about the state that version 1 yields by
    /// itself.
    private static let rules = ProductRules(legacyTrust: LegacyTrustRules(others: .accept))

    private func states(of facts: PurchaseFacts, at instant: AppStoreInstant) -> [State] {
        EntitlementAnswer(purchases: [facts], environment: environment, at: instant, rules: Self.rules).grants.map {
            State(
                productId: $0.productId, state: $0.state, isEntitled: $0.isEntitled, until: $0.until,
                willRenew: $0.willRenew)
        }
    }
}
