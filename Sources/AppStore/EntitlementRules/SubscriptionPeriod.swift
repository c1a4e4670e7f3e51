internal import AppStoreModel

/// One period of a subscription: a transaction, or several where seats were added in the middle of the period.
///
/// Apple marks every transaction of such a period, the one that existed before the seats were added too, so the mark
/// alone says neither which is the first nor that one replaces another. Source: Apple, `additionalTransactionReason`, and
/// StoreKit's `seatAddition`.
struct SubscriptionPeriod {
    /// The transaction that was bought first. It represents the period.
    var first: TransactionFacts
    /// The transactions of added seats, by start.
    var additions: [TransactionFacts] = []

    var start: AppStoreInstant { first.start }
    var productId: ProductId? { first.productId }
    var transactions: [TransactionFacts] { [first] + additions }

    /// When the period ends: the latest expiry of its transactions that are not revoked then, or of all where all are.
    func expiresDate(at instant: AppStoreInstant) -> AppStoreInstant? {
        guard !additions.isEmpty else { return first.expiresDate }
        let held = transactions.filter { !$0.isRevoked(at: instant) }
        return (held.isEmpty ? transactions : held).compactMap(\.expiresDate).max()
    }

    /// Whether every transaction that has begun is revoked: until the last is, the purchaser keeps access.
    func isRevoked(at instant: AppStoreInstant) -> Bool {
        first.isRevoked(at: instant)
            && additions.allSatisfy { $0.start > instant || $0.isRevoked(at: instant) }
    }

    /// When the last of its transactions is revoked; nil if one is not.
    var revocationDate: AppStoreInstant? {
        guard var latest = first.revocationDate else { return nil }
        for addition in additions {
            guard let date = addition.revocationDate else { return nil }
            latest = max(latest, date)
        }
        return latest
    }

    /// Seats of the transactions that have begun. A member's transaction repeats the number of the whole group, and gives
    /// one person access.
    func seats(at instant: AppStoreInstant) -> Int64 {
        if first.inAppOwnershipType == .assigned { return 1 }
        var seats = first.seats(at: instant)
        for addition in additions where addition.start <= instant { seats += addition.seats(at: instant) }
        return max(seats, 0)
    }
}

extension SubscriptionPeriod {
    /// The periods that transactions make: those of one product that overlap are one, if one of them has the mark.
    ///
    /// - Parameter transactions: of one purchase, by start, without those that were upgraded.
    static func periods(of transactions: [TransactionFacts]) -> [SubscriptionPeriod] {
        var clusters: [[TransactionFacts]] = []
        for transaction in transactions {
            let overlapping = clusters.lastIndex { cluster in
                cluster[0].productId == transaction.productId && cluster.contains { $0.runs(at: transaction.start) }
            }
            if let overlapping { clusters[overlapping].append(transaction) } else { clusters.append([transaction]) }
        }
        return clusters.flatMap { cluster -> [SubscriptionPeriod] in
            guard cluster.contains(where: \.hasAddedSeats) else { return cluster.map { SubscriptionPeriod(first: $0) } }
            return [SubscriptionPeriod(first: cluster[0], additions: Array(cluster.dropFirst()))]
        }
    }
}

extension TransactionFacts {
    /// Whether the holder has it at a moment after its start. What is bought after a refund begins anew.
    fileprivate func runs(at instant: AppStoreInstant) -> Bool {
        expiresDate.map { $0 > instant } ?? false && !isRevoked(at: instant)
    }

    /// The seats of this transaction: 32 bits each, of 64 transactions at most. One that is revoked has none, whatever was
    /// refunded of it before.
    fileprivate func seats(at instant: AppStoreInstant) -> Int64 {
        if isRevoked(at: instant) { return 0 }
        let held = amountProblems.contains(.quantity) ? 0 : Int64(quantity ?? 1)
        return held - Int64(max(revokedSeatQuantity ?? 0, 0))
    }
}
