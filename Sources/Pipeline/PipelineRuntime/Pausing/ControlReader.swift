internal import Kafka
internal import Lifecycle
internal import Synchronization
internal import Telemetry

/// Reads the control topic, and pauses and resumes this process's groups. A single reader serves all consumers.
///
/// The records that exist at startup are applied before the first record is handled. When reading fails, the groups
/// keep their state, the failure is reported, and the topic is read again from its beginning.
final class ControlReader: Service {
    /// A consumer in this process: its group and its logger.
    struct Subject: Sendable {
        let pause: GroupPause
        let logger: Logger
    }

    private struct State {
        var consumer: KafkaConsumer?
        var isStopping = false
        /// The reason why changes are not read, or nil while the topic is being read.
        var problem: String? = "the control topic has not been read yet"
    }

    let name = "control topic"
    private let kafka: KafkaConfiguration
    private let place: KafkaTopicPartition
    private let subjects: [Subject]
    private let logger: Logger
    private let ignored: Counter
    /// The wait between attempts to read.
    private let retryInterval: Duration
    private let state = Mutex(State())

    init(
        kafka: KafkaConfiguration, topic: KafkaTopic, subjects: [Subject], metrics: MetricsRegistry, logger: Logger,
        retryInterval: Duration = .seconds(5)
    ) {
        self.kafka = kafka
        place = KafkaTopicPartition(topic: topic, partition: ControlRecord.partition)
        self.subjects = subjects
        self.logger = logger
        self.retryInterval = retryInterval
        ignored = metrics.counter(
            PipelineMetricName.controlIgnored, help: "Malformed records in the control topic.")
        metrics.collect { [weak self] samples in
            samples.gauge(
                PipelineMetricName.controlReading,
                help:
                    "1 while the control topic is being read; otherwise 0, and pausing and resuming have no effect.",
                self?.problem == nil ? 1 : 0)
        }
    }

    private var groups: Set<KafkaConsumerGroup> { Set(subjects.map(\.pause.group)) }

    /// The reason why pausing and resuming have no effect, or nil while the topic is being read.
    var problem: String? { state.withLock(\.problem) }

    // MARK: Service

    /// Applies the records that exist now.
    ///
    /// - Throws: a ``StartupError`` if the end of the topic is not reached within a minute.
    func start() async throws {
        let reading = ControlReading(kafka, place, only: groups)
        do {
            try await reading.consumer.start()
            state.withLock { $0.consumer = reading.consumer }
            let deadline = ContinuousClock.now + .seconds(60)
            while !reading.isComplete {
                guard .now < deadline else { throw ControlTopicError(description: "its end was not reached in time") }
                try await apply(reading, within: .seconds(1))
            }
        } catch {
            await reading.consumer.close(within: .seconds(5))
            throw StartupError(
                "the control topic \(place.topic) cannot be read: \(error)", setting: "kafka.*",
                fix:
                    "Create it with sluicectl topics apply, and grant this user Read permission on it (sluicectl topics acls)"
            )
        }
        started.withLock { $0 = reading }
    }

    func run() async throws {
        while !state.withLock(\.isStopping), !Task.isCancelled {
            do {
                try await follow()
            } catch {
                guard !state.withLock(\.isStopping), !Task.isCancelled else { break }
                logger.error(
                    "failed to read the control topic; retrying",
                    [LogField(.topic, place.topic.rawValue), LogField(.error, "\(error)")])
                state.withLock { $0.problem = "\(error)" }
            }
            try? await Task.sleep(for: retryInterval)
        }
        try await rest()
    }

    func stop(within limit: Duration) async {
        let consumer = state.withLock { state in
            state.isStopping = true
            return state.consumer.take()
        }
        await consumer?.close(within: limit)
    }

    // MARK: Reading

    /// The pass begun by `start` and continued by `run`.
    private let started = Mutex<ControlReading?>(nil)

    /// Reads until the consumer is closed or fails.
    private func follow() async throws {
        let reading: ControlReading
        if let begun = started.withLock({ $0.take() }) {
            reading = begun
        } else {
            reading = ControlReading(kafka, place, only: groups)
            try await reading.consumer.start()
            let isStopping = state.withLock { state in
                state.consumer = reading.consumer
                return state.isStopping
            }
            if isStopping {
                await reading.consumer.close(within: .seconds(1))
                return
            }
        }
        do {
            while true { try await apply(reading, within: nil) }
        } catch {
            await reading.consumer.close(within: .seconds(5))
            throw error
        }
    }

    /// Reads the next records. Their changes take effect only once the end of the topic has been reached, so that
    /// reading the topic again does not repeat earlier pauses.
    private func apply(_ reading: ControlReading, within limit: Duration?) async throws {
        for fault in try await reading.next(within: limit) {
            ignored.increment()
            logger.error(
                "malformed record in the control topic; ignored",
                [
                    LogField(.topic, place.topic.rawValue), LogField(.offset, fault.offset.rawValue),
                    LogField(.error, fault.error.description),
                ])
        }
        guard reading.isComplete else { return }
        for subject in subjects { change(subject, to: reading.table.records[subject.pause.group]) }
        state.withLock { $0.problem = nil }
    }

    private func change(_ subject: Subject, to record: ControlRecord?) {
        let isPaused = record?.state == .paused
        guard subject.pause.set(isPaused ? record : nil) else { return }
        var fields = [LogField(.group, subject.pause.group.rawValue)]
        if let record { fields += [LogField(.author, record.author), LogField(.reason, record.reason)] }
        if isPaused {
            subject.logger.warning("group paused; no records are handled", fields)
        } else {
            subject.logger.info("group resumed", fields)
        }
    }
}
