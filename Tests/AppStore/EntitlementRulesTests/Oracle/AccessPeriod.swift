/// A period of a subscription: one transaction, or several overlapping ones because seats were added (app-store.md
/// 3.10).
struct AccessPeriod: Sendable {
    /// The transaction bought first, which represents the period.
    let first: StatedTransaction
    /// All transactions, including the first.
    var transactions: [StatedTransaction]

    init(_ first: StatedTransaction) {
        self.first = first
        transactions = [first]
    }

    var start: Int64 { first.start }

    /// The latest expiry of the unrevoked transactions, or of all transactions if all are revoked.
    var expires: Int64 {
        let valid = transactions.filter { $0.revoked == nil }
        return (valid.isEmpty ? transactions : valid).compactMap(\.expires).max() ?? 0
    }

    /// Returns whether every transaction of the period is revoked.
    func isRevoked(at instant: Int64) -> Bool { transactions.allSatisfy { $0.isRevoked(at: instant) } }

    func seats(at instant: Int64) -> Int64 {
        transactions.filter { $0.start <= instant && !$0.isRevoked(at: instant) }
            .reduce(0) { $0 + $1.quantity - $1.revokedSeats }
    }

    func has(_ transaction: StatedTransaction?) -> Bool {
        transactions.contains { $0.id == transaction?.id }
    }

    /// Groups competing transactions into periods, sorted by start. Overlapping transactions form one period if at
    /// least one of them is marked as an addition of seats, and separate periods otherwise.
    static func periods(of transactions: [StatedTransaction]) -> [AccessPeriod] {
        var clusters: [[StatedTransaction]] = []
        var end = Int64.min
        for transaction in transactions {
            if let last = clusters.indices.last, transaction.start < end {
                clusters[last].append(transaction)
            } else {
                clusters.append([transaction])
            }
            end = max(end, transaction.expires ?? 0)
        }
        return clusters.flatMap { cluster in
            guard cluster.contains(where: \.isSeatAddition), let first = cluster.first else {
                return cluster.map { AccessPeriod($0) }
            }
            var period = AccessPeriod(first)
            period.transactions = cluster
            return [period]
        }
    }
}

extension StatedTransaction {
    func isRevoked(at instant: Int64) -> Bool { revoked.map { $0 <= instant } ?? false }
}
