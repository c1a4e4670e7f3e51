internal import Kafka
internal import PipelineRuntime
internal import Synchronization

/// One partition of a state's topic from the point of view of this process: recently used, decoded rows, and the
/// overlay of publications that have not been read back yet. Each partition has its own lock, so that partitions run in
/// parallel. No code waits for a broker or a transaction while holding the lock.
final class StatePartition<Model: StateModel>: Sendable {
    typealias State = Model.State
    typealias Entry = RowCache<Model>.Entry

    struct Guarded {
        var cache = RowCache<Model>()
        var lastNumber: UInt64 = 0
        var isOwned = false
        /// Whether the topic contains a record in a newer format, which must not be overwritten.
        var isBlocked = false
        /// States, by key, that the brokers refuse. Most are refused because of their size.
        var oversized: [[UInt8]: Oversized] = [:]
        /// Time of the next attempt, by key, for each refused tombstone of an expired row.
        var refusedRemovals: [[UInt8]: Int64] = [:]
        /// Time of the next attempt, by key, for each row whose derived updates the brokers refuse.
        var refusedUpdates: [[UInt8]: Int64] = [:]
        /// Entries whose rows are being written.
        var writing: [Entry] = []
        /// Rows that are being written but were not decoded.
        var copies = CopiedRows()
        /// Keys restored so far while a database without rows is being restored; nil otherwise.
        var restored: RestoredKeys?
    }

    /// A state that the brokers refuse; it is retried from time to time.
    struct Oversized {
        let encoded: [UInt8]
        /// Time of the next attempt, milliseconds since 1970.
        var retryAt: Int64
        /// Whether the state is refused because of its size; true until another reason is known.
        var isTooLarge = true
    }

    /// Time between attempts to publish a refused row, in milliseconds. Retries can succeed because the topic's
    /// settings may have changed.
    static var oversizedRetry: Int64 { 60_000 }

    let name: KafkaTopicPartition
    let model: Model
    let form: Int64
    let writer: UInt64
    /// Maximum size in bytes of the encoded rows in the cache. Decoded, they are about four times as large.
    let maximumBytes: Int
    /// Number of partitions of the topic.
    let partitionCount: Int32
    private let rows: StateRowSource
    let outstanding = OutstandingPublications()
    /// Allows one caller at a time to isolate refused rows, so that two callers cannot publish in the same batch.
    let isolating = Permits(1)
    let publish:
        @Sendable (KafkaProducerRecord, @escaping @Sendable (Result<KafkaDelivery, KafkaError>) -> Void) -> Void
    private let guarded = Mutex(Guarded())

    /// - Parameters:
    ///   - publish: sends records in call order; must not block.
    ///   - maximumBytes: the maximum size of the encoded rows cached in addition to those in use.
    init(
        _ name: KafkaTopicPartition, model: Model, writer: UInt64, rows: StateRowSource, partitionCount: Int32,
        maximumBytes: Int,
        publish:
            @escaping @Sendable (
                KafkaProducerRecord, @escaping @Sendable (Result<KafkaDelivery, KafkaError>) -> Void
            ) -> Void
    ) {
        self.name = name
        self.model = model
        self.writer = writer
        self.rows = rows
        self.partitionCount = partitionCount
        self.maximumBytes = maximumBytes
        self.publish = publish
        form = RecordMark.form(of: model.fingerprint)
    }

    func withLock<Result: Sendable>(_ body: (inout Guarded) throws -> Result) rethrows -> Result {
        try guarded.withLock { try body(&$0) }
    }

    var isOwned: Bool { guarded.withLock { $0.isOwned } }

    /// Becomes the owner of the partition.
    ///
    /// - Parameter oversized: states, by key, that were refused when the partition was last owned.
    func own(oversized: [[UInt8]: [UInt8]] = [:]) {
        guarded.withLock { guarded in
            guarded.isOwned = true
            guarded.oversized = oversized.mapValues { Oversized(encoded: $0, retryAt: 0) }
            guarded.refusedRemovals = [:]
            guarded.refusedUpdates = [:]
        }
    }

