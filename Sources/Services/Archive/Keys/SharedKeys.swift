internal import ArchiveKeys
internal import ArchiveLog
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Synchronization
internal import Telemetry

/// The archive's data keys, shared by all hosts. Each host copies the keys topic into its key store, and encrypts with
/// a key only after reading it back as the first key of its subject.
///
/// At startup, the keys topic is read to its end before the erasures topic, so that a host with an empty key store
/// creates the same pseudonyms as the others. Data keys are published only after both topics have been read.
final class SharedKeys: Service {
    let name = "archive keys"

    private let kafka: KafkaConfiguration
    private let place: KafkaTopicPartition
    private let clusterId: String
    private let keys: KeyStore
    private let publisher: KeyPublisher
    /// Publishes the IDs of keys that were erased before this host read them from the keys topic.
    private let announcer: ErasureAnnouncer
    private let metrics: KeyTopicMetrics
    private let logger: Logger
    /// The interval between attempts to read.
    private let pause: Duration
    /// The interval between checks for unfinished publications by other processes on this host.
    private let look: Duration
    private let waiters = OffsetWaiters()
    private let state = Mutex(State())

    private struct State {
        var consumer: KafkaConsumer?
        var isStopping = false
    }

    /// - Parameter topic: the keys topic.
    init(
        kafka: KafkaConfiguration, topic: KafkaTopic, erasures: KafkaTopic, clusterId: String, keys: KeyStore,
        metrics: KeyTopicMetrics, logger: Logger, pause: Duration = .seconds(5), look: Duration = .seconds(15)
    ) {
        self.kafka = kafka
        place = KafkaTopicPartition(topic: topic, partition: 0)
        self.clusterId = clusterId
        self.keys = keys
        publisher = KeyPublisher(kafka: kafka, topic: topic, keys: keys, metrics: metrics)
        announcer = ErasureAnnouncer(kafka: kafka, topic: erasures)
        self.metrics = metrics
        self.logger = logger
        self.pause = pause
        self.look = look
    }

    // MARK: Keys

    /// Returns the protection for each request's record; see ``KeyStore/sealingKeys(for:)``. Every returned key has
    /// been read from the topic as the first key of its subject.
    ///
    /// - Throws: an ``ArchiveError``, or a `KafkaError` if the topic cannot be written or read; in that case, the
    ///   records wait.
    func dataKeys(for requests: [DataKeyRequest]) async throws -> [ArchiveProtection] {
        // Two rounds suffice if no other host erases the same subjects in the meantime.
        for _ in 0..<10 {
            let sealing = try keys.sealingKeys(for: requests)
            guard !sealing.unpublished.isEmpty else { return sealing.protections }
            if let offset = try await publisher.publish(keys.publications(of: sealing.unpublished)) {
                try await waiters.wait(until: offset)
            }
        }
        throw ArchiveError(
            .keyStoreUnavailable,
            "keys published to the keys topic \(place.topic) were still not confirmed after 10 attempts")
    }

    // MARK: Service

    func start() async throws {
        do {
            try await withTaskExecutorPreference(HandlerThreads.shared) {
                try await WholeTopic.read(place, of: kafka, from: try await nextOffset()) { try await apply($0) }
                try refuseLostKeys()
                // Publish the pseudonym key before the first log is written. A host without a key store does not start
                // if the archive has logs but this topic has no records.
                try await publisher.publish(try keys.duePublications(limit: 0))
            }
        } catch let error as KafkaError {
            await close(within: .seconds(1))
            throw StartupError(
                "the keys topic \(place.topic) cannot be read or written: \(error.message)", setting: "kafka.*",
                fix: "Create it with sluicectl topics apply, or correct the setting")
        } catch {
            await close(within: .seconds(1))
            throw error
        }
    }

    private func refuseLostKeys() throws {
        guard try keys.isJoining else { return }
        throw StartupError(
            "there was no key store at \(keys.path), but the archive has logs and \(place.topic) has no records",
            setting: "archive.key.store",
            fix: """
                Correct the setting, or restore the key store from its backup; if another host has a key store, start \
                that host first
                """)
    }

    func run() async throws {
        await withTaskExecutorPreference(HandlerThreads.shared) {
            while !Task.isCancelled, !state.withLock(\.isStopping) {
                do {
                    try await follow()
                } catch {
                    waiters.fail(error)
                    logger.error("failed to read the keys topic; retrying", [LogField(.error, "\(error)")])
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
        waiters.fail(CancellationError())
        await consumer?.close(within: limit)
        await close(within: limit)
    }

    private func close(within limit: Duration) async {
        await publisher.close(within: limit)
        await announcer.close(within: limit)
    }

    /// Returns the offset from which the keys topic must be read into the key store.
    private func nextOffset() async throws -> KafkaOffset {
        let marks = try await KafkaAdmin(kafka).closing { (admin) async throws(KafkaError) in
            try await admin.watermarks(of: place.topic)[place]
        }
        let offset = try keys.keysOffset(
            cluster: clusterId, low: marks?.low.rawValue ?? 0, high: marks?.high.rawValue ?? 0)
        return KafkaOffset(rawValue: offset)
    }

    /// Reads until the consumer is closed or fails.
    private func follow() async throws {
        let start = try await nextOffset()
        waiters.advance(to: start.rawValue)
        let consumer = KafkaConsumer(kafka, source: .partitions([place: start])) { _ in }
        try await consumer.start()
        state.withLock { $0.consumer = consumer }
        do {
            for partition in await consumer.assignedPartitions {
                while let records = await partition.next(maxRecords: 1000, maxBytes: 4 << 20, within: look) {
                    if !records.isEmpty { try await apply(records) }
                    try await publisher.publish(try keys.duePublications(limit: 1000))
                }
            }
        } catch {
            await consumer.close(within: .seconds(5))
            throw error
        }
        await consumer.close(within: .seconds(5))
    }

    private func apply(_ records: [KafkaRecord]) async throws {
        guard let last = records.last else { return }
        var read: [ArchiveKeyRecord] = []
        for record in records {
            do throws(ArchiveError) {
                read.append(try ArchiveKeyRecord(record))
            } catch { refuse("\(error.message), offset \(record.offset)") }
        }
        // Publish the erasures of these keys before applying the records. After a crash in between, both are repeated,
        // so no erasure is lost.
        for erasure in try keys.erasures(ofKeysIn: read) { try await announcer.publish(erasure) }
        let next = last.offset.rawValue + 1
        let followed = try keys.follow(read, nextOffset: next)
        metrics.applied.increment(by: UInt64(followed.applied))
        for reason in followed.refused { refuse(reason) }
        waiters.advance(to: next)
    }

    private func refuse(_ reason: String) {
        metrics.refused.increment()
        logger.error("a record in the keys topic cannot be used", [LogField(.error, reason)])
    }
}
