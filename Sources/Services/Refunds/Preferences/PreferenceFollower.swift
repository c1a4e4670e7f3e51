internal import FoundationEssentials
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import RefundRules
internal import SQLite
internal import Synchronization
internal import Telemetry

/// Reads the preferences topic, to which any producer may write, into this member's ``PreferenceStore``. Records
/// present at startup are read before the first request is decided.
final class PreferenceFollower: Service {
    let name = "preferences"

    private let kafka: KafkaConfiguration
    private let topic: KafkaTopic
    private let path: String
    private let logger: Logger
    private let ignored: Counter
    /// Interval between attempts to read.
    private let pause: Duration
    private let state = Mutex(State())

    private struct State {
        var store: PreferenceStore?
        var consumer: KafkaConsumer?
        var isStopping = false
        /// The reason why preferences may be outdated, or nil while the topic is being read.
        var problem: String? = "the preferences are still being loaded"
    }

    init(
        kafka: KafkaConfiguration, topic: KafkaTopic, path: String, metrics: MetricsRegistry, logger: Logger,
        pause: Duration = .seconds(1)
    ) {
        self.kafka = kafka
        self.topic = topic
        self.path = path
        self.logger = logger
        self.pause = pause
        ignored = metrics.counter(
            RefundsMetricName.preferencesIgnored, help: "Records in the preferences topic that have no usable key.")
    }

    /// The reason why preferences may be outdated, or nil while the topic is being read.
    var obstacle: String? { state.withLock(\.problem) }

    /// Returns a customer's preference, merged from the records with these keys, or nil if there are none.
    ///
    /// - Parameter keys: the customer's appAccountToken and appTransactionId.
    /// - Throws: ``UnreadablePreference`` if a record is unreadable or the topic is not being read.
    func preference(of keys: [String]) throws -> RefundPreference? {
        let (store, problem) = state.withLock { ($0.store, $0.problem) }
        guard let store, problem == nil else { throw UnreadablePreference(description: problem ?? "not started") }
        var found: RefundPreference?
        for key in keys {
            guard let preference = try store.record(of: key)?.preference() else { continue }
            found = found?.merging(preference) ?? preference
        }
        return found
    }

    // MARK: Service

    func start() async throws {
        do {
            try await withTaskExecutorPreference(HandlerThreads.shared) {
                let store = try open()
                state.withLock { $0.store = store }
                try await readToEnd(from: try await positions(store), store)
            }
            state.withLock { $0.problem = nil }
        } catch let error as KafkaError {
            throw StartupError(
                "the topic \(topic) cannot be read: \(error.message)", setting: "kafka.*",
                fix: "Create it with sluicectl topics apply, or correct the setting")
        }
    }

    func run() async throws {
        await withTaskExecutorPreference(HandlerThreads.shared) {
            while !Task.isCancelled, !state.withLock(\.isStopping) {
                do {
                    try await follow()
                } catch {
                    state.withLock { $0.problem = "the preferences cannot be read" }
                    logger.error("failed to read the preferences; retrying", [LogField(.error, "\(error)")])
                }
                try? await Task.sleep(for: pause)
            }
        }
        try await rest()
    }

    func stop(within limit: Duration) async {
        let (consumer, store) = state.withLock { state in
            state.isStopping = true
            return (state.consumer.take(), state.store)
        }
        await consumer?.close(within: limit)
        store?.close()
    }

    // MARK: Reading

    private func readToEnd(
        from starts: [KafkaTopicPartition: KafkaOffset], _ store: PreferenceStore
    ) async throws {
        try await KafkaConsumer.readToEnd(kafka, from: starts, within: .seconds(300)) { try apply($0, store) }
    }

    /// Reads until the consumer is closed or fails. After a failure, first reads the records that are present, because
    /// they may withdraw consent.
    private func follow() async throws {
        guard let store = state.withLock({ $0.isStopping ? nil : $0.store }) else { return }
        var starts = try await positions(store)
        if obstacle != nil {
            try await readToEnd(from: starts, store)
            starts = try await positions(store)
        }
        let consumer = KafkaConsumer(kafka, source: .partitions(starts)) { _ in }
        try await consumer.start()
        state.withLock {
            $0.consumer = consumer
            $0.problem = nil
        }
        let partitions = await consumer.assignedPartitions
        do {
            try await withThrowingTaskGroup { group in
                for partition in partitions {
                    group.addTask {
                        while let records = await partition.next(maxRecords: 1_000, maxBytes: 4 << 20) {
                            try self.apply(records, store)
                        }
                        guard Task.isCancelled || self.state.withLock(\.isStopping) else {
                            throw KafkaError(.closed, "stopped reading \(partition.topicPartition)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        } catch {
            await consumer.close(within: .seconds(5))
            throw error
        }
        await consumer.close(within: .seconds(5))
    }

    private func apply(_ records: [KafkaRecord], _ store: PreferenceStore) throws {
        let count = try store.apply(records)
        if count > 0 { ignored.increment(by: UInt64(count)) }
    }

    /// Returns the offsets from which to continue, or the beginning of each partition if the topic or the cluster was
    /// replaced.
    private func positions(_ store: PreferenceStore) async throws -> [KafkaTopicPartition: KafkaOffset] {
        let (marks, cluster) = try await KafkaAdmin(kafka).closing { (admin) async throws(KafkaError) in
            (try await admin.watermarks(of: topic), try await admin.clusterId())
        }
        let known = try store.positions()
        let isSame = try store.belongs(to: cluster)
        // A stored offset outside the log means that the topic was recreated, because compaction does not advance the
        // low watermark.
        let isContinued = marks.allSatisfy { place, marks in
            known[place.partition].map { $0 >= marks.low && $0 <= marks.high } ?? true
        }
        if !isSame || !isContinued {
            logger.warning("preferences topic was recreated; reading it from the beginning", [])
            state.withLock { $0.problem = "the preferences are still being loaded" }
            try store.clear()
            _ = try store.belongs(to: cluster)
            return marks.mapValues { _ in .beginning }
        }
        return Dictionary(
            uniqueKeysWithValues: marks.keys.map { ($0, known[$0.partition] ?? .beginning) })
    }

    /// Opens or creates the file. A damaged file is removed, because Kafka has all of its data.
    private func open() throws -> PreferenceStore {
        do {
            return try PreferenceStore(Database(path: path))
        } catch let error as SQLiteError where error.code == .corrupt || error.code == .notADatabase {
            logger.error(
                "preferences database is damaged; rebuilding it from Kafka",
                [LogField(.error, error.message)])
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.removeItem(atPath: path + suffix)
            }
            return try PreferenceStore(Database(path: path))
        } catch let error as SQLiteError {
            throw StartupError(
                "cannot open \(path): \(error.message)", setting: "data.dir",
                fix: "Specify a writable directory used only by this process")
        }
    }
}
