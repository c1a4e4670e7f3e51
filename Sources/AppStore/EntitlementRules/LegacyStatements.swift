internal import AppStoreModel
internal import JSON

/// Statements about transactions from version 1 notifications, the latest by time of receipt. For each transaction, the
/// statement with the greatest date applies.
///
/// Statements with lesser dates are stored, too. The bound and erasures drop statements by time of receipt, and the
/// statement with the greatest date may be dropped before a lesser one that was received later. If the lesser one were
/// not stored, the result would depend on which of them was merged first.
struct LegacyStatements: Hashable, Sendable {
    /// The date that decides which statement about a transaction applies.
    enum Order: Hashable, Sendable {
        case expiry
        case cancellation
    }

    private let order: Order
    /// The statements, sorted by start, transactionId and date. Each combination of transactionId and date is unique.
    private(set) var values: [TransactionFacts] = []

    init(by order: Order) { self.order = order }

    var isEmpty: Bool { values.isEmpty }

    /// The statement with the greatest date about each transaction.
    var greatest: Transactions {
        var greatest: [TransactionKey: TransactionFacts] = [:]
        for value in values {
            if let known = greatest[value.key], date(of: known) > date(of: value) { continue }
            greatest[value.key] = value
        }
        return Transactions(ordered: greatest.values.sorted(by: TransactionFacts.isOrdered))
    }

    /// Merges a statement and keeps only the statements that were received last. If several statements about a
    /// transaction have the same date, the one received last is kept.
    mutating func take(_ offered: TransactionFacts) -> Transactions.Outcome {
        let date = date(of: offered)
        if let index = values.firstIndex(where: { $0.key == offered.key && self.date(of: $0) == date }) {
            guard TransactionFacts.isNewer(offered, than: values[index]) else {
                return offered == values[index] ? .known : .stale
            }
            values.remove(at: index)
        }
        let place = values.firstIndex { isOrdered(offered, $0) } ?? values.count
        values.insert(offered, at: place)
        guard values.count > FactsBounds.legacyTransactions,
            let first = values.indices.min(by: { isReceivedEarlier(values[$0], values[$1]) })
        else { return .taken }
        values.remove(at: first)
        return first == place ? .stale : .taken
    }

    mutating func removeAll(receivedUpTo moment: AppStoreInstant) {
        values.removeAll { $0.version.signedDate <= moment }
    }

    private func date(of statement: TransactionFacts) -> AppStoreInstant {
        switch order {
        case .expiry: statement.expiresDate ?? .earliest
        case .cancellation: statement.revocationDate ?? .earliest
        }
    }

    private func isOrdered(_ one: TransactionFacts, _ other: TransactionFacts) -> Bool {
        (one.start, one.key, date(of: one)) < (other.start, other.key, date(of: other))
    }

    private func isReceivedEarlier(_ one: TransactionFacts, _ other: TransactionFacts) -> Bool {
        (one.version, one.key, date(of: one)) < (other.version, other.key, date(of: other))
    }

    // MARK: JSON

    /// Writes the statements with the greatest dates like ``Transactions``, and the others in the same form as the
    /// member `superseded`, which earlier versions ignore.
    func write(to object: inout JSONWriter) {
        let greatest = greatest
        greatest.write(to: &object)
        let others = values.filter { greatest[$0.key] != $0 }
        guard !others.isEmpty else { return }
        object.object("superseded") { Transactions(ordered: others).write(to: &$0) }
    }
}