    /// Releases ownership because the partition was revoked. The next owner recomputes unpublished changes, and this
    /// process's records that are read back later are treated like another member's.
    func disown() {
        guarded.withLock { guarded in
            guarded.isOwned = false
            guarded.oversized = [:]
            guarded.refusedRemovals = [:]
            guarded.refusedUpdates = [:]
            for entry in guarded.cache.entries.values { entry.state.revoked() }
            guarded.cache.sweep(to: 0)
        }
    }

    func block() { guarded.withLock { $0.isBlocked = true } }

    /// Begins restoring a partition that has no rows yet. From then on, all keys that have a row are recorded.
    ///
    /// - Parameter takesRows: whether rows published with the current fingerprint are copied from records without being
    ///   decoded.
    func beginRestore(takesRows: Bool = true) {
        guarded.withLock { $0.restored = RestoredKeys(takesRows: takesRows, partitions: partitionCount) }
    }

    /// Ends the restore, so that rows are looked up in the database again.
    func endRestore() { guarded.withLock { $0.restored = nil } }

    /// Number of rows that the brokers refuse because of their size, and number of rows refused for other reasons.
    var refusedRows: (tooLarge: Int, others: Int) {
        guarded.withLock { guarded in
            let tooLarge = guarded.oversized.values.count { $0.isTooLarge }
            return (tooLarge, guarded.oversized.count - tooLarge + guarded.refusedRemovals.count)
        }
    }

    /// Number of rows that the search for pending rows may find although they are not due for another attempt.
    var postponedRows: Int {
        guarded.withLock { $0.oversized.count + $0.refusedRemovals.count + $0.refusedUpdates.count }
    }

    /// Returns the current state of a key, including publications that have not been read back yet.
    func known(_ key: [UInt8]) throws -> State? { try guarded.withLock { try find(key, &$0)?.state.current?.value } }

    /// Returns the winning proposal for a key, as far as the topic has been read.
    func proposal(of key: [UInt8]) throws -> StateProposal? {
        try guarded.withLock { try find(key, &$0)?.state.image.proposal }
    }

    func requireUnblocked(_ guarded: Guarded) throws(StateError) {
        guard guarded.isBlocked else { return }
        throw StateError(.newer, "\(name) contains a record in a newer format")
    }

    // MARK: Rows

    func find(_ key: [UInt8], _ guarded: inout Guarded) throws -> Entry? {
        let key = RowKey(key)
        if let entry = guarded.cache[key] { return entry }
        let id = guarded.restored?.id(of: key.bytes)
        guard id != 0, let stored = try rows.row(of: key.bytes, id: id, in: name) else { return nil }
        return try guarded.cache.insert(stored, key, of: model)
    }

    func findOrMake(_ key: [UInt8], _ guarded: inout Guarded) throws -> Entry {
        if let entry = try find(key, &guarded) { return entry }
        return guarded.cache.insert(RowKey(key))
    }

    /// Reads the rows of keys that are not in memory, with one database query.
    func load(_ keys: [RowKey], _ guarded: inout Guarded) throws {
        var missing: Set<RowKey> = []
        for key in keys where guarded.cache.entries[key] == nil && guarded.restored?.mayHold(key.bytes) != false {
            missing.insert(key)
        }
        guard !missing.isEmpty else { return }
        let restored = guarded.restored
        try rows.rows(of: missing.map { ($0.bytes, restored?.id(of: $0.bytes)) }, in: name) { key, stored in
            guard let key = missing.remove(RowKey(key)) else { return }
            _ = try guarded.cache.insert(stored, key, of: model)
        }
    }

    /// Returns the entry for a key. Its row, if it has one, must already be in memory.
    func entry(of key: RowKey, _ guarded: inout Guarded) -> Entry {
        if let entry = guarded.cache[key] { return entry }
        return guarded.cache.insert(key)
    }
}
