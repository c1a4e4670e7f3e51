package import Kafka
internal import Lifecycle
internal import Synchronization
package import Telemetry
package import Tracing

/// Runs a handler in a consumer group: joins the group, runs a worker for each assigned partition, and releases
/// partitions in an orderly way.
///
/// To stop, the consumer starts no new work, waits for the records being handled (up to the drain limit), commits their
/// offsets, leaves the group, and closes the client.
package final class PipelineConsumer: Service {
    private struct Worker {
        let task: Task<Void, Never>
        let window: PartitionWindow
        let partition: KafkaAssignedPartition
    }

    private struct State {
        var consumer: KafkaConsumer?
        var health = PipelineHealth()
        /// The worker of each partition, and the window from which its metrics are read. When a partition is
        /// reassigned, its new worker waits for the previous one.
        var workers: [KafkaTopicPartition: Worker] = [:]
        var statistics: [KafkaTopicPartition: KafkaStatistics.Partition] = [:]
        /// Partitions that cannot be read any further. Once the records already read from one of them have been
        /// processed, the process exits.
        var damaged: [KafkaTopicPartition: StartupError] = [:]
    }

    package let name = "kafka consumer"

    private let kafka: KafkaConfiguration
    private let options: PipelineOptions
    private let handler: PipelineHandler
    private let sendDeadLetter: @Sendable (KafkaProducerRecord) async throws -> Void
    private let logger: Logger
    private let telemetry: PipelineTelemetry
    private let groupTelemetry: GroupTelemetry
    private let turns: BatchTurns
    private let windowShare: WindowShare?
    private let calls: HandlerCalls
    private let handled: HandledOffsets
    private let pause: GroupPause
    private let tracing: HandlerTracing?
    private let state = Mutex(State())
    private let failures: (stream: AsyncStream<StartupError>, continuation: AsyncStream<StartupError>.Continuation)

    /// - Parameters:
    ///   - callFile: the file that lists the records being handled, or nil if crashes are not counted.
    ///   - isolation: shared with the other consumers of the process.
    ///   - handled: updated with the handled offset of each partition.
    ///   - pause: whether the group is paused. If so, no handler call begins. Nil means that the group is never paused.
    ///   - tracer: traces handler calls; nil if tracing is off.
    ///   - sendDeadLetter: returns once the broker has acknowledged the record; otherwise throws.
    package init(
        kafka: KafkaConfiguration, options: PipelineOptions, handler: PipelineHandler,
        sendDeadLetter: @escaping @Sendable (KafkaProducerRecord) async throws -> Void, logger: Logger,
        metrics: MetricsRegistry, callFile: CallFile? = nil, isolation: CallIsolation = CallIsolation(),
        handled: HandledOffsets = HandledOffsets(), pause: GroupPause? = nil, tracer: Tracer? = nil
    ) {
        let failures = AsyncStream.makeStream(of: StartupError.self, bufferingPolicy: .bufferingOldest(1))
        self.failures = failures
        calls = HandlerCalls(
            file: callFile,
            deadline: options.recordDeadline.map { limit in
                CallDeadline(limit) { place, offset in
                    callFile?.noteCrash()
                    failures.continuation.yield(.deadlineExceeded(place, offset, limit))
                }
            }, isolation: isolation)
        turns = BatchTurns(total: options.maximumBatchBytes)
        windowShare = options.windowShare(handler)
        self.handled = handled
        self.pause = pause ?? GroupPause(options.group)
        self.kafka = kafka
        self.options = options
        self.handler = handler
        self.sendDeadLetter = sendDeadLetter
        self.logger = logger
        let telemetry = PipelineTelemetry(topics: options.topics, logger: logger, registry: metrics)
        self.telemetry = telemetry
        tracing = tracer.map { HandlerTracing(tracer: $0, group: options.group.rawValue, telemetry: telemetry) }
        groupTelemetry = GroupTelemetry(
            logger: logger, registry: metrics, flushInterval: options.timeToFlush(handler))
        metrics.collect { [weak self] samples in self?.sample(&samples) }
    }

    // MARK: Service

    package func start() async throws {
        var consumerOptions = KafkaConsumer.Options()
        consumerOptions.groupInstanceId = options.groupInstanceId
        consumerOptions.drainLimit = options.drainLimit
        consumerOptions.prefetch.partitions = options.inputPartitions
        consumerOptions.outOfRange = kafka.profile == .embedded ? .resetToBeginning : .stop
        let consumer = KafkaConsumer(
            kafka, source: .group(options.group, topics: options.topics), options: consumerOptions
        ) { [weak self] event in self?.receive(event) }
        do {
            try await consumer.start()
        } catch {
            throw StartupError(
                "cannot start the consumer: \(error)", setting: "kafka.*", fix: "Correct the named property",
                exitCode: .configuration)
        }
        state.withLock { state in
            state.consumer = consumer
            state.health.lastSign = MonotonicClock.nanoseconds()
        }
    }

    /// Throws if the pipeline fails permanently, for example because an offset is out of range.
    package func run() async throws {
        for await failure in failures.stream {
            state.withLock { $0.health.isOver = true }
            throw failure
        }
    }

    package func stop(within limit: Duration) async {
        let consumer = state.withLock { state in
            state.health.isOver = true
            return state.consumer
        }
        guard let consumer else { return }
        if await !consumer.close(within: limit) {
            logger.error("consumer did not close in time", [LogField(.group, options.group.rawValue)])
        }
        failures.continuation.finish()
    }

    /// Whether the process is healthy. If false, the client is stuck and the process must be restarted.
    package var isLive: Bool {
        state.withLock { $0.health.isLive(at: MonotonicClock.nanoseconds()) }
    }

    /// The reason why the pipeline is not ready, or nil if it is.
    package var obstacle: String? {
        state.withLock { $0.health.obstacle(at: MonotonicClock.nanoseconds()) }
    }

    // MARK: Events

    /// Receives an event; called on the consumer's queue.
    private func receive(_ event: KafkaConsumerEvent) {
        groupTelemetry.receive(event)
        switch event {
        case .assigned(let partitions):
            state.withLock { $0.health.join() }
            // Count the partitions before they are read for the first time.
            windowShare?.begin(partitions.count)
            for partition in partitions { startWorker(partition) }
        case .offsetOutOfRange(let partition, let offset):
            fail(
                .offsetOutOfRange(
                    partition, offset,
                    fix:
                        "Set the group's offset with kafka-consumer-groups.sh --reset-offsets, then restart the process"
                ))
        case .damaged(let partition, let offset, let error):
            state.withLock { $0.damaged[partition] = .damaged(partition, offset, error) }
        case .fatal(let error):
            fail(.clientFailed(error))
        case .statistics(let statistics):
            receive(statistics)
        case .error(let error):
            state.withLock { $0.health.troubles.receive(error, at: MonotonicClock.nanoseconds()) }
        case .revoking, .lost, .drainLimitExceeded, .offsetReset, .commitFailed, .log:
            break
        }
    }

    private func receive(_ statistics: KafkaStatistics) {
        let now = MonotonicClock.nanoseconds()
        let windows = state.withLock { state in
            state.health.count(brokersUp: statistics.brokersUp, at: now)
            state.statistics = Dictionary(
                statistics.partitions.map { ($0.topicPartition, $0) }, uniquingKeysWith: { first, _ in first })
            return state.workers.mapValues(\.window)
        }
        for (partition, window) in windows { groupTelemetry.watch(partition, window.load, pause, at: now) }
    }

    private func fail(_ failure: StartupError) {
        state.withLock { $0.health.isOver = true }
        failures.continuation.yield(failure)
    }

    private func startWorker(_ partition: KafkaAssignedPartition) {
        let window = PartitionWindow(
            limits: options.windowLimits(handler), share: windowShare)
        let worker = PartitionWorker(
            partition: partition, handler: handler, options: options, window: window, turns: turns,
            calls: calls, sendDeadLetter: sendDeadLetter, telemetry: telemetry, handled: handled, pause: pause,
            tracing: tracing)
        state.withLock { state in
            let previous = state.workers[partition.topicPartition]?.task
            // The consumer's drain and the partition's next worker both wait for this task. The drain ends when the
            // worker releases the partition.
            let task = Task(executorPreference: HandlerThreads.shared) { [weak self] in
                if let previous { await self?.wait(for: previous, of: partition.topicPartition) }
                await worker.run()
                self?.windowShare?.end()
                self?.forget(partition)
            }
            state.workers[partition.topicPartition] = Worker(task: task, window: window, partition: partition)
        }
    }

    /// Waits until the work of a lost assignment has ended, even if it ignores its cancellation, because it must not
    /// overlap with the next assignment. After the drain limit, the process fails and another member takes over.
    private func wait(for previous: Task<Void, Never>, of partition: KafkaTopicPartition) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                guard (try? await Task.sleep(for: options.drainLimit)) != nil else { return }
                logger.error("work of a lost partition has not ended", partition.logFields)
                fail(
                    StartupError(
                        "\(partition) was reassigned, but work from its previous assignment is still running \(options.drainLimit) after being cancelled",
                        fix: "Restart the process; a handler must return when its task is cancelled"))
            }
            await previous.value
            group.cancelAll()
        }
    }

    private func forget(_ partition: KafkaAssignedPartition) {
        let damage = state.withLock { state -> StartupError? in
            guard state.workers[partition.topicPartition]?.partition.epoch == partition.epoch else { return nil }
            state.workers[partition.topicPartition] = nil
            return state.damaged[partition.topicPartition]
        }
        if let damage { fail(damage) }
    }

    // MARK: Metrics

    private func sample(_ samples: inout MetricSamples) {
        let (workers, statistics, brokersUp) = state.withLock { state in
            (state.workers, state.statistics, state.health.brokersUp)
        }
        groupTelemetry.sample(
            &samples, assigned: workers.values.count { $0.partition.isActive },
            loads: workers.mapValues(\.window.load), starts: workers.mapValues(\.partition.startOffset),
            statistics: statistics, brokersUp: brokersUp, pause: pause)
    }
}
