import Kafka
import Lifecycle
import Primitives
import SQLite
import Synchronization
import Telemetry

@testable import KeyedState
@testable import PipelineRuntime

/// A keyed state whose clients are replaced: publications go to the simulated producer, and the simulation delivers the
/// records of the topic. Everything between these two is the real code.
///
/// Modelled after `KeyedState+Following` and `KeyedState+Owning`, because these parts wait on librdkafka and on timers:
/// where reading starts, the reading loop, and the order of the steps of an assignment.
final class SimulatedState<Model: StateModel>: SteppedState, @unchecked Sendable {
    // @unchecked Sendable because only the simulation's thread uses it.
    let state: KeyedState<Model>
    var name: String { process.name }
    private let parts: KeyedState<Model>.Parts
    private unowned let process: SimulatedProcess
    private unowned let simulation: Simulation
    private var reads: [KafkaTopicPartition: (gate: Gate<[KafkaRecord]?>, from: Int64)] = [:]
    private var ticks: [KafkaTopicPartition: Task<Void, Never>] = [:]
    private var assigned: @Sendable () -> Void = {}
    private var facts = ReaderFacts()
    /// The partitions that the member owns.
    private(set) var owned: Set<KafkaTopicPartition> = []

    /// The greatest lag of a ready member, in records; small, because the topics of a simulation are.
    private static var maximumLag: Int64 { 5 }

