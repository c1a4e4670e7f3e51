internal import FoundationEssentials
package import Kafka
public import Lifecycle
package import OperatorEvents
public import PipelineRuntime
package import Primitives
internal import Synchronization
package import Telemetry

/// Stores state by key. The source of truth is a compacted topic, the changelog. The rows in SQLite reflect a prefix of
/// the changelog and are written only by its reader.
///
/// - The owner of a partition joins the row with its own publications that have not been read back yet, merges states
///   into it, and publishes the result. The merge is complete once the publication is acknowledged.
/// - The owner republishes a row after reading a record that is incomplete or unreadable.
/// - On assignment, a partition is read to its end before the first record is handled.
/// - A contribution (``contribute(to:from:orTo:_:)``) does not come from an input topic: it is published first, and the
///   call returns once it has been read back. If there are several proposals (``propose(_:for:in:)``), the first in the
///   log wins.
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
    let events: OperatorEvents?
    let metrics: StateMetrics
    let progress = StateProgress()
    let executor = HandlerThreads.shared
    let followers: StateFollowers
    /// Random identifier of this run, by which this process recognizes its own records; see ``RecordMark``.
    let writer = UInt64.random(in: 1...UInt64.max)
    private let failures = AsyncStream.makeStream(of: StartupError.self, bufferingPolicy: .bufferingOldest(1))
    private let running = Mutex(Running())

    /// The parts that exist once the state has started.
    struct Parts: Sendable {
        let database: StateDatabase<Model>
        let changelog: Changelog
        let partitions: [KafkaTopicPartition: Partition]
    }

    struct Running {
        var parts: Parts?
        /// Tasks that publish pending rows, by owned partition of the state's topic.
        var publishers: [KafkaTopicPartition: Task<Void, Never>] = [:]
        /// Partitions of the state's topics whose input is assigned to this member, including those it does not own
        /// yet.
        var assigned: Set<KafkaTopicPartition> = []
        /// Tasks that read partitions, by partition.
        var followed: [KafkaTopicPartition: Task<Void, Never>] = [:]
        /// Tasks that stop reading a partition, by partition. The partition cannot be read again until its task has
        /// finished.
        var unfollowing: [KafkaTopicPartition: Task<Void, Never>] = [:]
        var isStopping = false
        /// The failure after which nothing can be read or written; nil if there is none.
        var failure: StartupError?
        /// End offset of each partition when it was first followed; nil until a leader has returned it.
        var unread: [KafkaTopicPartition: Int64?] = [:]
        /// Latest end offset of each partition as reported by a broker.
        var ends: [KafkaTopicPartition: Int64] = [:]
        var health = StateHealth()
        var restore = RestoreProgress()
        /// Whether a database without rows is being restored; its index is incomplete in the meantime.
        var isRestoring = false
        /// Whether a restore has read everything and is completing the index.
        var isRestoreEnding = false
    }

    /// Creates a state without opening anything. Start it as one of `ConsumerParts.services`.
    public convenience init(_ options: StateOptions, model: Model, in context: ConsumerContext) {
        self.init(
            options, model: model, kafka: context.kafka, logger: context.logger, metrics: context.metrics,
            events: context.events)
    }

    /// Creates a state with clocks that tests can control.
    package init(
        _ options: StateOptions, model: Model, kafka: KafkaConfiguration, logger: Logger, metrics: MetricsRegistry,
        clocks: Clocks = .system, events: OperatorEvents? = nil
    ) {
        self.options = options
        self.model = model
        self.kafka = kafka
        self.logger = logger
        self.clocks = clocks
        self.events = events
        frequent = RateLimitedLogger(logger, perSecond: 1)
        followers = StateFollowers(on: executor)
        self.metrics = StateMetrics(metrics)
        metrics.collect { [weak self] samples in self?.sample(&samples) }
    }

    /// The reason why reads may be incomplete. Nil if everything published before startup has been read, the reader is
    /// behind by at most ``StateOptions/maximumLag`` and has not stalled for longer than ``StateOptions/maximumStall``,
    /// and the database can be written.
    public var obstacle: String? {
        let now = clocks.monotonicMilliseconds()
        return withRunning { running in
            if let failure = running.failure { return failure.line }
            guard running.parts != nil, running.unread.isEmpty, !running.isRestoring || running.followed.isEmpty else {
                return "the state has not been read yet"
            }
            let lag = lags(running).values.max() ?? 0
            if lag > options.maximumLag { return "the state is \(lag) records behind its topic" }
            return running.health.obstacle(at: now, limit: options.maximumStall.clampedMilliseconds)
        }
    }

    /// The reason why this member should not serve requests while others can: the ``obstacle``, or a reader that is
    /// disconnected from the brokers. While the reader is disconnected, the rows become outdated. Nil if the member is
    /// ready. Used for `/readyz`.
    public var readinessObstacle: String? {
        if let obstacle { return obstacle }
        let now = clocks.monotonicMilliseconds()
        // A member that follows no partition, such as a worker without assignments, needs no connection.
        return withRunning { $0.followed.isEmpty ? nil : $0.health.disconnection(at: now) }
    }

    /// A fault that only a restart can fix: the client that reads the topics is stuck. Nil if there is none. Used for
    /// `/livez`.
    public var fault: String? {
        let now = clocks.monotonicMilliseconds()
        let isLive = withRunning { $0.isStopping || $0.health.isLive(at: now) }
        return isLive ? nil : "the client that reads the state's topics is stuck"
    }

    /// Limits concurrent merging and applying. Both are CPU-bound, so more tasks than cores would only contend for
    /// locks and memory. Handlers read records without a permit; otherwise, a blocked reader would hold the permit
    /// without using a core.
    let computing = Permits(ProcessInfo.processInfo.activeProcessorCount)

    func withRunning<Result>(_ body: (inout Running) -> Result) -> Result { running.withLock { body(&$0) } }

    func parts() throws(StateError) -> Parts {
        guard let parts = withRunning({ $0.parts }) else {
            throw StateError(.changelog, "the state has not been started")
        }
        return parts
    }

    func partition(_ place: KafkaTopicPartition) throws(StateError) -> Partition {
        guard let partition = try parts().partitions[place] else {
            throw StateError(.changelog, "\(place) did not exist when this process started")
        }
        return partition
    }

    /// Returns the partition of the state's topic that corresponds to an input partition.
    func statePartition(of input: KafkaTopicPartition) -> KafkaTopicPartition? {
        options.topics[input.topic].map { KafkaTopicPartition(topic: $0, partition: input.partition) }
    }

    /// Returns the partition of a key's row, determined by murmur2 as in Java clients.
    func place(of key: [UInt8], in topic: KafkaTopic) throws(StateError) -> KafkaTopicPartition {
        let count = try parts().changelog.partitionCounts[topic] ?? 1
        return KafkaTopicPartition(topic: topic, partition: KafkaPartition(ofKey: key, partitions: count))
    }

    /// Returns a reader with its own connections. It sees only rows of applied records.
    ///
    /// - Throws: a ``StateError`` if the state has not started.
    public func reader() throws(StateError) -> StateReader<Model> { try parts().database.reader }

    /// Ends the process, because it can no longer read the state's topics and would serve outdated rows.
    func fail(_ failure: StartupError) {
        withRunning { $0.failure = $0.failure ?? failure }
        failures.continuation.yield(failure)
    }

    /// Ends the process if retrying cannot fix the error: a newer record or file, changed partition counts, or a
    /// damaged database. Does nothing for other errors.
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
                    "\(options.path) is damaged: \(error.message)",
                    fix: "Restart the process; the file is rebuilt from Kafka"))
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

    /// Returns the total number of offsets between the partitions' applied positions and their ends when they were
    /// first followed, for partitions with a known end.
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
    /// Opens the database and starts reading the topics. A damaged file is renamed and rebuilt from Kafka.
    public func start() async throws {
        try await withTaskExecutorPreference(executor) { try await open() }
    }

    /// Waits until the state fails or the service is stopped.
    ///
    /// - Throws: a `StartupError` if the state fails.
    public func run() async throws {
        for await failure in failures.stream { throw failure }
        try Task.checkCancellation()
    }

    /// Stops publishing and reading, and closes everything. Called after the pipeline has stopped, so no merge is
    /// running.
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
        if await !parts.changelog.consumer.close(within: limit * 0.4) {
            logger.error("the reader of the state's topics was not closed in time")
        }
        if await !followers.end(within: limit * 0.2) {
            logger.error("records from the state's topics were not applied in time")
        }
        await parts.changelog.queries.close(within: limit * 0.1)
        await parts.changelog.publisher.close(within: limit * 0.3)
        await parts.database.close()
    }
}
