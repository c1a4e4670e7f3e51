internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Records
internal import Telemetry

/// Reads the certificates topic from its beginning and follows it until the process stops.
final class CertificatesService: Service {
    let name = "certificates"
    let directory = CertificateDirectory()
    private let consumer: KafkaConsumer
    private let admin: KafkaAdmin
    private let topic: KafkaTopic
    private let failures: AsyncStream<StartupError>
    private let failure: AsyncStream<StartupError>.Continuation

    /// - Throws: a `KafkaError` if a property is invalid.
    init(_ kafka: KafkaConfiguration, topic: KafkaTopic, logger: Logger) throws(KafkaError) {
        let (failures, failure) = AsyncStream.makeStream(of: StartupError.self, bufferingPolicy: .bufferingOldest(1))
        self.failures = failures
        self.failure = failure
        self.topic = topic
        let log = RateLimitedLogger(logger, perSecond: 1)
        admin = try KafkaAdmin(kafka)
        consumer = KafkaConsumer(kafka, source: .partitions([:])) { event in
            switch event {
            case .damaged(let partition, let offset, let error): failure.yield(.damaged(partition, offset, error))
            case .offsetOutOfRange(let partition, let offset):
                failure.yield(
                    .offsetOutOfRange(
                        partition, offset, fix: "Restart the process; it will then read the topic from the beginning"))
            case .fatal(let error): failure.yield(.clientFailed(error))
            case .error(let error):
                log.log(.warning, key: error.name, "certificate reader error", [LogField(.error, error.message)])
            default: break
            }
        }
    }

    /// Reads the topic from its beginning to its end.
    ///
    /// - Throws: a `KafkaError` if the end cannot be reached.
    static func readAll(
        _ kafka: KafkaConfiguration, _ topic: KafkaTopic, into directory: CertificateDirectory
    ) async throws {
        let partition = KafkaTopicPartition(topic: topic, partition: 0)
        try await KafkaConsumer.readToEnd(kafka, from: [partition: .beginning], within: .seconds(60)) {
            directory.take($0)
        }
    }

    func start() async throws {
        do {
            let ends = try await admin.watermarks(of: topic)
            await admin.close(within: .seconds(1))
            try await consumer.start()
            _ = try await consumer.read(ends.mapValues(\.low))
        } catch {
            await admin.close(within: .seconds(1))
            throw StartupError(
                "failed to read the certificates topic: \(error)", setting: "topics.prefix",
                fix: "Create the topics with: sluicectl topics apply")
        }
    }

    func run() async throws {
        let partitions = await consumer.assignedPartitions
        try await withThrowingTaskGroup(of: Void.self) { group in
            for partition in partitions {
                group.addTask { [directory] in
                    while let records = await partition.next(maxRecords: 500) { directory.take(records) }
                }
            }
            group.addTask { [failures] in for await failure in failures { throw failure } }
            try await group.waitForAll()
        }
    }

    func stop(within limit: Duration) async {
        await consumer.close(within: limit)
        failure.finish()
    }
}
