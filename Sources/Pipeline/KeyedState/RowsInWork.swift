internal import Kafka

/// The rows of one transaction: each is read once and written once, whatever happens to it in between.
struct RowsInWork<Model: StateModel> {
    typealias State = Model.State

    struct Entry {
        let row: StoredRow<State>
        var isChanged = false
        var isRemoved = false
        /// The moment of the topic's record that was merged, milliseconds since 1970.
        var readAt: Int64?
    }

    let model: Model
    /// Partitions of each topic, for keys that are first heard of through another one.
    let partitions: [KafkaTopic: Int32]
    /// In the order in which they were first asked for.
    private(set) var entries: [Entry] = []
    private var places: [RowName: Int] = [:]

    init(_ model: Model, _ guarded: StateStore<Model>.Guarded) {
        self.model = model
        partitions = guarded.partitions
    }

    /// Where the row of a name stands in `entries`, as it is in this transaction; nil for a new one.
    mutating func find(_ name: RowName, _ guarded: inout StateStore<Model>.Guarded) throws -> Int? {
        if let place = places[name] { return place }
        guard let row = try guarded.cache.take(name) ?? guarded.statements.row(name, model: model) else { return nil }
        return add(Entry(row: row), name)
    }

    private mutating func add(_ entry: Entry, _ name: RowName) -> Int {
        entries.append(entry)
        places[name] = entries.count - 1
        return entries.count - 1
    }

    /// - Parameter partition: of the topic, for a new row.
    mutating func merge(
        _ state: State, into name: RowName, in partition: KafkaTopicPartition,
        _ guarded: inout StateStore<Model>.Guarded
    ) throws -> StateMerge {
        guard let place = try find(name, &guarded) else {
            _ = add(Entry(row: StoredRow(partition: partition, key: name.key, state: state), isChanged: true), name)
            return StateMerge(isChanged: true)
        }
        let merge = try model.merge(state, into: &entries[place].row.state)
        if merge.isChanged {
            entries[place].isChanged = true
            // Whatever the topic's last word was, it says less now.
            entries[place].row.publishedMark = -1
        }
        return merge
    }

    /// Merges what the changed rows say about others, until nothing follows any more.
    mutating func spread(_ guarded: inout StateStore<Model>.Guarded) throws {
        var pending = entries.indices.filter { entries[$0].isChanged && !entries[$0].isRemoved }
        while !pending.isEmpty {
            var next: [Int] = []
            for place in pending {
                let row = entries[place].row
                for state in model.consequences(of: row.state) {
                    let other = RowName(topic: row.partition.topic, key: model.key(of: state))
                    let merge = try merge(state, into: other, in: partition(of: other, near: row), &guarded)
                    if merge.isChanged, let changed = places[other] { next.append(changed) }
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

    /// Lets a row be changed, beside merging.
    mutating func change(_ place: Int, _ body: (inout Entry) throws -> Void) rethrows { try body(&entries[place]) }

    /// Takes the row out of the database; what is merged into its name afterwards begins anew.
    mutating func remove(_ place: Int, _ name: RowName, _ guarded: inout StateStore<Model>.Guarded) throws {
        places[name] = nil
        entries[place].isRemoved = true
        if entries[place].row.id != 0 { try guarded.statements.remove(entries[place].row) }
    }

    /// After the commit: what was used may be used again.
    func giveBack(to cache: inout RowCache<State>) {
        for (name, place) in places where entries[place].row.id != 0 { cache.put(entries[place].row, name) }
    }
}
