internal import AppStoreModel

/// One period of a subscription: a single transaction, or several if seats were added during the period.
///
/// If seats were added, Apple sets `additionalTransactionReason` in every transaction in the period, including the one
/// made before the seats were added. The field alone therefore does not show which transaction is the first or whether
/// one replaces another. Source: Apple, `additionalTransactionReason`, and StoreKit's `seatAddition`.
struct SubscriptionPeriod {
    /// The first transaction, which represents the period.
    var first: TransactionFacts
    /// The transactions that added seats, sorted by start.
    var additions: [TransactionFacts] = []

    var start: AppStoreInstant { first.start }
    var productId: ProductId? { first.productId }
    var transactions: [TransactionFacts] { [first] + additions }

    /// Returns the end of the period: the latest expiry among the transactions that are unrevoked at the given time, or
    /// among all transactions if all are revoked.
    func expiresDate(at instant: AppStoreInstant) -> AppStoreInstant? {
        guard !additions.isEmpty else { return first.expiresDate }
        let held = transactions.filter { !$0.isRevoked(at: instant) }
        return (held.isEmpty ? transactions : held).compactMap(\.expiresDate).max()
    }

    /// Returns whether all transactions that have begun are revoked. The purchaser keeps access until the last one is
    /// revoked.
    func isRevoked(at instant: AppStoreInstant) -> Bool {
        first.isRevoked(at: instant)
            && additions.allSatisfy { $0.start > instant || $0.isRevoked(at: instant) }
    }

    /// The time when the last transaction was revoked, or nil if any transaction is unrevoked.
    var revocationDate: AppStoreInstant? {
        guard var latest = first.revocationDate else { return nil }
        for addition in additions {
            guard let date = addition.revocationDate else { return nil }
            latest = max(latest, date)
        }
        return latest
    }

    /// Returns the number of seats in the transactions that have begun. A group member's transaction repeats the whole
    /// group's number of seats, but grants access to only one person.
    func seats(at instant: AppStoreInstant) -> Int64 {
        if first.inAppOwnershipType == .assigned { return 1 }
        var seats = first.seats(at: instant)
        for addition in additions where addition.start <= instant { seats += addition.seats(at: instant) }
        return max(seats, 0)
    }
}

extension SubscriptionPeriod {
    /// Groups transactions into periods. Overlapping transactions for one product form a single period if
    /// ``TransactionFacts/hasAddedSeats`` is true for any of them.
    ///
    /// - Parameter transactions: transactions of one purchase, excluding upgraded ones, sorted by start.
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
    /// Returns whether the transaction is active at a time after its start. A refunded transaction is not active, so a
    /// purchase after the refund begins a new period.
    fileprivate func runs(at instant: AppStoreInstant) -> Bool {
        expiresDate.map { $0 > instant } ?? false && !isRevoked(at: instant)
    }

    /// Returns the number of seats in this transaction. A sum over all transactions cannot overflow, because there are
    /// at most 64 numbers of 32 bits. A revoked transaction has no seats, regardless of earlier refunds.
    fileprivate func seats(at instant: AppStoreInstant) -> Int64 {
        if isRevoked(at: instant) { return 0 }
        let held = amountProblems.contains(.quantity) ? 0 : Int64(quantity ?? 1)
        return held - Int64(max(revokedSeatQuantity ?? 0, 0))
    }
}
