internal import FoundationEssentials
package import Kafka
public import Lifecycle
public import PipelineRuntime
internal import Synchronization
package import Telemetry
package import Time

/// State by key, whose truth is a compacted topic, the changelog: rows in SQLite are a prefix of it, applied by its
/// reader alone.
///
/// - The owner of a partition computes on the row joined with what it has published and not yet read back, publishes,
///   and is done when that is acknowledged.
/// - A record that says less than is known, or that cannot be read, is published again by the owner.
/// - On assignment a partition is read to its end before the first record is handled.
/// - What comes from no input topic (``contribute(to:from:_:)``) is published first and answered when it was read back;
///   of several proposals (``propose(_:for:in:)``) the first in the log wins.
public final class KeyedState<Model: StateModel>: Sendable {
    public typealias State = Model.State
    typealias Partition = StatePartition<Model>

    public let name = "keyed state"

    let model: Model
    let options: StateOptions
    let kafka: KafkaConfiguration
    let logger: Logger
    let frequent: RateLimitedLogger
    let clocks: Clocks
    let metrics: StateMetrics
    let progress = StateProgress()
    let executor = HandlerThreads.shared
    let followers: StateFollowers
    /// Of this run.
    let writer = UInt64.random(in: 1...UInt64.max)
    private let failures = AsyncStream.makeStream(of: StartupError.self, bufferingPolicy: .bufferingOldest(1))
    private let running = Mutex(Running())

    /// What there is after the start.
    struct Parts: Sendable {
        let store: StateStore
        let writer: StateWriter
        let rows: StateRowSource
        let reader: StateReader<Model>
        let publisher: StatePublisher
        let consumer: KafkaConsumer
        let queries: StateQueries
        let partitions: [KafkaTopicPartition: Partition]
        let partitionCounts: [KafkaTopic: Int32]
        /// How long a file may have missed what was published, by topic, in milliseconds.
        let retention: [KafkaTopic: Int64]
    }

    struct Running {
        var parts: Parts?
        /// Partitions of the state's topics whose input this member has, and who publishes what is due in them.
        var publishers: [KafkaTopicPartition: Task<Void, Never>] = [:]
        /// Partitions of the state's topics whose input is assigned to this member, owned already or about to be.
        var assigned: Set<KafkaTopicPartition> = []
        /// Who reads a partition.
        var followed: [KafkaTopicPartition: Task<Void, Never>] = [:]
        /// Who ends the reading of a partition, before which it cannot be read again.
        var unfollowing: [KafkaTopicPartition: Task<Void, Never>] = [:]
        var isStopping = false
        /// Why nothing can be read or written any more.
        var failure: StartupError?
        /// The ends that partitions had when they were first followed; nil where no leader has told it yet.
        var unread: [KafkaTopicPartition: Int64?] = [:]
        /// The newest ends that brokers told.
        var ends: [KafkaTopicPartition: Int64] = [:]
        var health = StateHealth()
        var restore = RestoreProgress()
        /// A database without rows is restored, and its index is not complete.
        var isRestoring = false
        /// All of it was read, and the index is being completed.
        var isRestoreEnding = false
    }

    /// A state that is not started; nothing is opened yet. It is one of ``ConsumerParts/services``.
    public convenience init(_ options: StateOptions, model: Model, in context: ConsumerContext) {
        self.init(options, model: model, kafka: context.kafka, logger: context.logger, metrics: context.metrics)
    }

    /// As above; with clocks that tests can move.
    package init(
        _ options: StateOptions, model: Model, kafka: KafkaConfiguration, logger: Logger, metrics: MetricsRegistry,
        clocks: Clocks = .system
    ) {
        self.options = options
        self.model = model
        self.kafka = kafka
        self.logger = logger
        self.clocks = clocks
        frequent = RateLimitedLogger(logger, perSecond: 1)
        followers = StateFollowers(on: executor)
        self.metrics = StateMetrics(metrics)
        metrics.collect { [weak self] samples in self?.sample(&samples) }
    }

    /// Why reads may miss something; nil when everything that was published before the start was read, the reader of the
    /// topics is not further behind than ``StateOptions/maximumLag`` nor for longer than
    /// ``StateOptions/maximumStall``, and the database can be written.
    public var obstacle: String? {
        let now = clocks.monotonicMilliseconds()
        return withRunning { running in
            if let failure = running.failure { return failure.line }
            guard running.parts != nil, running.unread.isEmpty, !running.isRestoring || running.followed.isEmpty else {
                return "the state is not read yet"
            }
            let lag = lags(running).values.max() ?? 0
            if lag > options.maximumLag { return "the state is \(lag) records behind its topic" }
            return running.health.obstacle(at: now, limit: options.maximumStall.clampedMilliseconds)
        }
    }

    /// Why this member should not be asked while others can be: ``obstacle``, or its reader of the topics is cut off from
    /// the brokers, so that what it knows grows old. Nil when it is ready; for `/readyz`.
    public var readinessObstacle: String? {
        if let obstacle { return obstacle }
        let now = clocks.monotonicMilliseconds()
        // One that follows nothing, such as a worker without a partition, needs no connection.
        return withRunning { $0.followed.isEmpty ? nil : $0.health.disconnection(at: now) }
    }

    /// A fault that only a restart repairs, for `/livez`: the client that reads the topics is stuck. Nil for none.
    public var fault: String? {
        let now = clocks.monotonicMilliseconds()
        let isLive = withRunning { $0.isStopping || $0.health.isLive(at: now) }
        return isLive ? nil : "the client that reads the state's topics is stuck"
    }

