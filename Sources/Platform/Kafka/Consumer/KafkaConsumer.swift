internal import CRdKafka
internal import Dispatch
internal import Primitives

/// A consumer that reads partitions through librdkafka, as a member of a group or standalone.
///
/// Group events are passed to `onEvent`. The owner of each ``KafkaAssignedPartition`` reads records at its own pace.
/// Offsets are stored, and librdkafka commits them periodically. This class commits synchronously only when partitions
/// are revoked. An explicit commit at any other time makes librdkafka 2.0.2 lose the member's other partitions in every
/// rebalance. librdkafka's pause and resume functions are not used, because resuming takes a second.
///
/// The actor runs on its own dispatch queue, which receives librdkafka's events and must not block. Blocking calls to
/// librdkafka run on a second queue.
public actor KafkaConsumer {
    enum Phase {
        case created
        case running
        case closing
        case closed
    }

    let source: Source
    let options: Options
    let emit: @Sendable (KafkaConsumerEvent) -> Void
    // A serial queue, because Dispatch gives it a separate thread. Concurrent queues and Swift tasks share a pool with
    // one thread per core, where they would wait behind any blocked work.
    let blocking = DispatchQueue(label: "kafka.consumer.blocking")

    private let configuration: KafkaConfiguration
    private nonisolated let executor = QueueExecutor(label: "kafka.consumer")
    private var tick: (any DispatchSourceTimer)?

    var phase = Phase.created
    /// The client; nil before `start` and after `close`.
    var handle: KafkaHandle?
    var partitions: [KafkaTopicPartition: PartitionState] = [:]
    /// Rebalances requested by librdkafka that wait for the current one to finish.
    var rebalances: [Rebalance] = []
    var isRebalancing = false
    var drains: [Drain] = []
    var lastNumber: UInt64 = 0
    /// Completes with the group's first assignment, which may be empty.
    let firstAssignment = Completion()
    /// A separate queue for requests that only make librdkafka check its queues, so that rebalances do not wait for
    /// them.
    let refilling = DispatchQueue(label: "kafka.consumer.refill")
    /// The number of bytes read at which a queue may have been full, or `.max` if librdkafka itself checks full queues.
    var refillBytes = Int.max
    /// Partitions with a queue that was full and is now empty.
    var emptied: Set<KafkaTopicPartition> = []
    var isRefilling = false
    /// The queue that receives librdkafka's events during a close.
    var closeQueue: QueuePointer?
    let closed = Completion()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated var home: DispatchQueue { executor.queue }

    /// Creates a consumer but does not start it.
    ///
    /// - Parameter onEvent: called on the consumer's queue, one event at a time. It must not block.
    public init(
        _ configuration: KafkaConfiguration, source: Source, options: Options = Options(),
        onEvent: @escaping @Sendable (KafkaConsumerEvent) -> Void
    ) {
        self.configuration = configuration
        self.source = source
        self.options = options
        emit = onEvent
    }

    /// Creates the client and joins the group, or starts reading the given partitions. Can be called only once. A
    /// started consumer must be closed.
    ///
    /// - Throws: `invalidConfiguration`; `closed` if this is not the first call; librdkafka's error for the
    ///   subscription. Unreachable brokers are not an error, because librdkafka keeps trying to connect.
    public func start() throws(KafkaError) {
        guard phase == .created else { throw KafkaError(.closed, "the consumer has already been started") }
        let settings = configuration.settings(for: role, prefetch: prefetch, overrides: overrides)
        let handle = try KafkaHandle(.consumer, settings: settings, tokens: configuration.tokenSource, home: home)
        self.handle = handle
        phase = .running
        handle.start(
            KafkaHandle.Handlers(
                clientEvent: { [weak self] event in self?.assumeIsolated { $0.receive(event) } },
                event: { [weak self] event in
                    let event = EventInHand(event: event)
                    self?.assumeIsolated { $0.receive(event.event) }
                },
                drained: { [weak self] in self?.assumeIsolated { $0.serveQueues() } }))
        startTick(interval: tickInterval(settings))
        refillBytes = KafkaPrefetch.refillBytes(settings)
        switch source {
        case .group(_, let topics): try subscribe(to: topics, handle)
        case .partitions(let offsets): assign(offsets, handle)
        }
    }

    private var role: KafkaConfiguration.Role {
        switch source {
        case .group(let group, _): .consumer(group: group.rawValue)
        case .partitions: .reader(group: configuration.readerGroup)
        }
    }

    private var prefetch: KafkaPrefetch {
        var prefetch = options.prefetch
        if case .partitions(let offsets) = source, !offsets.isEmpty, prefetch.partitions == nil {
            prefetch.partitions = offsets.count
        }
        return prefetch
    }

    private var overrides: [ClientProperty] {
        var settings: [ClientProperty] = []
        if options.outOfRange == .resetToBeginning { settings.append(ClientProperty("auto.offset.reset", "earliest")) }
        switch source {
        case .group:
            if let id = options.groupInstanceId { settings.append(ClientProperty("group.instance.id", id)) }
        case .partitions:
            settings += [ClientProperty("enable.partition.eof", "true"), ClientProperty("enable.auto.commit", "false")]
        }
        return settings
    }

    /// Returns the interval for polling an idle consumer. It must be well below `max.poll.interval.ms`; otherwise,
    /// librdkafka considers the consumer stuck and leaves the group.
    private func tickInterval(_ settings: [ClientProperty]) -> Duration {
        let limit = settings.last { $0.name == "max.poll.interval.ms" }.flatMap { Int64($0.value) } ?? 300_000
        return .milliseconds(min(max(limit / 3, 10), 10_000))
    }

    private func startTick(interval: Duration) {
        let timer = DispatchSource.makeTimerSource(queue: home)
        timer.schedule(
            deadline: .now() + .nanoseconds(Int(interval.clampedNanoseconds)),
            repeating: .nanoseconds(Int(interval.clampedNanoseconds)),
            leeway: .milliseconds(100))
        timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.handle?.wakeUp() } }
        timer.activate()
        tick = timer
    }

    private func subscribe(to topics: [KafkaTopic], _ handle: KafkaHandle) throws(KafkaError) {
        let list = PartitionList(capacity: topics.count)
        for topic in topics { list.append(KafkaTopicPartition(topic: topic, partition: -1)) }
        let code = rd_kafka_subscribe(handle.client.raw, list.pointer)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            finishClosing()
            throw KafkaError(code, during: "subscribing")
        }
    }

    // MARK: Events

    private func receive(_ event: KafkaClientEvent) {
        switch event {
        case .log(let line):
            emit(.log(line))
        case .error(let error, let place):
            receive(error, at: place)
        case .statistics(let statistics):
            emit(.statistics(statistics.limited(to: partitions)))
        case .producerReplaced:
            break
        }
    }

    /// Handles a client error, or a partition error if `place` is not nil.
    func receive(_ error: KafkaError, at place: KafkaDelivery?) {
        if error.isFatal {
            stopReading(because: error)
            return emit(.fatal(error))
        }
        let partition = place.map { KafkaTopicPartition(topic: $0.topic, partition: $0.partition) }
        switch error.code {
        case .partitionEOF:
            guard let partition, let state = partitions[partition] else { break }
            state.isAtEnd = true
            // There are no records between the last record and the end, so expect the next record at the end.
            if let place, place.offset > state.expected { state.expected = place.offset }
        case .autoOffsetReset, .offsetOutOfRange:
            guard let partition, let place else { return emit(.error(error)) }
            // The partition will not deliver further records.
            partitions[partition]?.failure = error
            partitions[partition]?.drain()
            emit(.offsetOutOfRange(partition, partitions[partition]?.expected ?? place.offset))
        case .topicAuthorizationFailed where options.stopsIfDenied:
            guard let partition, let state = partitions[partition] else { return emit(.error(error)) }
            state.failure = state.failure ?? error
            state.drain()
        case _ where error.code.isDamage:
            guard let partition, let state = partitions[partition] else { return emit(.error(error)) }
            guard state.failure == nil else { break }
            state.failure = error
            emit(.damaged(partition, state.expected, error))
            // Resumes the reader if it is waiting.
            after(.zero) { consumer in consumer.partitions[partition].map { consumer.serve($0) } }
        default:
            emit(.error(error))
        }
    }

    private func receive(_ event: EventPointer) {
        switch event.type {
        case RD_KAFKA_EVENT_REBALANCE: receiveRebalance(event)
        case RD_KAFKA_EVENT_OFFSET_COMMIT: receiveCommit(event)
        default: break
        }
    }

    /// Handles the results of periodic commits. Synchronous commits use a separate queue.
    private func receiveCommit(_ event: EventPointer) {
        let code = rd_kafka_event_error(event.raw)
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR, code != RD_KAFKA_RESP_ERR__NO_OFFSET else { return }
        emit(.commitFailed(KafkaError(code, during: "committing offsets periodically")))
    }

    private func serveQueues() {
        guard let handle else { return }
        if let closeQueue {
            while let event = EventPointer(pollingFrom: closeQueue) {
                if let clientEvent = KafkaClientEvent(reading: event, of: handle.client) {
                    receive(clientEvent)
                } else {
                    receive(event)
                }
                event.destroy()
            }
            if !isRebalancing, rd_kafka_consumer_closed(handle.client.raw) != 0 { return closed.complete() }
        }
        for state in partitions.values { serve(state) }
    }

    // MARK: Numbers and timers

    /// Returns a number that is unique within this consumer, for epochs and waiters.
    func number() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Creates a timer that runs `body` on this actor once, unless cancelled.
    func timer(
        _ delay: Duration, _ body: @escaping @Sendable (isolated KafkaConsumer) -> Void
    ) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: home)
        timer.schedule(deadline: .now() + .nanoseconds(Int(delay.clampedNanoseconds)))
        timer.setEventHandler { [weak self] in self?.assumeIsolated { body($0) } }
        timer.activate()
        return timer
    }

    /// Runs `body` on this actor after a delay, unless the actor has been deallocated.
    func after(_ delay: Duration, _ body: @escaping @Sendable (isolated KafkaConsumer) -> Void) {
        home.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.clampedNanoseconds))) { [weak self] in
            self?.assumeIsolated { body($0) }
        }
    }

    /// Runs a blocking call on the `blocking` queue, and then calls `then` on this actor with the result.
    func block<Result: Sendable>(
        _ body: @escaping @Sendable (KafkaHandle) -> Result,
        then: @escaping @Sendable (isolated KafkaConsumer, Result) -> Void
    ) {
        guard let handle else { return }
        let home = home
        blocking.async {
            let result = body(handle)
            home.async { self.assumeIsolated { then($0, result) } }
        }
    }

    /// Releases all of this actor's references to the client. The last release destroys the client.
    func finishClosing() {
        phase = .closed
        tick?.cancel()
        tick = nil
        for place in partitions.keys { forget(place) }
        if let closeQueue {
            handle?.disableWakeUp(of: closeQueue)
            rd_kafka_queue_destroy(closeQueue.raw)
        }
        closeQueue = nil
        handle = nil
    }
}

/// An event passed from the handle to the actor within one call on one thread.
private struct EventInHand: @unchecked Sendable {
    // @unchecked Sendable because it stays on the queue on which both the handle and the actor run.
    let event: EventPointer
}

extension KafkaStatistics {
    fileprivate func limited(to assigned: [KafkaTopicPartition: PartitionState]) -> KafkaStatistics {
        KafkaStatistics(
            client: client, messageCount: messageCount, messageBytes: messageBytes, eventQueueCount: eventQueueCount,
            brokers: brokers, partitions: partitions.filter { assigned[$0.topicPartition] != nil })
    }
}
