internal import Dispatch
internal import Primitives
internal import Synchronization

/// A producer that sends records. All in-sync replicas acknowledge each record. Records with the same key stay in order
/// and are not duplicated during the producer's lifetime (idempotence).
///
/// A send is passed to librdkafka on the caller's thread and completed exactly once: by its delivery report, by the
/// caller's deadline, or by a rejection. After a fatal error, the producer replaces librdkafka's client. Close the
/// producer before releasing the last reference; otherwise, sends in flight complete with `closed`.
public final class KafkaProducer: Sendable {
    /// A producer's limits.
    public struct Options: Hashable, Sendable {
        /// The maximum number of records without a delivery report. Further sends fail with `tooManyInFlight`.
        public var maxRecordsInFlight = 10_000
        /// The maximum size in bytes of keys, values and headers in flight. Further sends fail with `tooManyInFlight`.
        /// A send that exceeds the limit by itself fails with `messageTooLarge`.
        public var maxBytesInFlight = 64 * 1024 * 1024
        /// The number of consecutive timeouts after which sends fail at once with `brokersUnavailable`, except for one
        /// probe per second.
        public var timeoutsUntilUnavailable = 5
        /// The age of a partition's oldest unreported record above which further sends to the partition fail at once
        /// with `partitionSlow`. Such a send would probably be acknowledged too late, and would delay later sends. A
        /// slow partition acknowledges the most records in time if this age is half of the callers' deadline. Nil
        /// disables the check.
        public var slowAfter: Duration?

        /// Creates the default limits.
        public init() {}
    }

    struct State {
        var pending = PendingSends()
        var breaker: ProducerBreaker
        /// The current generation; nil while a new client is being created and after `close`.
        var generation: ProducerGeneration?
        /// Generations ended by a fatal error, kept until their reports have arrived.
        var retired: [ProducerGeneration] = []
        var generationNumber = 0
        var lastStart: UInt64 = 0
        var isClosing = false
        /// The time at which the timer fires, or nil if it is not armed.
        var timerDeadline: UInt64?
        var brokersUp: Int?
        var lateReports = 0
    }

    let configuration: KafkaConfiguration
    let topics: [KafkaTopic]
    let options: Options
    let onEvent: @Sendable (KafkaClientEvent) -> Void
    /// The queue for delivery reports, deadlines, events and replacements.
    let home = DispatchQueue(label: "kafka.producer")
    /// The queue for metadata requests, which block.
    let metadataQueue = DispatchQueue(label: "kafka.producer.metadata")
    let state: Mutex<State>
    /// Completes once `close` has been called and every report has arrived.
    let drained = Completion()
    private let timer: TimerSource

    /// Creates a producer for these topics. It connects in the background; see `status`.
    ///
    /// `onEvent` is called on the producer's queue and must not block.
    ///
    /// - Throws: `invalidConfiguration` for invalid settings that librdkafka detects only when it creates a client.
    public init(
        _ configuration: KafkaConfiguration, topics: [KafkaTopic], options: Options = Options(),
        onEvent: @escaping @Sendable (KafkaClientEvent) -> Void = { _ in }
    ) throws(KafkaError) {
        self.configuration = configuration
        self.topics = topics
        self.options = options
        self.onEvent = onEvent
        timer = TimerSource(source: DispatchSource.makeTimerSource(queue: home))
        state = Mutex(State(breaker: ProducerBreaker(timeoutLimit: max(1, options.timeoutsUntilUnavailable))))
        timer.source.setEventHandler { [weak self] in self?.expireDeadlines() }
        timer.source.activate()
        try startGeneration()
    }

    deinit {
        timer.source.cancel()
        let abandoned = state.withLock { $0.pending.removeAll() }
        let error = KafkaError(.closed, "the producer was released without being closed", persistence: .maybe)
        for waiter in abandoned { waiter.complete(.failure(error)) }
    }

    /// Sends a record and reports the outcome exactly once.
    ///
    /// `completion` must not block. It runs on the producer's queue, or before `send` returns if the send is rejected.
    /// `deadline` is relative to the call. If it passes first, the outcome is `deadlineExceeded`; the record may still
    /// be written, and its report is only counted. Without a deadline, the delivery report determines the outcome; if
    /// no broker answers, it can arrive long after `delivery.timeout.ms`.
    public func send(
        _ record: KafkaProducerRecord, deadline: Duration? = nil,
        completion: @escaping @Sendable (Result<KafkaDelivery, KafkaError>) -> Void
    ) {
        let now = monotonicNow()
        switch state.withLock({ admit(record, deadline: deadline, at: now, completion: completion, state: &$0) }) {
        case .failure(let refusal):
            completion(.failure(refusal))
        case .success(let admission):
            let refusal = admission.generation.produce(record, to: admission.topic, ticket: admission.ticket)
            guard let refusal else { return }
            // The send has already been completed if its deadline passed first.
            let entry = state.withLock { state in
                let entry = state.pending.remove(admission.ticket)
                completeDrainIfEmpty(state)
                return entry
            }
            entry?.waiter?.complete(.failure(refusal))
            if refusal.isFatal { replaceLater(admission.generation.number, because: refusal) }
        }
    }

