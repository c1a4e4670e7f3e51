package import AppStoreModel

/// The transactions of a purchase that are kept, each once, by start and then transactionId: see ``FactsBounds``.
package struct Transactions: Hashable, Sendable {
    /// In their order.
    package private(set) var values: [TransactionFacts] = []

    package init() {}

    /// Those of a text, in their order.
    init(ordered values: [TransactionFacts]) { self.values = values }

    package var count: Int { values.count }
    package var isEmpty: Bool { values.isEmpty }
    package var keys: [TransactionId] { values.map(\.transactionId) }

    package subscript(id: TransactionId) -> TransactionFacts? { self[TransactionKey(id)] }

    subscript(key: TransactionKey) -> TransactionFacts? { index(of: key).map { values[$0] } }

    /// What a statement about a transaction did.
    enum Outcome {
        case taken
        /// It was known.
        case known
        /// It is older than what is known, or than everything that is kept.
        case stale
    }

    /// Takes in a statement about one transaction.
    mutating func take(_ offered: TransactionFacts) -> Outcome {
        if let index = index(of: offered.key) {
            guard TransactionFacts.isNewer(offered, than: values[index]) else {
                return offered.version == values[index].version ? .known : .stale
            }
            values.remove(at: index)
            // There is room for it again, unless Apple calls it something else than before.
            _ = insertWhereRoom(offered)
            return .taken
        }
        return insertWhereRoom(offered) ? .taken : .stale
    }

    /// As ``take(_:)``, where of all transactions those are kept whose statements are the latest.
    ///
    /// - Parameter isNewer: decides which of two statements about one transaction is kept.
    mutating func take(
        _ offered: TransactionFacts, latest bound: Int,
        isNewer: (TransactionFacts, TransactionFacts) -> Bool
    ) -> Outcome {
        if let index = index(of: offered.key) {
            guard isNewer(offered, values[index]) else { return offered == values[index] ? .known : .stale }
            values.remove(at: index)
        }
        insert(offered)
        guard values.count > bound,
            let oldest = values.min(by: { ($0.version, $0.key) < ($1.version, $1.key) })?.key
        else { return .taken }
        values.removeAll { $0.key == oldest }
        return oldest == offered.key ? .stale : .taken
    }

    /// Puts a statement in the place of what is known of its transaction, whichever is newer: for evaluation.
    mutating func overlay(_ statement: TransactionFacts) {
        values.removeAll { $0.key == statement.key }
        insert(statement)
    }

    mutating func removeAll(where isGone: (TransactionFacts) -> Bool) { values.removeAll(where: isGone) }

    /// The first period that is kept where others may have been before it; nil while there is room for more.
    var firstPeriodOfMany: TransactionFacts? { lowestWhereFull(isPeriod: true).map { values[$0] } }

    /// - Returns: false where everything that is kept comes after it.
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

    /// Where the lowest of the periods, or of the others, is; nil while there is room for one more of them.
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

    /// Most are asked for soon after they were put.
    private func index(of key: TransactionKey) -> Int? { values.lastIndex { $0.key == key } }
}
