package import AppStoreModel

/// The transactions of a purchase, each once, by purchaseDate and then transactionId.
package struct Transactions: Hashable, Sendable {
    /// In their order.
    package private(set) var values: [TransactionFacts] = []

    package var count: Int { values.count }
    package var isEmpty: Bool { values.isEmpty }
    package var keys: [TransactionId] { values.map { $0.transactionId } }

    package subscript(id: TransactionId) -> TransactionFacts? {
        get { index(of: id).map { values[$0] } }
        set {
            if let index = index(of: id) { values.remove(at: index) }
            guard let newValue else { return }
            var index = values.count
            while index > 0, Self.isOrdered(newValue, values[index - 1]) { index -= 1 }
            values.insert(newValue, at: index)
        }
    }

    mutating func removeAll(where isGone: (TransactionFacts) -> Bool) { values.removeAll(where: isGone) }

    /// Leaves the last of the order.
    mutating func keepLast(_ count: Int) {
        if values.count > count { values.removeFirst(values.count - count) }
    }

    /// Most are asked for soon after they were put.
    private func index(of id: TransactionId) -> Int? { values.lastIndex { $0.transactionId == id } }

    private static func isOrdered(_ one: TransactionFacts, _ other: TransactionFacts) -> Bool {
        let (start, otherStart) = (one.start, other.start)
        return start != otherStart ? start < otherStart : one.transactionId < other.transactionId
    }
}
