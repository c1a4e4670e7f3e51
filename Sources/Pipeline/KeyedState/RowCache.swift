internal import Kafka

/// Rows that were used lately, decoded: reading one costs more than merging into it.
///
/// Two generations: what is used moves to the young one, and when that is full the old one goes. Whoever changes a row
/// takes it out and puts it back when it is committed, so that nothing here is other than in the database.
struct RowCache<State: Sendable & Equatable> {
    private var young: [RowName: StoredRow<State>] = [:]
    private var old: [RowName: StoredRow<State>] = [:]
    private var youngBytes = 0
    /// Of encoded rows in one generation; decoded they are about four times as large.
    private let maximumBytes: Int

    init(maximumBytes: Int = 1 << 20) { self.maximumBytes = maximumBytes }

    mutating func take(_ name: RowName) -> StoredRow<State>? {
        if let row = young.removeValue(forKey: name) {
            youngBytes -= row.size
            return row
        }
        return old.removeValue(forKey: name)
    }

    mutating func put(_ row: StoredRow<State>, _ name: RowName) {
        guard row.size <= maximumBytes / 16 else { return }
        if let replaced = young.updateValue(row, forKey: name) { youngBytes -= replaced.size }
        youngBytes += row.size
        guard youngBytes > maximumBytes else { return }
        old = young
        young = [:]
        youngBytes = 0
    }

    /// Notes that the topic's last word on a row is another.
    func published(_ name: RowName, offset: Int64, mark: Int64) {
        guard let row = young[name] ?? old[name], row.published <= offset else { return }
        row.published = offset
        row.publishedMark = mark
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
        youngBytes = 0
    }
}
