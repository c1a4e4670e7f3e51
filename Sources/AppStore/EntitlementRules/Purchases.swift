package import AppStoreModel

/// The purchases of a chain, each once, by purchaseDate and then transactionId.
package struct Purchases: Hashable, Sendable {
    /// In their order.
    package private(set) var values: [PurchaseFacts] = []

    package var count: Int { values.count }
    package var isEmpty: Bool { values.isEmpty }
    package var keys: [TransactionId] { values.map { $0.transactionId } }

    package subscript(id: TransactionId) -> PurchaseFacts? {
        get { index(of: id).map { values[$0] } }
        set {
            if let index = index(of: id) { values.remove(at: index) }
            guard let newValue else { return }
            var index = values.count
            while index > 0, Self.isOrdered(newValue, values[index - 1]) { index -= 1 }
            values.insert(newValue, at: index)
        }
    }

    mutating func removeAll(where isGone: (PurchaseFacts) -> Bool) { values.removeAll(where: isGone) }

    /// Leaves the last of the order.
    mutating func keepLast(_ count: Int) {
        if values.count > count { values.removeFirst(values.count - count) }
    }

    /// Most are asked for soon after they were put.
    private func index(of id: TransactionId) -> Int? { values.lastIndex { $0.transactionId == id } }

    private static func isOrdered(_ one: PurchaseFacts, _ other: PurchaseFacts) -> Bool {
        let (start, otherStart) = (one.start, other.start)
        return start != otherStart ? start < otherStart : one.transactionId < other.transactionId
    }
}
