internal import Kafka
internal import Synchronization

/// One partition of a state's topic as this process knows it: recently used rows, decoded, and the overlay of what was
/// published and not read back. Each partition has a lock of its own, so that partitions run in parallel; nothing waits
/// for a broker or a transaction under it.
final class StatePartition<Model: StateModel>: Sendable {
    typealias State = Model.State
    typealias Entry = StateEntry<State>

    struct Guarded {
        var entries: [RowKey: Entry] = [:]
        /// Of the encoded rows in `entries`.
        var bytes = 0
        /// The present sweep of the cache.
        var generation = 0
        /// The cache is not swept again below this, in bytes: what the last sweep left was in use.
        var sweepAt = 0
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
    private let publish:
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
            for entry in guarded.entries.values {
                entry.publications = []
                entry.current = entry.row
                entry.isUnpublished = false
            }
            sweep(&guarded, to: 0)
        }
    }

    func block() { guarded.withLock { $0.isBlocked = true } }

    /// The database has no rows of the partition: those that are written from now on are known.
    func beginRestore() { guarded.withLock { $0.restored = RestoredKeys() } }

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
    func known(_ key: [UInt8]) throws -> State? { try guarded.withLock { try find(key, &$0)?.current?.value } }

    /// The proposal that has won, as far as the topic was read.
    func proposal(of key: [UInt8]) throws -> StateProposal? {
        try guarded.withLock { try find(key, &$0)?.image.proposal }
    }

    // MARK: Merging and publishing

    struct Merge {
        /// Positions in the batch of the states that changed their row.
        var changed: [State] = []
        var late = 0
        /// By position in the batch: what could not be merged.
        var faults: [Int: any Error] = [:]
        /// States whose derived updates must be published before themselves.
        var deferred: [State] = []
        /// What must be acknowledged: own publications, and earlier ones of the keys.
        var deliveries: [StateDelivery] = []
    }

    /// Treatment of the updates that merged rows derive for other keys.
    enum Derivation {
        /// Changed rows that derive updates are deferred.
        case first
        /// Unchanged rows are deferred, too: a member may have died after it had published such a row and before it had
        /// published what the row says about the key whose update this is.
        case firstOfAll
        /// The updates of exactly the merged states are published; rows that derive others by now are deferred.
        case published
        /// The caller publishes them afterwards.
        case later
    }

    /// Merges states into what is known of their keys, and publishes what changed.
    ///
    /// - Parameter now: milliseconds since 1970.
    func merge(_ states: [State], at now: Int64, _ derivation: Derivation = .first) throws -> Merge {
        try merge(states, keys: states.map { RowKey(model.key(of: $0)) }, at: now, derivation)
    }

    /// As above.
    ///
    /// - Parameter keys: of the states.
    func merge(
        _ states: [State], keys: [RowKey], at now: Int64, _ derivation: Derivation = .first
    ) throws -> Merge {
        try guarded.withLock { guarded in
            try requireUnblocked(guarded)
            var merge = Merge()
            var touched: [Entry] = []
            touched.reserveCapacity(states.count)
            try load(keys, &guarded)
            // By index, here and below: iterating over values of a generic type allocates memory for each.
            for index in keys.indices {
                let entry = entry(of: keys[index], &guarded)
                do {
                    let step = try join(states[index], into: entry)
                    if step.isLate { merge.late += 1 }
                    if step.isChanged { entry.isUnpublished = true }
                    if !entry.isTouched {
                        entry.isTouched = true
                        touched.append(entry)
                    }
                } catch {
                    merge.faults[index] = error
                }
            }
            merge.changed.reserveCapacity(touched.count)
            let delivery = StateDelivery(name)
            for index in touched.indices {
                let entry = touched[index]
                entry.isTouched = false
                guard entry.isUnpublished, let current = entry.current else {
                    include(entry, &merge.deliveries)
                    if derivation == .firstOfAll { merge.deferred += derivingState(of: entry) }
                    continue
                }
                if isDeferred(current.value, derivation, of: states) {
                    merge.deferred.append(current.value)
                    continue
                }
                merge.changed.append(current.value)
                send(entry, current, delivery, at: now, &guarded)
            }
            delivery.seal()
            if !merge.changed.isEmpty { merge.deliveries.append(delivery) }
            sweep(&guarded, to: maximumBytes)
            return merge
        }
    }

    /// Whether updates that a changed row derives must be published before it.
    private func isDeferred(_ state: State, _ derivation: Derivation, of merged: [State]) -> Bool {
        guard derivation != .later else { return false }
        let updates = model.derivedUpdates(of: state)
        guard derivation == .published, !updates.isEmpty else { return !updates.isEmpty }
        let key = model.key(of: state)
        return !merged.contains { model.key(of: $0) == key && model.derivedUpdates(of: $0) == updates }
    }

    /// The state of an entry, if it derives updates.
    private func derivingState(of entry: Entry) -> [State] {
        guard let state = entry.current?.value, !model.derivedUpdates(of: state).isEmpty else { return [] }
        return [state]
    }

    func join(_ state: State, into entry: Entry) throws -> StateMerge {
        guard var value = entry.current?.value else {
            entry.current = SharedState(state)
            return StateMerge(isChanged: true)
        }
        let merge = try model.merge(state, into: &value)
        if merge.isChanged { entry.current = SharedState(value) }
        return merge
    }

    /// An earlier publication of the key that is not acknowledged yet holds up what it includes.
    private func include(_ entry: Entry, _ deliveries: inout [StateDelivery]) {
        guard let last = entry.publications.last?.delivery, !last.isAcknowledged,
            !deliveries.contains(where: { $0 === last })
        else { return }
        deliveries.append(last)
    }

    /// Publishes rows as they are now: because time changed them, or because the topic says less or by other rules. Rows
    /// that the brokers refuse are left out until they are tried again, and rows that derive updates which may not be
    /// published yet until these are.
    ///
    /// - Parameter derived: states whose derived updates are published.
    /// - Returns: what was published, and nil when there was nothing: keys that are on their way, gone, or refused.
    func republish(
        _ keys: [[UInt8]], at now: Int64, derived: [State] = []
    ) throws -> (delivery: StateDelivery, count: Int)? {
        try guarded.withLock { guarded in
            try requireUnblocked(guarded)
            let delivery = StateDelivery(name)
            var count = 0
            for key in keys where guarded.oversized[key] == nil && guarded.refusedRemovals[key] ?? 0 <= now {
                guard let entry = try find(key, &guarded), entry.publications.isEmpty, let state = entry.current,
                    !lacksUpdates(entry) || derived.contains(state.value)
                else { continue }
                count += 1
                send(entry, state, delivery, at: now, &guarded)
            }
            delivery.seal()
            sweep(&guarded, to: maximumBytes)
            return count > 0 ? (delivery, count) : nil
        }
    }

    /// Rows that have joined what several members said, of which the topic shows only parts, and that say something about
    /// other keys. No member that knew a part alone could say it. Rows that the brokers refuse are left out, as in
    /// ``republish(_:at:)``.
    func statesBehind(_ keys: [[UInt8]]) throws -> [State] {
        try guarded.withLock { guarded in
            var states: [State] = []
            for key in keys where guarded.oversized[key] == nil && guarded.refusedRemovals[key] == nil {
                guard let entry = try find(key, &guarded), entry.publications.isEmpty, lacksUpdates(entry) else {
                    continue
                }
                states += derivingState(of: entry)
            }
            return states
        }
    }

    /// Marks the publication that was just sent as one whose derived updates may not be published: the owner publishes
    /// the row once more, after them.
    func markLackingUpdates(_ entry: Entry) {
        guard !entry.publications.isEmpty, !derivingState(of: entry).isEmpty else { return }
        entry.publications[entry.publications.count - 1].image.isBehind = true
    }

    /// Whether updates that a row derives may not be published yet: it has joined what several members said, or has
    /// something that was not published.
    private func lacksUpdates(_ entry: Entry) -> Bool {
        (entry.image.isBehind || entry.isUnpublished) && !derivingState(of: entry).isEmpty
    }

    /// Publishes a row as it is now, or removes it where it is no longer needed.
    func send(
        _ entry: Entry, _ state: SharedState<State>, _ delivery: StateDelivery, at now: Int64,
        _ guarded: inout Guarded
    ) {
        if let expiry = model.expiry(of: state.value), expiry <= now {
            remove(entry, delivery, &guarded)
        } else {
            send(entry, state, delivery, at: now, &guarded, proposal: nil)
        }
    }

    /// Publishes a proposal with the state of its key, unless one of the same round or a later one has won already.
    ///
    /// - Returns: nil when one has won.
    func propose(_ proposal: [UInt8], for state: State, at now: Int64) throws -> StateDelivery? {
        try guarded.withLock { guarded in
            try requireUnblocked(guarded)
            let entry = try findOrMake(model.key(of: state), &guarded)
            if let winner = entry.image.proposal {
                var joined = entry.current?.value ?? state
                _ = try model.merge(state, into: &joined)
                if model.round(of: proposal, in: joined) <= model.round(of: winner.value, in: joined) { return nil }
            }
            if try join(state, into: entry).isChanged { entry.isUnpublished = true }
            let delivery = StateDelivery(name)
            if let current = entry.current {
                send(entry, current, delivery, at: now, &guarded, proposal: proposal)
                markLackingUpdates(entry)
            }
            delivery.seal()
            return delivery
        }
    }

    private func send(
        _ entry: Entry, _ shared: SharedState<State>, _ delivery: StateDelivery, at now: Int64,
        _ guarded: inout Guarded, proposal: [UInt8]? = nil
    ) {
        let state = shared.value
        let encoded = model.encode(state)
        let publication = model.publication(of: state, row: encoded, at: now)
        let expiry = model.expiry(of: state)
        // Not before the next look, whatever the model says.
        let due = Self.earlier(publication.nextChange, expiry).map { max($0, now + 1) }
        let image = RowImage(
            encoded: encoded, form: form, due: due, deadline: model.deadline(of: state),
            proposal: entry.image.proposal, entries: model.indexEntries(of: state))
        var headers = proposal.map { [StateProposal.header($0)] } ?? entry.image.proposal?.headers ?? []
        if let moment = publication.moment { headers.append(KafkaHeader(key: StateHeader.moment, text: "\(moment)")) }
        entry.isUnpublished = false
        send(entry, shared, image, delivery, &guarded, value: publication.value, headers: headers)
    }

    static func earlier(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    func remove(_ entry: Entry, _ delivery: StateDelivery, _ guarded: inout Guarded) {
        entry.current = nil
        entry.isUnpublished = false
        send(
            entry, nil, RowImage(), delivery, &guarded, value: nil,
            headers: [KafkaHeader(key: StateHeader.expired, text: "1")])
    }

    private func send(
        _ entry: Entry, _ state: SharedState<State>?, _ image: RowImage, _ delivery: StateDelivery,
        _ guarded: inout Guarded, value: [UInt8]?, headers: [KafkaHeader]
    ) {
        guarded.lastNumber += 1
        let mark = RecordMark(writer: writer, number: guarded.lastNumber, form: form)
        entry.publications.append(
            Entry.Publication(
                number: mark.number, state: state, image: image, rowVersion: entry.rowVersion, delivery: delivery))
        delivery.expect()
        publish(
            KafkaProducerRecord(
                topic: name.topic, partition: name.partition, key: entry.key, value: value,
                headers: headers + CollectionOfOne(KafkaHeader(key: RecordMark.header, value: mark.text)))
        ) { delivery.report(mark.number, $0) }
    }

    /// The row joined with what is on its way.
    func reset(_ entry: Entry) {
        entry.current = entry.row
        entry.isUnpublished = false
        for publication in entry.publications {
            guard let state = publication.state else {
                entry.current = nil
                continue
            }
            _ = try? join(state.value, into: entry)
        }
    }

    func requireUnblocked(_ guarded: Guarded) throws(StateError) {
        guard guarded.isBlocked else { return }
        throw StateError(.newer, "\(name) holds a record of a newer format")
    }

    // MARK: Rows

    func find(_ key: [UInt8], _ guarded: inout Guarded) throws -> Entry? {
        let key = RowKey(key)
        if let entry = guarded.entries[key] {
            entry.generation = guarded.generation
            return entry
        }
        guard let stored = try rows.row(of: key.bytes, in: name) else { return nil }
        return try insert(stored, key, &guarded)
    }

    func findOrMake(_ key: [UInt8], _ guarded: inout Guarded) throws -> Entry {
        if let entry = try find(key, &guarded) { return entry }
        return make(RowKey(key), &guarded)
    }

    /// Reads the rows of keys that are not in memory, in one look at the database.
    func load(_ keys: [RowKey], _ guarded: inout Guarded) throws {
        var missing: Set<RowKey> = []
        for key in keys where guarded.entries[key] == nil && guarded.restored?.mayHold(key.bytes) != false {
            missing.insert(key)
        }
        guard !missing.isEmpty else { return }
        try rows.rows(of: missing.map(\.bytes), in: name) { key, stored in
            guard let key = missing.remove(RowKey(key)) else { return }
            _ = try insert(stored, key, &guarded)
        }
    }

    /// The entry of a key whose row is in memory, if there is one.
    func entry(of key: RowKey, _ guarded: inout Guarded) -> Entry {
        guard let entry = guarded.entries[key] else { return make(key, &guarded) }
        entry.generation = guarded.generation
        return entry
    }

    private func make(_ key: RowKey, _ guarded: inout Guarded) -> Entry {
        let entry = Entry(key: key.bytes)
        entry.generation = guarded.generation
        guarded.entries[key] = entry
        return entry
    }

    private func insert(_ stored: StateRowSource.StoredRow, _ key: RowKey, _ guarded: inout Guarded) throws -> Entry {
        let entry = Entry(key: key.bytes)
        let state: State
        do { state = try model.decode(stored.image.encoded) } catch { throw StateError(error) }
        entry.id = stored.id
        entry.row = SharedState(state)
        entry.current = entry.row
        entry.image = stored.image
        entry.image.entries = model.indexEntries(of: state)
        entry.storedEntries = entry.image.entries
        entry.generation = guarded.generation
        guarded.bytes += stored.image.encoded.count
        guarded.entries[key] = entry
        return entry
    }

    /// Forgets rows that were not used lately, when there are too many bytes of them.
    func sweep(_ guarded: inout Guarded, to limit: Int) {
        guard guarded.bytes > max(limit, guarded.sweepAt) || limit == 0 else { return }
        let generation = guarded.generation
        forget(&guarded) { $0.generation < generation || limit == 0 }
        if guarded.bytes > limit { forget(&guarded) { _ in true } }
        guarded.generation += 1
        guarded.sweepAt = 2 * guarded.bytes
    }

    private func forget(_ guarded: inout Guarded, _ isUnused: (Entry) -> Bool) {
        for entry in guarded.entries.values.filter({ $0.isClean && isUnused($0) }) {
            guarded.bytes -= entry.image.encoded.count
            guarded.entries[RowKey(entry.key)] = nil
        }
    }
}