    /// For merging and applying, which compute and do not wait: more at once than there are cores would contend for
    /// locks and memory. Not for a handler's reading of records, which may block.
    let computing = Permits(ProcessInfo.processInfo.activeProcessorCount)

    func withRunning<Result>(_ body: (inout Running) -> Result) -> Result { running.withLock { body(&$0) } }

    func parts() throws(StateError) -> Parts {
        guard let parts = withRunning({ $0.parts }) else { throw StateError(.changelog, "the state is not started") }
        return parts
    }

    func partition(_ place: KafkaTopicPartition) throws(StateError) -> Partition {
        guard let partition = try parts().partitions[place] else {
            throw StateError(.changelog, "\(place) was not there at the start")
        }
        return partition
    }

    /// The partition of the state's topic that belongs to a partition of the input.
    func statePartition(of input: KafkaTopicPartition) -> KafkaTopicPartition? {
        options.topics[input.topic].map { KafkaTopicPartition(topic: $0, partition: input.partition) }
    }

    /// Where the row of a key is: by murmur2, as Java clients choose it.
    func place(of key: [UInt8], in topic: KafkaTopic) throws(StateError) -> KafkaTopicPartition {
        let count = try parts().partitionCounts[topic] ?? 1
        return KafkaTopicPartition(topic: topic, partition: KafkaPartition(ofKey: key, partitions: count))
    }

    /// Reads rows on a connection of its own; what it sees is what was applied.
    ///
    /// - Throws: a ``StateError`` before the start.
    public func reader() throws(StateError) -> StateReader<Model> { try parts().reader }

    /// Ends the process: what is not read would never be known here, while others rely on it.
    func fail(_ failure: StartupError) {
        withRunning { $0.failure = $0.failure ?? failure }
        failures.continuation.yield(failure)
    }

    /// What a failing database or a newer record means for the process.
    func fail(_ error: StateError) {
        switch error.code {
        case .newer:
            fail(
                StartupError(
                    error.message, fix: "Run the version that wrote it, or a later one", exitCode: .configuration))
        case .repartitioned:
            fail(
                StartupError(
                    error.message, setting: "topics.prefix", fix: PartitionCounts.fix, exitCode: .configuration))
        case .damaged:
            StateFile(path: options.path, logger: logger).markDamaged()
            fail(
                StartupError(
                    "\(options.path) is damaged: \(error.message)", fix: "Start again: it is rebuilt from Kafka"))
        default: break
        }
    }

    private func lags(_ running: Running) -> [KafkaTopicPartition: Int64] {
        var lags: [KafkaTopicPartition: Int64] = [:]
        for place in running.followed.keys {
            guard let end = running.ends[place] else { continue }
            lags[place] = max(0, end - (progress.next(of: place) ?? 0))
        }
        return lags
    }

    /// Records between what was applied and the ends that partitions had when they were first followed, where those are
    /// known.
    func unreadRecords(_ running: Running) -> Int64 {
        running.unread.reduce(0) { sum, entry in
            sum + (entry.value.map { max(0, $0 - (progress.next(of: entry.key) ?? 0)) } ?? 0)
        }
    }

    private func sample(_ samples: inout MetricSamples) {
        let (lags, parts, isStopping, health) = withRunning { (self.lags($0), $0.parts, $0.isStopping, $0.health) }
        let unread = withRunning { unreadRecords($0) }
        guard !isStopping else { return }
        let refused = parts?.partitions.values.map(\.refusedRows) ?? []
        metrics.sample(
            &samples, isComplete: obstacle == nil, lags: lags, unread: unread,
            oversized: refused.map(\.tooLarge).reduce(0, +),
            refused: refused.map(\.others).reduce(0, +))
        metrics.sample(&samples, health, at: clocks.monotonicMilliseconds())
    }
}

// MARK: Service

extension KeyedState: Service {
    /// Opens the database and begins to read the topics. A damaged file is renamed, because Kafka has all of it.
    public func start() async throws {
        try await withTaskExecutorPreference(executor) { try await open() }
    }

    /// Waits until the state cannot go on, or the service is stopped.
    ///
    /// - Throws: a `StartupError` when the state's topics cannot be read any more.
    public func run() async throws {
        for await failure in failures.stream { throw failure }
        try Task.checkCancellation()
    }

    /// After the pipeline: nothing merges any more.
    public func stop(within limit: Duration) async {
        let (parts, publishers) = withRunning { running in
            running.isStopping = true
            defer { running.publishers = [:] }
            return (running.parts, running.publishers)
        }
        for publisher in publishers.values { publisher.cancel() }
        for publisher in publishers.values { await publisher.value }
        progress.end()
        if let parts {
            await close(parts, within: limit)
        }
        failures.continuation.finish()
    }

    func close(_ parts: Parts, within limit: Duration) async {
        if await !parts.consumer.close(within: limit * 0.4) {
            logger.error("the reader of the state's topics was not closed in time")
        }
        if await !followers.end(within: limit * 0.2) {
            logger.error("records of the state's topics were not applied in time")
        }
        await parts.queries.close(within: limit * 0.1)
        await parts.publisher.close(within: limit * 0.3)
        await parts.reader.close()
        parts.rows.close()
        // Otherwise the next start makes the index again of all rows.
        try? parts.store.releaseEntries()
        parts.store.close()
    }
}