    /// Sends a record and returns its partition and offset. Cancelling the task has no effect, because the record is
    /// already in flight.
    ///
    /// - Throws: the same errors as `send(_:deadline:completion:)`.
    public func send(_ record: KafkaProducerRecord, deadline: Duration? = nil) async throws(KafkaError) -> KafkaDelivery
    {
        let result = await withCheckedContinuation { continuation in
            send(record, deadline: deadline) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private struct Admission {
        let ticket: PendingSends.Ticket
        let topic: TopicPointer
        /// Keeps the client alive during the call to librdkafka.
        let generation: ProducerGeneration
    }

    private func admit(
        _ record: KafkaProducerRecord, deadline: Duration?, at now: UInt64, completion: @escaping SendCompletion,
        state: inout State
    ) -> Result<Admission, KafkaError> {
        if state.isClosing { return .failure(KafkaError(.closed, "the producer is closed")) }
        guard let generation = state.generation else {
            return .failure(KafkaError(.brokersUnavailable, "the producer is being replaced after a fatal error"))
        }
        guard let topic = generation.topic(record.topic) else {
            return .failure(KafkaError(.undeclaredTopic, "topic \(record.topic) is not configured for this producer"))
        }
        let size = record.size
        guard size <= options.maxBytesInFlight else {
            return .failure(
                KafkaError(.messageTooLarge, "\(size) bytes exceed the limit of \(options.maxBytesInFlight) in flight"))
        }
        guard state.pending.count < options.maxRecordsInFlight,
            state.pending.bytes + size <= options.maxBytesInFlight
        else {
            return .failure(
                KafkaError(
                    .tooManyInFlight, "\(state.pending.count) records (\(state.pending.bytes) bytes) are in flight"))
        }
        let destination = SendAges.Destination(
            topic: record.topic, partition: record.partition ?? generation.partition(of: record))
        let isProbe = state.breaker.isOpen
        guard state.breaker.admits(at: now) else {
            return .failure(KafkaError(.brokersUnavailable, "no broker is reachable"))
        }
        // Exempt a probe, because it tests whether the brokers acknowledge records again.
        guard isProbe || !isSlow(destination, at: now, state) else {
            return .failure(KafkaError(.partitionSlow, "delivery reports for \(record.topic) are overdue"))
        }
        let ticket = state.pending.insert(
            to: destination, size: size, generation: generation.number, at: now,
            deadline: deadline.map { now + UInt64(min($0.clampedNanoseconds, Self.longestDeadline)) },
            completion: completion)
        armTimer(&state)
        return .success(Admission(ticket: ticket, topic: topic, generation: generation))
    }

    private func isSlow(_ destination: SendAges.Destination, at now: UInt64, _ state: State) -> Bool {
        guard let limit = options.slowAfter, let oldest = state.pending.oldest(to: destination), now > oldest else {
            return false
        }
        return now - oldest > UInt64(limit.clampedNanoseconds)
    }

    private static let longestDeadline: Int64 = 24 * 3_600 * 1_000_000_000
}

// MARK: Deadlines

extension KafkaProducer {
    /// Arms the timer shared by all sends. It is rescheduled only for an earlier deadline. If all sends have the same
    /// timeout, it is rescheduled at most once each time it fires.
    func armTimer(_ state: inout State) {
        guard let next = state.pending.earliestDeadline, next < state.timerDeadline ?? .max else { return }
        state.timerDeadline = next
        timer.source.schedule(deadline: DispatchTime(uptimeNanoseconds: next), leeway: .milliseconds(1))
    }

    private func expireDeadlines() {
        let now = monotonicNow()
        let expired = state.withLock { state in
            state.timerDeadline = nil
            let expired = state.pending.expire(at: now)
            for _ in expired { state.breaker.timedOut(at: now) }
            armTimer(&state)
            return expired
        }
        guard !expired.isEmpty else { return }
        let error = KafkaError(.deadlineExceeded, "not acknowledged before the deadline", persistence: .maybe)
        for waiter in expired { waiter.complete(.failure(error)) }
    }

    func stopTimer() { timer.source.cancel() }
}

/// Returns the time on the monotonic clock that Dispatch's timers use, in nanoseconds.
func monotonicNow() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
