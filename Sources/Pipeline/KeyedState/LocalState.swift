public import Kafka
internal import SQLite
internal import Synchronization
internal import Telemetry

/// A keyed state without brokers, for testing models: publications are appended to an in-memory log, and are
/// acknowledged and read back immediately.
public final class LocalState<Model: StateModel>: Sendable {
    public typealias State = Model.State

    /// All records of the topics, oldest first.
    public var log: [KafkaRecord] { records.all }

    private let model: Model
    private let store: StateStore
    private let rows: StateRowSource
    private let partitions: [KafkaTopicPartition: StatePartition<Model>]
    private let partitionCount: Int32
    private let path: String
    private let records: RecordLog

    /// - Parameters:
    ///   - path: the path of the database; its directory must exist.
    ///   - topics: the state's topics.
    ///   - count: the number of partitions of each topic.
    /// - Throws: a ``StateError`` if the file cannot be used.
    public init(path: String, model: Model, topics: [KafkaTopic], partitions count: Int32 = 1) throws {
        self.model = model
        self.path = path
        partitionCount = count
        let log = RecordLog()
        records = log
        store = try StateStore(Database(path: path), topics: topics, dictionary: model.dictionary)
        let rows = try StateRowSource(
            path: path, topics: store.topics, dictionary: model.dictionary, store: store, connections: 1)
        self.rows = rows
        var partitions: [KafkaTopicPartition: StatePartition<Model>] = [:]
        for topic in topics {
            for number in 0..<count {
                let place = KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: number))
                let partition = StatePartition(
                    place, model: model, writer: 1, rows: rows, partitionCount: count, maximumBytes: 1 << 20,
                    publish: { log.append($0, then: $1) })
                partition.own()
                partitions[place] = partition
            }
        }
        self.partitions = partitions
    }

    /// Merges states, publishes the changes and reads them back.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: the states that changed.
    @discardableResult
    public func merge(_ states: [State], in topic: KafkaTopic, at now: Int64) throws -> [State] {
        var changed: [State] = []
        var next = states
        while !next.isEmpty {
            var derived: [State] = []
            for (place, batch) in Dictionary(grouping: next, by: { place(of: model.key(of: $0), in: topic) }) {
                guard let partition = partitions[place] else { continue }
                let merge = try partition.merge(batch, at: now, .later)
                if let fault = merge.faults.values.first { throw fault }
                changed += merge.changed
                derived += merge.changed.flatMap(model.derivedUpdates(of:))
                try readBack(partition)
            }
            next = derived
        }
        return changed
    }

    /// Makes a proposal for a key and reads it back, as ``KeyedState/propose(_:for:in:)`` does.
    ///
    /// - Returns: the winning proposal.
    @discardableResult
    public func propose(
        _ proposal: [UInt8], for state: State, in topic: KafkaTopic, at now: Int64
    ) throws -> StateProposal? {
        let key = model.key(of: state)
        guard let partition = partitions[place(of: key, in: topic)] else { return nil }
        if try partition.propose(proposal, for: state, at: now) != nil { try readBack(partition) }
        return try partition.proposal(of: key)
    }

    /// Returns the winning proposal for a key; nil if there is none.
    public func proposal(of key: [UInt8], in topic: KafkaTopic) throws -> StateProposal? {
        try partitions[place(of: key, in: topic)]?.proposal(of: key)
    }

    /// Publishes rows that are due, or whose record in the topic is outdated, as the owner of all partitions would.
    ///
    /// - Returns: the number of rows published.
    @discardableResult
    public func publishPending(at now: Int64) throws -> Int {
        var count = 0
        for partition in partitions.values {
            let keys = try rows.pending(of: partition.name, at: now, atMost: 10_000)
            count += try partition.republish(keys, at: now)?.count ?? 0
            try readBack(partition)
        }
        return count
    }

    /// Appends a record, as another member would, and applies it.
    public func write(_ record: KafkaProducerRecord) throws {
        var record = record
        record.partition = record.partition ?? record.key.map { place(of: $0, in: record.topic).partition }
        records.append(record) { _ in }
        for partition in partitions.values where partition.name.partition == record.partition {
            try readBack(partition)
        }
    }

    /// Returns the state for a key; nil if there is none.
    public func state(of key: [UInt8], in topic: KafkaTopic) throws -> State? {
        try partitions[place(of: key, in: topic)]?.known(key)
    }

    /// Returns all states, in no particular order.
    public func states() throws -> [State] { try rows.states().map(model.decode) }

    /// Returns a reader for the rows.
    public func reader() throws -> StateReader<Model> {
        try StateReader(path: path, topics: store.topics, model: model)
    }

    /// Closes the database.
    public func close() {
        rows.close()
        store.close()
    }

    private func place(of key: [UInt8], in topic: KafkaTopic) -> KafkaTopicPartition {
        KafkaTopicPartition(topic: topic, partition: KafkaPartition(ofKey: key, partitions: partitionCount))
    }

    private func readBack(_ partition: StatePartition<Model>) throws {
        let next = try store.position(of: partition.name)?.next ?? 0
        let records = records.records(of: partition.name, from: next)
        guard let last = records.last else { return }
        let applied = try partition.apply(records)
        let ids = try store.apply(
            StateWrite(applied, of: partition, next: last.offset.rawValue + 1, now: 0))
        partition.committed(ids)
    }
}

/// In-memory topics.
private final class RecordLog: Sendable {
    private struct State {
        var all: [KafkaRecord] = []
        var partitions: [KafkaTopicPartition: [KafkaRecord]] = [:]
    }

    private let state = Mutex(State())

    var all: [KafkaRecord] { state.withLock { $0.all } }

    func records(of place: KafkaTopicPartition, from next: Int64) -> [KafkaRecord] {
        state.withLock { Array($0.partitions[place, default: []].dropFirst(Int(clamping: next))) }
    }

    func append(
        _ record: KafkaProducerRecord, then completion: @Sendable (Result<KafkaDelivery, KafkaError>) -> Void
    ) {
        let place = KafkaTopicPartition(topic: record.topic, partition: record.partition ?? 0)
        let offset = state.withLock { state in
            let offset = KafkaOffset(rawValue: Int64(state.partitions[place, default: []].count))
            let appended = KafkaRecord(
                topic: place.topic, partition: place.partition, offset: offset,
                timestampMilliseconds: record.timestampMilliseconds ?? 0, key: record.key, value: record.value,
                headers: record.headers)
            state.partitions[place, default: []].append(appended)
            state.all.append(appended)
            return offset
        }
        completion(.success(KafkaDelivery(topic: place.topic, partition: place.partition, offset: offset)))
    }
}
