package import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import SQLite
internal import Synchronization
package import Telemetry
package import Time

/// State by key, whose truth is a compacted topic: rows in SQLite, published when they change, restored from the topic
/// when a partition is assigned.
///
/// - A change is one transaction, then published, and only when that is acknowledged is the input's offset stored.
/// - Every member reads the state's topics all the time, so that it serves reads of all partitions and takes over a
///   partition in the time that the last records need.
/// - The member that has a partition reads its own publications back: when another has published less than is known
///   here (one that woke up after its partition was taken away), it publishes again.
/// - What changes with time alone is published when due.
package final class KeyedState<Model: StateModel>: Service {
    package typealias State = Model.State

    /// What the state is made of.
    package struct Layout: Sendable {
        /// The database's file; its directory exists.
        package var path: String
        /// The state's topic of each input topic: as many partitions, and the same partition of a key.
        package var topics: [KafkaTopic: KafkaTopic]
        /// Tombstones are kept at least so long (`delete.retention.ms`): a file that missed more is built anew.
        package var tombstoneRetention: Duration = .seconds(20 * 3_600)
        /// What the group has read, for the check at start that it is not forgotten; nil for none.
        package var history: StateHistory?
        /// How often is looked for what time has changed.
        package var tick: Duration = .seconds(1)

        package init(path: String, topics: [KafkaTopic: KafkaTopic]) {
            self.path = path
            self.topics = topics
        }
    }

    /// What a merge did.
    package struct Merged: Sendable {
        /// The states that are other than before.
        package var changed: [State]
        /// How many were older than what was known.
        package var late: Int
    }

    package let name = "keyed state"

    let store: StateStore<Model>
    let model: Model
    let layout: Layout
    let kafka: KafkaConfiguration
    let logger: Logger
    let frequent: RateLimitedLogger
    let clocks: Clocks
    let metrics: StateMetrics
    let progress = StateProgress()
    let executor = HandlerThreads.shared
    let followers: StateFollowers
    private let publisher: StatePublisher
    private let failures = AsyncStream.makeStream(of: StartupError.self, bufferingPolicy: .bufferingOldest(1))
    private let running = Mutex(Running())

    struct Running {
        var consumer: KafkaConsumer?
        /// Partitions of the state's topics whose input this member has.
        var owned: Set<KafkaTopicPartition> = []
        var isStopping = false
        /// Why reads are not complete; nil when they are.
        var obstacle: String? = "the state is not read yet"
        /// The ends of the topics at start that are not read yet.
        var unread: [KafkaTopicPartition: Int64] = [:]
    }

    /// Opens the database; a damaged one is set aside, because Kafka has it all.
    ///
    /// - Throws: a ``StateError`` for the file, a `KafkaError` for what librdkafka refuses.
    package init(
        _ layout: Layout, model: Model, kafka: KafkaConfiguration, logger: Logger, metrics: MetricsRegistry,
        clocks: Clocks = .system
    ) throws {
        self.layout = layout
        self.model = model
        self.kafka = kafka
        self.logger = logger
        self.clocks = clocks
        frequent = RateLimitedLogger(logger, perSecond: 1)
        followers = StateFollowers(on: executor)
        self.metrics = StateMetrics(metrics)
        let publisher = try StatePublisher(kafka, topics: Array(layout.topics.values), logger: logger)
        self.publisher = publisher
        store = try StateFile(path: layout.path, logger: logger).open(model: model, now: clocks.wallMilliseconds()) {
            changes in
            publisher.send(changes)
        }
        metrics.collect { [weak self] samples in self?.sample(&samples) }
    }

    /// Why reads may miss something; nil when everything that was published before the start has been read.
    package var obstacle: String? { running.withLock { $0.obstacle } }

    // MARK: Handling

    /// Merges states into their rows and returns when what changed is published and acknowledged.
    ///
    /// - Parameter partition: of the input.
    /// - Throws: a ``StateError``: nothing is lost, the same call may be made again.
    package func merge(_ states: [State], from partition: KafkaTopicPartition) async throws -> Merged {
        guard let place = statePartition(of: partition) else {
            throw StateError(.changelog, "no state topic for \(partition)")
        }
        let merge = try store.merge(states, in: place, at: clocks.wallMilliseconds())
        if let publication = merge.publication { try await settle(publication) }
        return Merged(changed: merge.changed, late: merge.late)
    }

    /// Adds to the row of a key what comes from no input topic, and returns when that is published and acknowledged.
    ///
    /// - Parameters:
    ///   - topic: of the input.
    ///   - contribution: what to merge, made of what is known; nil for nothing.
    /// - Returns: the state afterwards; nil when there is no such row.
    package func contribute(
        to key: [UInt8], from topic: KafkaTopic, _ contribution: @Sendable (State) throws -> State?
    ) async throws -> State? {
        guard let topic = layout.topics[topic] else { throw StateError(.changelog, "no state topic for \(topic)") }
        return try await withTaskExecutorPreference(executor) {
            guard let result = try store.contribute(contribution, to: key, in: topic, at: clocks.wallMilliseconds())
            else { return nil }
            if let publication = result.publication { try await settle(publication) }
            return result.state
        }
    }

    private func settle(_ publication: StateStore<Model>.Publication) async throws {
        let (offsets, error) = await publication.group.outcome()
        try store.settle(publication, offsets: offsets)
        metrics.published.increment(by: UInt64(clamping: offsets.count))
        if let error {
            throw StateError(.publication, "a publication was not acknowledged: \(error.message)")
        }
    }

    // MARK: Assignment

    /// Brings the rows of a partition up to date, and publishes what a former run could not: before its first record.
    ///
    /// - Parameter partition: of the input.
    package func partitionAssigned(_ partition: KafkaTopicPartition) async throws {
        guard let place = statePartition(of: partition) else {
            throw StateError(.changelog, "no state topic for \(partition)")
        }
        let start = clocks.monotonicMilliseconds()
        guard let consumer = running.withLock({ $0.consumer }) else {
            throw StateError(.changelog, "the state's topics are not read")
        }
        let end = try await consumer.watermarks(of: place, within: .seconds(10)).high.rawValue
        guard await progress.wait(for: end, of: place) else { throw CancellationError() }
        running.withLock { _ = $0.owned.insert(place) }
        try await publishPending(of: place)
        let took = clocks.monotonicMilliseconds() - start
        metrics.restores.observe(nanoseconds: took * 1_000_000)
        logger.info(
            "state restored",
            place.logFields + [LogField(.offset, end), LogField(.milliseconds, took)])
    }

    /// - Parameter partition: of the input.
    package func partitionReleased(_ partition: KafkaTopicPartition) async {
        guard let place = statePartition(of: partition) else { return }
        running.withLock { _ = $0.owned.remove(place) }
    }

    /// Publishes what the topic does not have as it is known here, and what time has changed.
    func publishPending(of place: KafkaTopicPartition) async throws {
        while let publication = try store.publishPending(
            of: place, at: clocks.wallMilliseconds(), atMost: Self.batch)
        {
            metrics.republished.increment(by: UInt64(clamping: publication.changes.count))
            try await settle(publication)
        }
    }

    static var batch: Int { 500 }

    func statePartition(of partition: KafkaTopicPartition) -> KafkaTopicPartition? {
        layout.topics[partition.topic].map { KafkaTopicPartition(topic: $0, partition: partition.partition) }
    }

    func isOwned(_ place: KafkaTopicPartition) -> Bool { running.withLock { $0.owned.contains(place) } }

    func withRunning<Result>(_ body: (inout Running) -> Result) -> Result { running.withLock { body(&$0) } }

    // MARK: Service

    package func start() async throws {
        do {
            try await startFollowing()
        } catch {
            await publisher.close(within: .seconds(1))
            store.close()
            throw error
        }
    }

    /// Publishes when due, until the service is stopped.
    ///
    /// - Throws: a `StartupError` when the state's topics cannot be read any more.
    package func run() async throws {
        try await withTaskExecutorPreference(executor) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.publishWhenDue() }
                group.addTask { for await failure in self.failures.stream { throw failure } }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func publishWhenDue() async throws {
        while true {
            try await Task.sleep(for: layout.tick)
            for place in running.withLock({ $0.owned }) {
                do {
                    try await publishPending(of: place)
                } catch {
                    frequent.log(
                        .warning, key: "pending", "publication waits", place.logFields + [LogField(.error, "\(error)")])
                }
            }
        }
    }

    /// Ends the process: what is not read would never be known here, while others rely on it.
    func fail(_ failure: StartupError) {
        withRunning { $0.obstacle = "the state's topics cannot be read any more" }
        failures.continuation.yield(failure)
    }

    /// After the pipeline: nothing merges any more.
    package func stop(within limit: Duration) async {
        let consumer = running.withLock { running in
            running.isStopping = true
            return running.consumer
        }
        progress.end()
        if await consumer?.close(within: limit * 0.4) == false {
            logger.error("the reader of the state's topics was not closed in time")
        }
        if await !followers.end(within: limit * 0.2) {
            logger.error("records of the state's topics were not taken in in time")
        }
        await publisher.close(within: limit * 0.3)
        store.close()
        failures.continuation.finish()
    }

    private func sample(_ samples: inout MetricSamples) {
        guard !running.withLock({ $0.isStopping }) else { return }
        metrics.sample(&samples, isComplete: obstacle == nil)
    }
}
