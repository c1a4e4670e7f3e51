internal import Kafka
internal import SQLite

/// The rows of one transaction: each is read once and written once, whatever happens to it in between.
struct RowsInWork<Model: StateModel> {
    typealias State = Model.State

    struct Entry {
        let row: StoredRow<State>
        var isChanged = false
        /// The moment of the topic's record that was merged, milliseconds since 1970.
        var readAt: Int64?
    }

    let model: Model
    let database: Database
    /// Partitions of each topic, for keys that are first heard of through another one.
    let partitions: [KafkaTopic: Int32]
    private(set) var entries: [RowName: Entry] = [:]

    init(_ model: Model, _ guarded: StateStore<Model>.Guarded) {
        self.model = model
        database = guarded.database
        partitions = guarded.partitions
    }

    /// The row of a name as it is in this transaction; nil for a new one.
    mutating func entry(_ name: RowName, _ cache: inout RowCache<State>) throws -> Entry? {
        if let entry = entries[name] { return entry }
        guard let row = try cache.take(name) ?? database.row(name, model: model) else { return nil }
        let entry = Entry(row: row)
        entries[name] = entry
        return entry
    }

    /// - Parameter partition: of the topic, for a new row.
    mutating func merge(
        _ state: State, into name: RowName, in partition: KafkaTopicPartition, _ cache: inout RowCache<State>
    ) throws -> StateMerge {
        guard try entry(name, &cache) != nil else {
            entries[name] = Entry(
                row: StoredRow(partition: partition, key: name.key, state: state), isChanged: true)
            return StateMerge(isChanged: true)
        }
        guard let index = entries.index(forKey: name) else { return StateMerge(isChanged: false) }
        let merge = try model.merge(state, into: &entries.values[index].row.state)
        if merge.isChanged {
            entries.values[index].isChanged = true
            // Whatever the topic's last word was, it says less now.
            entries.values[index].row.publishedMark = -1
        }
        return merge
    }

    /// Merges what the changed rows say about others, until nothing follows any more.
    mutating func spread(_ cache: inout RowCache<State>) throws {
        var pending = entries.filter(\.value.isChanged).map(\.key)
        while !pending.isEmpty {
            var next: [RowName] = []
            for name in pending {
                guard let row = entries[name]?.row else { continue }
                for state in model.consequences(of: row.state) {
                    let other = RowName(topic: name.topic, key: model.key(of: state))
                    let merge = try merge(state, into: other, in: partition(of: other, near: row), &cache)
                    if merge.isChanged { next.append(other) }
                }
            }
            pending = next
        }
    }

    private func partition(of name: RowName, near row: StoredRow<State>) -> KafkaTopicPartition {
        guard let count = partitions[name.topic] else { return row.partition }
        return KafkaTopicPartition(
            topic: name.topic, partition: KafkaPartition(ofKey: name.key, partitions: count))
    }

    mutating func change(_ name: RowName, _ body: (inout Entry) throws -> Void) rethrows {
        guard let index = entries.index(forKey: name) else { return }
        try body(&entries.values[index])
    }

    mutating func remove(_ name: RowName) throws {
        guard let entry = entries.removeValue(forKey: name), entry.row.id != 0 else { return }
        try database.remove(entry.row)
    }

    /// After the commit: what was used may be used again.
    func giveBack(to cache: inout RowCache<State>) {
        for (name, entry) in entries where entry.row.id != 0 { cache.put(entry.row, name) }
    }
}
