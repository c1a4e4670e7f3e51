internal import Kafka
internal import Synchronization

/// One partition of a state's topic as this process knows it: recently used rows, decoded, and the overlay of what was
/// published and not read back. Each partition has a lock of its own, so that partitions run in parallel; nothing waits
/// for a broker or a transaction under it.
final class StatePartition<Model: StateModel>: Sendable {
    typealias State = Model.State
    typealias Entry = RowCache<Model>.Entry

    struct Guarded {
        var cache = RowCache<Model>()
        var lastNumber: UInt64 = 0
        var isOwned = false
        /// A record of a newer format is in the topic: nothing may be published over it.
        var isBlocked = false
        /// States that the brokers refuse, most of them for their size.
        var oversized: [[UInt8]: Oversized] = [:]
        /// Tombstones of expired rows that the brokers refuse, and when they are tried again.
        var refusedRemovals: [[UInt8]: Int64] = [:]
        /// The entries whose rows are being written.
        var writing: [Entry] = []
        /// Rows that are being written without having been read.
        var unread: [RowWrite] = []
        /// While a database without rows is restored.
        var restored: RestoredKeys?
    }

    /// A state that the brokers refuse; it is tried again from time to time.
    struct Oversized {
        let encoded: [UInt8]
        /// Milliseconds since 1970.
        var retryAt: Int64
        /// Whether its size is what they refuse, as far as is known.
        var isTooLarge = true
    }

    /// Milliseconds: a setting of the topic may have changed.
    static var oversizedRetry: Int64 { 60_000 }

    let name: KafkaTopicPartition
    let model: Model
    let form: Int64
    let writer: UInt64
    /// Of encoded rows; decoded they are about four times as large.
    let maximumBytes: Int
    /// Of the topic.
    let partitionCount: Int32
    private let rows: StateRowSource
    let publish:
        @Sendable (KafkaProducerRecord, @escaping @Sendable (Result<KafkaDelivery, KafkaError>) -> Void) -> Void
    private let guarded = Mutex(Guarded())

    /// - Parameters:
    ///   - publish: sends in this order; must not block.
    ///   - maximumBytes: of encoded rows that are kept beside those in use.
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

    /// - Parameter oversized: states that were too large to publish when the partition was owned last, by key.
    func own(oversized: [[UInt8]: [UInt8]] = [:]) {
        guarded.withLock { guarded in
            guarded.isOwned = true
            guarded.oversized = oversized.mapValues { Oversized(encoded: $0, retryAt: 0) }
            guarded.refusedRemovals = [:]
        }
    }

    /// The partition is revoked: what was not published is computed again by its next owner, and own records that are
    /// read back later are read as another's.
    func disown() {
        guarded.withLock { guarded in
            guarded.isOwned = false
            guarded.oversized = [:]
            guarded.refusedRemovals = [:]
            for entry in guarded.cache.entries.values { entry.state.revoked() }
            guarded.cache.sweep(to: 0)
        }
    }

    func block() { guarded.withLock { $0.isBlocked = true } }

    /// The database has no rows of the partition: those that are written from now on are known.
    ///
    /// - Parameter takesRows: rows of this form are not read.
    func beginRestore(takesRows: Bool = true) {
        guarded.withLock { $0.restored = RestoredKeys(takesRows: takesRows) }
    }

    /// Rows are looked for in the database again.
    func endRestore() { guarded.withLock { $0.restored = nil } }

    /// Rows that the brokers refuse, for their size and for something else.
    var refusedRows: (tooLarge: Int, others: Int) {
        guarded.withLock { guarded in
            let tooLarge = guarded.oversized.values.count { $0.isTooLarge }
            return (tooLarge, guarded.oversized.count - tooLarge + guarded.refusedRemovals.count)
        }
    }

    /// What is known of a key, what was published and not read back included.
    func known(_ key: [UInt8]) throws -> State? { try guarded.withLock { try find(key, &$0)?.state.current?.value } }

    /// The proposal that has won, as far as the topic was read.
    func proposal(of key: [UInt8]) throws -> StateProposal? {
        try guarded.withLock { try find(key, &$0)?.state.image.proposal }
    }

    func requireUnblocked(_ guarded: Guarded) throws(StateError) {
        guard guarded.isBlocked else { return }
        throw StateError(.newer, "\(name) holds a record of a newer format")
    }

    // MARK: Rows

    func find(_ key: [UInt8], _ guarded: inout Guarded) throws -> Entry? {
        let key = RowKey(key)
        if let entry = guarded.cache[key] { return entry }
        guard let stored = try rows.row(of: key.bytes, in: name) else { return nil }
        return try guarded.cache.insert(stored, key, of: model)
    }

    func findOrMake(_ key: [UInt8], _ guarded: inout Guarded) throws -> Entry {
        if let entry = try find(key, &guarded) { return entry }
        return guarded.cache.insert(RowKey(key))
    }

    /// Reads the rows of keys that are not in memory, in one look at the database.
    func load(_ keys: [RowKey], _ guarded: inout Guarded) throws {
        var missing: Set<RowKey> = []
        for key in keys where guarded.cache.entries[key] == nil && guarded.restored?.mayHold(key.bytes) != false {
            missing.insert(key)
        }
        guard !missing.isEmpty else { return }
        try rows.rows(of: missing.map(\.bytes), in: name) { key, stored in
            guard let key = missing.remove(RowKey(key)) else { return }
            _ = try guarded.cache.insert(stored, key, of: model)
        }
    }

    /// The entry of a key whose row is in memory, if there is one.
    func entry(of key: RowKey, _ guarded: inout Guarded) -> Entry {
        if let entry = guarded.cache[key] { return entry }
        return guarded.cache.insert(key)
    }
}
