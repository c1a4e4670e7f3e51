internal import AppStoreModel
internal import ArchiveFormat
internal import ArchiveKeys
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Synchronization
internal import Telemetry

/// Carries out the records of the erasures topic in the key store of this host: every member on every host reads all of
/// them, from the position that its key store has. What the topic says at the start is carried out before the first record
/// is archived, so that a new host makes no key for what was erased.
final class ErasureFollower: Service {
    let name = "erasures"

    private let kafka: KafkaConfiguration
    private let place: KafkaTopicPartition
    private let keys: KeyStore
    private let metrics: ErasureMetrics
    private let logger: Logger
    /// Between two attempts to read.
    private let pause: Duration
    /// Between two looks at what other processes of the host have destroyed.
    private let look: Duration
    /// Names keys of this host that a record does not name; made when it is first needed.
    private let announcer: ErasureAnnouncer
    private let state = Mutex(State())

    private struct State {
        var consumer: KafkaConsumer?
        var isStopping = false
        /// Destroyed keys may be in the write-ahead log still.
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
                    logger.error("erasures are not carried out; trying again", [LogField(.error, "\(error)")])
                }
                try? await Task.sleep(for: pause)
            }
        }
        // To return would end the process.
        while true { try await Task.sleep(for: .seconds(86_400)) }
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

    /// Where the key store has read to. From the beginning where the topic does not have that any more, or not yet: it was
    /// created again. What was carried out before changes nothing.
    private func nextOffset() async throws -> KafkaOffset {
        let marks = try await KafkaAdmin(kafka).closing { (admin) async throws(KafkaError) in
            try await admin.watermarks(of: place.topic)[place]
        }
        guard let marks, let next = try keys.erasuresNextOffset.map(KafkaOffset.init(rawValue:)), next >= marks.low,
            next <= marks.high
        else { return .beginning }
        return next
    }

    /// Forgets what other processes have destroyed, sluicectl above all, and empties the log that they kept from it.
    private func tidy() throws {
        try keys.refresh()
        guard state.withLock(\.isLogDue) else { return }
        do {
            try keys.overwriteLog()
        } catch {
            // At the next look.
            guard error.code == .notOverwritten else { throw error }
            return
        }
        state.withLock { $0.isLogDue = false }
    }

    private func apply(_ records: [KafkaRecord]) async throws {
        for record in records {
            let next = record.offset.rawValue + 1
            // A tombstone, what the retention says, and who opened records decide nothing about a person.
            guard let value = record.value, RetentionRecord(json: value) == nil, RevealRecord(json: value) == nil else {
                try keys.apply([], nextOffset: next)
                continue
            }
            do {
                let erasure = try ErasureRecord(json: value)
                try await announce(erasure)
                let outcomes = try keys.apply([erasure], nextOffset: next)
                for outcome in outcomes { report(outcome, record) }
            } catch let error as ArchiveFormatError {
                try refuse(record, error.message)
            } catch let error as ArchiveKeyError where error.code == .foreignMarks {
                try refuse(record, error.message)
            } catch let error as ArchiveKeyError where error.code == .notOverwritten {
                // Carried out; the log is emptied at the next look.
                state.withLock { $0.isLogDue = true }
                logger.warning("copies of destroyed keys are left for now", [LogField(.error, error.message)])
            }
        }
    }

    /// Keys that the record does not name are named by a record of this host: who verifies an archive takes a key for
    /// erased only where the topic, which is archived, names it. It is written before the keys are destroyed, so that it
    /// cannot be lost.
    private func announce(_ erasure: ErasureRecord) async throws {
        if let own = try keys.record(namingKeysOf: erasure) { try await announcer.publish(own) }
    }

    private func report(_ outcome: ErasureOutcome, _ record: KafkaRecord) {
        metrics.count(outcome)
        guard outcome != .alreadyDone else { return }
        logger.info(
            "a record of the erasures topic was carried out",
            [LogField(.outcome, outcome.name), LogField(.offset, record.offset.rawValue)])
    }

    /// It will never be carried out, and those after it must be.
    private func refuse(_ record: KafkaRecord, _ reason: String) throws {
        metrics.refused.increment()
        logger.error(
            "a record of the erasures topic cannot be carried out",
            [LogField(.offset, record.offset.rawValue), LogField(.error, reason)])
        try keys.apply([], nextOffset: record.offset.rawValue + 1)
    }
}
