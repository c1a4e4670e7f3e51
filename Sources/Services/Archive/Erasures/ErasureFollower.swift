internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Synchronization
internal import Telemetry

/// Applies the records in the erasures topic to this host's key store. Every member on every host reads the whole
/// topic, starting from its key store's position. Records that exist at startup are applied before the first record is
/// archived, so that a new host creates no key for an erased subject.
final class ErasureFollower: Service {
    let name = "erasures"

    private let kafka: KafkaConfiguration
    private let place: KafkaTopicPartition
    private let keys: KeyStore
    private let metrics: ErasureMetrics
    private let logger: Logger
    /// The pause between attempts to read.
    private let pause: Duration
    /// The interval between checks for keys destroyed by other processes on this host.
    private let look: Duration
    /// Publishes the IDs of this host's keys that an erasure does not list. Its producer is created on first use.
    private let announcer: ErasureAnnouncer
    private let state = Mutex(State())

    private struct State {
        var consumer: KafkaConsumer?
        var isStopping = false
        /// Whether the write-ahead log may still contain destroyed keys.
        var isLogDue = false
    }

    init(
        kafka: KafkaConfiguration, topic: KafkaTopic, keys: KeyStore, metrics: ErasureMetrics, logger: Logger,
        pause: Duration = .seconds(5), look: Duration = .seconds(15)
    ) {
        self.kafka = kafka
        place = KafkaTopicPartition(topic: topic, partition: 0)
        self.keys = keys
        self.metrics = metrics
        self.logger = logger
        self.pause = pause
        self.look = look
        announcer = ErasureAnnouncer(kafka: kafka, topic: topic)
    }

    func start() async throws {
        do {
            try await withTaskExecutorPreference(HandlerThreads.shared) {
                let start = try await nextOffset()
                try await WholeTopic.read(place, of: kafka, from: start) { try await apply($0) }
            }
        } catch let error as KafkaError {
            await announcer.close(within: .seconds(1))
            throw StartupError(
                "the erasures topic \(place.topic) cannot be read: \(error.message)", setting: "kafka.*",
                fix: "Create it with sluicectl topics apply, or correct the setting")
        } catch {
            await announcer.close(within: .seconds(1))
            throw error
        }
    }

    func run() async throws {
        await withTaskExecutorPreference(HandlerThreads.shared) {
            while !Task.isCancelled, !state.withLock(\.isStopping) {
                do {
                    try await follow()
                } catch {
                    logger.error("failed to apply erasures; retrying", [LogField(.error, "\(error)")])
                }
                try? await Task.sleep(for: pause)
            }
        }
        try await rest()
    }

    func stop(within limit: Duration) async {
        let consumer = state.withLock { state in
            state.isStopping = true
            return state.consumer.take()
        }
        await consumer?.close(within: limit)
        await announcer.close(within: limit)
    }

    /// Reads until the consumer is closed or fails.
    private func follow() async throws {
        let start = try await nextOffset()
        let consumer = KafkaConsumer(kafka, source: .partitions([place: start])) { _ in }
        try await consumer.start()
        state.withLock { $0.consumer = consumer }
        do {
            for partition in await consumer.assignedPartitions {
                while let records = await partition.next(maxRecords: 1000, maxBytes: 4 << 20, within: look) {
                    if records.isEmpty { try tidy() } else { try await apply(records) }
                }
            }
        } catch {
            await consumer.close(within: .seconds(5))
            throw error
        }
        await consumer.close(within: .seconds(5))
    }

    /// Returns the key store's position, or the beginning of the topic if the key store has no position or the topic no
    /// longer contains it, because the record was deleted or the topic was recreated. Applying a record again changes
    /// nothing.
    private func nextOffset() async throws -> KafkaOffset {
        let marks = try await KafkaAdmin(kafka).closing { (admin) async throws(KafkaError) in
            try await admin.watermarks(of: place.topic)[place]
        }
        guard let marks, let next = try keys.erasuresNextOffset.map(KafkaOffset.init(rawValue:)), next >= marks.low,
            next <= marks.high
        else { return .beginning }
        return next
    }

    /// Drops keys destroyed by other processes, such as sluicectl, and empties the write-ahead log if an earlier
    /// attempt failed.
    private func tidy() throws {
        try keys.refresh()
        guard state.withLock(\.isLogDue) else { return }
        do {
            try keys.overwriteLog()
        } catch {
            // If the log could not be overwritten, the next check retries.
            guard error.code == .notOverwritten else { throw error }
            return
        }
        state.withLock { $0.isLogDue = false }
    }

    private func apply(_ records: [KafkaRecord]) async throws {
        for record in records {
            let next = record.offset.rawValue + 1
            // Tombstones, retention records and reveal records contain no erasure.
            guard let value = record.value, RetentionRecord(json: value) == nil, RevealRecord(json: value) == nil else {
                try keys.apply([], nextOffset: next)
                continue
            }
            do {
                let erasure = try ErasureRecord(json: value)
                try await announce(erasure)
                let outcomes = try keys.apply([erasure], nextOffset: next)
                for outcome in outcomes { report(outcome, record) }
            } catch let error as ArchiveError where [.malformedContent, .foreignMarks].contains(error.code) {
                try refuse(record, error.message)
            } catch let error as ArchiveError where error.code == .notOverwritten {
                // The erasure has been applied; the next check empties the write-ahead log.
                state.withLock { $0.isLogDue = true }
                logger.warning("copies of destroyed keys remain; retrying", [LogField(.error, error.message)])
            }
        }
    }

    /// Publishes the IDs of this host's keys that the erasure does not list. Verification accepts a key as erased only
    /// if a record in this archived topic lists it. The record is published before the keys are destroyed, so that it
    /// cannot be lost.
    private func announce(_ erasure: ErasureRecord) async throws {
        if let own = try keys.record(namingKeysOf: erasure) { try await announcer.publish(own) }
    }

    private func report(_ outcome: ErasureOutcome, _ record: KafkaRecord) {
        metrics.count(outcome)
        guard outcome != .alreadyDone else { return }
        logger.info(
            "a record from the erasures topic was applied",
            [LogField(.outcome, outcome.name), LogField(.offset, record.offset.rawValue)])
    }

    /// Skips a record that can never be applied, so that it does not block later records.
    private func refuse(_ record: KafkaRecord, _ reason: String) throws {
        metrics.refused.increment()
        logger.error(
            "a record in the erasures topic cannot be applied",
            [LogField(.offset, record.offset.rawValue), LogField(.error, reason)])
        try keys.apply([], nextOffset: record.offset.rawValue + 1)
    }
}