    /// - Parameter path: the path of the database, on a simulated disk.
    init(_ model: Model, _ options: StateOptions, counts: [KafkaTopic: Int32], of process: SimulatedProcess) throws {
        guard let kafka = Unused.kafka, let consumer = Unused.consumer, let publisher = Unused.publisher,
            let queries = Unused.queries
        else { throw StateError(.changelog, "no clients") }
        self.process = process
        simulation = process.simulation
        var options = options
        options.maximumLag = Self.maximumLag
        state = KeyedState(
            options, model: model, kafka: kafka, logger: SimulatedProcess.logger, metrics: MetricsRegistry(),
            clocks: process.clocks)
        let topics = counts.keys.sorted { $0.rawValue < $1.rawValue }
        let store = try StateStore(Database(path: options.path), topics: topics, dictionary: model.dictionary)
        let database = try StateDatabase(store, path: options.path, model: model, connections: 1, readers: 1)
        let producer = process.producer
        var partitions: [KafkaTopicPartition: StatePartition<Model>] = [:]
        for (topic, count) in counts {
            for number in 0..<count {
                let place = KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: number))
                let send = Sender { producer.send($0, to: place, completion: $1) }
                partitions[place] = StatePartition(
                    place, model: model, writer: state.writer, rows: database.rows, partitionCount: count,
                    maximumBytes: 2_000, publish: { send.send($0, $1) })
            }
        }
        parts = KeyedState.Parts(
            database: database,
            changelog: Changelog(
                publisher: publisher, consumer: consumer, queries: queries, partitionCounts: counts,
                retention: counts.mapValues { _ in 20 * 3_600_000 }),
            partitions: partitions)
    }

    private struct Sender: @unchecked Sendable {
        // @unchecked Sendable because only the simulation's thread uses it.
        let send: (KafkaProducerRecord, @escaping @Sendable (Result<KafkaDelivery, KafkaError>) -> Void) -> Void
    }

    // MARK: Start and end

    /// Begins to follow all partitions. A database without rows is restored.
    func start(assigned: @escaping @Sendable () -> Void) throws {
        self.assigned = assigned
        let store = parts.database.store
        let isEmpty = try parts.database.rows.isEmpty()
        if try isEmpty || store.lacksEntries() {
            try store.holdEntries()
            try store.dropIndexes()
        }
        if isEmpty {
            for partition in parts.partitions.values { partition.beginRestore() }
        } else if store.isHolding.load(ordering: .acquiring) {
            try store.rebuildEntries { [model = state.model] in try model.indexEntries(of: model.decode($0)) }
            try store.createIndexes()
        }
        state.withRunning { running in
            running.parts = parts
            running.isRestoring = true
        }
        for place in places {
            state.withRunning { $0.unread[place] = .some(nil) }
            state.progress.follow(place)
            let task = process.task { await self.read(place) }
            state.withRunning { $0.followed[place] = task }
        }
    }

    var places: [KafkaTopicPartition] { parts.partitions.keys.sorted(by: SimulatedProducer.precedes) }

    /// Closes the database. Called after all tasks have ended.
    func close() {
        parts.database.rows.close()
        parts.database.store.close()
    }

    // MARK: Reading

    private func read(_ place: KafkaTopicPartition) async {
        guard let partition = parts.partitions[place], var next = await startOffset(of: place) else { return }
        state.progress.restart(at: next, of: place)
        reached(next, in: place)
        partition.restart()
        while !Task.isCancelled {
            let gate = Gate<[KafkaRecord]?>(whenCancelled: nil)
            reads[place] = (gate, next)
            guard let records = await gate.wait(), let last = records.last else { return }
            next = last.offset.rawValue + 1
            guard await apply(records, last, of: partition) else { return }
            reached(next, in: place)
        }
    }

    private func startOffset(of place: KafkaTopicPartition) async -> Int64? {
        while !simulation.broker.hasLeader(place) {
            guard await process.sleep(500) else { return nil }
        }
        let end = simulation.broker.end(of: place)
        state.withRunning { running in
            running.ends[place] = end
            running.unread[place] = .some(end)
        }
        do {
            guard let known = try parts.database.store.position(of: place) else { return 0 }
            let missed = process.clocks.wallMilliseconds() - known.seen
            let isFromFuture = missed < -KeyedState<Model>.clockDifference
            guard isFromFuture || missed > parts.changelog.retention[place.topic] ?? 0, known.next < end else {
                return known.next
            }
            try parts.database.store.forget(place)
            return 0
        } catch {
            process.fail("\(error)")
            return nil
        }
    }

    private func apply(
        _ records: [KafkaRecord], _ last: KafkaRecord, of partition: StatePartition<Model>
    ) async -> Bool {
        let place = partition.name
        var applied: StatePartition<Model>.Applied?
        while !Task.isCancelled {
            if isRestoring { simulation.faults.restoring(process) }
            do {
                let known = applied
                let packed = PackedRecords(records, of: place)
                let changes = try await state.computing.with { try known ?? partition.apply(packed) }
                applied = changes
                let ids = try await parts.database.writer.apply(
                    StateWrite(
                        changes, of: partition, next: last.offset.rawValue + 1, now: state.clocks.wallMilliseconds(),
                        last: RecordPrint(last)))
                state.withRunning { $0.health.wrote(place, failed: false) }
                facts.wrote(place, failed: false)
                partition.committed(ids)
                return true
            } catch {
                state.withRunning { $0.health.wrote(place, failed: true) }
                facts.wrote(place, failed: true)
                simulation.trace("\(process.name): writing \(place) failed: \(error)")
            }
            guard await process.sleep(simulation.number(in: 100...5_000)) else { return false }
        }
        return false
    }

    private func reached(_ next: Int64, in place: KafkaTopicPartition) {
        state.progress.reached(next, in: place)
        let now = state.clocks.monotonicMilliseconds()
        facts.reached(next, of: place, at: now)
        let isRestored = state.withRunning { running in
            running.health.advanced(place, isBehind: running.ends[place].map { next < $0 } ?? false, at: now)
            if let end = running.unread[place], let end, next >= end { running.unread[place] = nil }
            return running.unread.isEmpty && running.isRestoring
        }
        if isRestored { finishRestore() }
    }

    private func finishRestore() {
        guard !process.isDead else { return }
        do {
            if simulation.faults.damagesRestore() { try damage() }
            try parts.database.store.releaseEntries()
            for partition in parts.partitions.values { partition.endRestore() }
            state.withRunning { $0.isRestoring = false }
            simulation.checks.lookAtIndex(of: process, self)
        } catch let error as StateError where error.code == .damaged {
            simulation.died(process, "\(error)", with: .disk)
        } catch {
            simulation.trace("\(process.name): completing the restore failed: \(error)")
            simulation.timers.after(500 * simulation.calmFactor) { [weak self] in
                self?.finishRestore()
            }
        }
    }

    /// Adds a second row of a key, as a damaged file may have it. The index of keys prevents this when it exists.
    private func damage() throws {
        guard parts.database.store.lacksIndexes.load(ordering: .acquiring) else { return }
        simulation.trace("\(process.name): its disk repeats a row")
        try parts.database.store.change { guarded in
            try guarded.database.run(
                """
                INSERT INTO rows (topic, partition, form, behind, key, state)
                SELECT topic, partition, form, behind, key, state FROM rows LIMIT 1
                """)
        }
    }

    // MARK: Steps

    /// The partitions with a reader that waits for records that exist.
    var deliverable: [KafkaTopicPartition] {
        simulation.names.states.filter { place in
            guard let read = reads[place], !read.gate.isOpen, simulation.broker.hasLeader(place) else { return false }
            return simulation.broker.end(of: place) > read.from
        }
    }

    func deliver(_ place: KafkaTopicPartition) {
        guard let read = reads.removeValue(forKey: place) else { return }
        let limit = simulation.chance(1, of: 2) ? 1 : Int(simulation.number(in: 1...20))
        read.gate.open(simulation.broker.read(place, from: read.from, atMost: limit))
    }

    /// Learns the ends of the partitions, as from librdkafka's statistics.
    func learnEnds() {
        for place in places where simulation.broker.hasLeader(place) {
            let end = simulation.broker.end(of: place)
            state.sawEnd(end, of: place)
            facts.learned(end, of: place, position: position(of: place), at: state.clocks.monotonicMilliseconds())
        }
    }

    // MARK: Owning

    func partitionAssigned(_ input: KafkaTopicPartition) async throws {
        guard let place = state.statePartition(of: input), let partition = parts.partitions[place] else { return }
        state.withRunning { _ = $0.assigned.insert(place) }
        while !simulation.broker.hasLeader(place) {
            guard await process.sleep(500) else { throw CancellationError() }
        }
        guard await state.progress.wait(for: simulation.broker.end(of: place), of: place) else {
            throw CancellationError()
        }
        partition.own(oversized: try parts.database.store.oversized(place))
        owned.insert(place)
        do {
            try await state.publishPending(of: place)
        } catch {
            partition.disown()
            owned.remove(place)
            throw error
        }
        ticks[place] = process.task { await self.publishWhileOwned(place) }
        assigned()
    }

    func partitionReleased(_ input: KafkaTopicPartition) async {
        if let place = state.statePartition(of: input), let tick = ticks.removeValue(forKey: place) {
            tick.cancel()
            await tick.value
        }
        await state.partitionReleased(input)
        if let place = state.statePartition(of: input) { owned.remove(place) }
    }

    private func publishWhileOwned(_ place: KafkaTopicPartition) async {
        while await process.sleep(simulation.untilNextTick()) {
            do {
                try await state.publishPending(of: place)
            } catch is CancellationError {
                return
            } catch {
                simulation.trace("\(process.name): publishing \(place) failed: \(error)")
            }
        }
    }

    /// Ends all waits for the topic.
    func end() { state.progress.end() }

    // MARK: Looking

    var obstacle: String? { state.obstacle }

    /// Whether a database without rows is being restored, or its index completed.
    var isRestoring: Bool { state.withRunning { $0.isRestoring } }

    /// Returns the reason why the member must not be ready although it is; nil if there is none.
    var readinessProblem: String? {
        guard obstacle == nil else { return nil }
        return facts.obstacle(
            at: state.clocks.monotonicMilliseconds(), position: position, lag: state.options.maximumLag,
            stall: state.options.maximumStall.clampedMilliseconds)
    }

    /// Returns the difference between the index in the database and its rows; nil if there is none, or if a restore is
    /// in progress.
    func indexProblem() throws -> String? {
        isRestoring ? nil : try IndexChecks(model: state.model).problem(of: parts.database.store)
    }

    /// Returns the applied position of a partition.
    func position(of place: KafkaTopicPartition) -> Int64 { state.progress.next(of: place) ?? 0 }

    /// Returns the rows in the database.
    func rows() throws -> [Model.State] { try parts.database.rows.states().map(state.model.decode) }
}

/// The clients that `KeyedState.Parts` names; nothing reaches them.
private enum Unused {
    static let kafka = try? KafkaConfiguration(bootstrapServers: "127.0.0.1:1", properties: [:])
    static let consumer = kafka.map { KafkaConsumer($0, source: .partitions([:])) { _ in } }
    static let publisher = kafka.flatMap { try? StatePublisher($0, topics: [], logger: SimulatedProcess.logger) }
    static let queries = kafka.flatMap { try? StateQueries($0, group: nil, on: HandlerThreads.shared) }
}
