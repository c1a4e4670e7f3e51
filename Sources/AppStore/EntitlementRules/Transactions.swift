package import AppStoreModel

/// The stored transactions of a purchase, unique and sorted by start, then by transactionId. ``FactsBounds`` limits
/// their number.
package struct Transactions: Hashable, Sendable {
    /// The transactions, sorted by start, then by transactionId.
    package private(set) var values: [TransactionFacts] = []

    package init() {}

    /// Creates a list from stored transactions that are already sorted.
    init(ordered values: [TransactionFacts]) { self.values = values }

    package var count: Int { values.count }
    package var isEmpty: Bool { values.isEmpty }
    package var keys: [TransactionId] { values.map(\.transactionId) }

    package subscript(id: TransactionId) -> TransactionFacts? { self[TransactionKey(id)] }

    subscript(key: TransactionKey) -> TransactionFacts? { index(of: key).map { values[$0] } }

    /// The effect of a statement about a transaction.
    enum Outcome {
        case taken
        /// The statement was already known.
        case known
        /// The statement is out of date, or the limit has been reached and its transaction is older than all stored
        /// transactions of its kind.
        case stale
    }

    /// Merges a statement about one transaction.
    mutating func take(_ offered: TransactionFacts) -> Outcome {
        if let index = index(of: offered.key) {
            guard TransactionFacts.isNewer(offered, than: values[index]) else {
                return offered.version == values[index].version ? .known : .stale
            }
            values.remove(at: index)
            // If Apple has not changed the kind of the transaction, removing the older statement has freed space.
            _ = insertWhereRoom(offered)
            return .taken
        }
        return insertWhereRoom(offered) ? .taken : .stale
    }

    /// Replaces the known statement about a transaction regardless of its version. Use this only for evaluation.
    mutating func overlay(_ statement: TransactionFacts) {
        values.removeAll { $0.key == statement.key }
        insert(statement)
    }

    mutating func removeAll(where isGone: (TransactionFacts) -> Bool) { values.removeAll(where: isGone) }

    /// The first stored period if earlier periods may have been dropped, or nil if the limit has not been reached.
    var firstPeriodOfMany: TransactionFacts? { lowestWhereFull(isPeriod: true).map { values[$0] } }

    /// - Returns: false if the limit has been reached and the transaction precedes all stored transactions of its kind.
    private mutating func insertWhereRoom(_ offered: TransactionFacts) -> Bool {
        if let lowest = lowestWhereFull(isPeriod: offered.isPeriod) {
            guard TransactionFacts.isOrdered(values[lowest], offered) else { return false }
            values.remove(at: lowest)
        }
        insert(offered)
        return true
    }

    private mutating func insert(_ offered: TransactionFacts) {
        var offered = offered
        if let known = values.last(where: { $0.traits == offered.traits }) { offered.traits = known.traits }
        var index = values.count
        while index > 0, TransactionFacts.isOrdered(offered, values[index - 1]) { index -= 1 }
        values.insert(offered, at: index)
    }

    /// Returns the index of the first transaction of a kind if the limit for that kind has been reached, and otherwise
    /// nil. The kinds are periods and other transactions.
    private func lowestWhereFull(isPeriod: Bool) -> Int? {
        guard values.count >= min(FactsBounds.periods, FactsBounds.others) else { return nil }
        var lowest: Int?
        var count = 0
        for index in values.indices where values[index].isPeriod == isPeriod {
            lowest = lowest ?? index
            count += 1
        }
        return count >= (isPeriod ? FactsBounds.periods : FactsBounds.others) ? lowest : nil
    }

    /// Returns the index of a transaction. Searches from the end, because most lookups are for recently inserted
    /// transactions.
    private func index(of key: TransactionKey) -> Int? { values.lastIndex { $0.key == key } }
}
