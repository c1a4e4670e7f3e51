internal import ArchiveConfiguration
internal import ArchiveFormat
internal import ArchiveKeys
internal import ArchiveLog
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import ObjectStorage
internal import PipelineRuntime
internal import Records
internal import ServiceKit
internal import Telemetry
internal import Time

/// The parts of `sluice-archive`, put together.
struct ArchiveService {
    /// A member that catches up has so much of each partition in memory.
    static let flushBytes = 8 << 20

    let handler: ArchiveHandler
    let services: [any Service]

    /// - Throws: a `ConfigurationError` for a place or a key that cannot be used, a `StartupError` without an answer of Kafka.
    ///
    /// - Parameter pause: before each run of the retention.
    init(
        _ context: ConsumerContext, topics: ArchivedTopics, clocks: Clocks,
        pause: @escaping @Sendable () async throws -> Void
    ) async throws {
        let configuration = context.configuration
        let notice = { @Sendable [logger = context.logger] (message: String) in
            logger.warning("a store of the archive goes on with what it had", [LogField(.error, message)])
        }
        let plan = try ArchivePlan(configuration)
        let signer = plan.signer
        let store = try ArchivePlace.openStore(configuration, creating: true, notice: notice)
        let keys = try await ArchivePlace.keyStore(configuration, archive: store)
        let admin = try KafkaAdmin(context.kafka)
        let clusterId: String
        do throws(KafkaError) {
            clusterId = try await admin.clusterId()
        } catch {
            throw StartupError(
                "Kafka does not say its cluster's id: \(error.message)",
                setting: ApplicationSettings.kafka.prefix + "bootstrap.servers",
                fix: "Start Kafka, or correct the setting")
        }
        let metrics = ArchiveMetrics(context.metrics, topics: topics.all.map(\.topic))
        let logs = OpenLogs()
        handler = ArchiveHandler(
            logs: logs,
            opener: LogOpener(store: store, signer: signer, clusterId: clusterId, clocks: clocks),
            sealer: RecordSealer(keys: keys, topics: topics, clusterId: clusterId),
            missed: MissedRecords(kafka: context.kafka, admin: admin), topics: topics, clocks: clocks, metrics: metrics,
            logger: context.logger, repeated: RateLimitedLogger(context.logger, perSecond: 1))
        let erasures = ErasureFollower(
            kafka: context.kafka, topic: topics.names.erasures, keys: keys, metrics: ErasureMetrics(context.metrics),
            logger: context.logger)
        let announcer = RetentionAnnouncer(kafka: context.kafka, topic: topics.names.erasures)
        let retention = RetentionService(
            RetentionService.Parts(
                store: store, signer: signer, keys: keys, logs: logs, topics: topics,
                retention: configuration[ArchivePlace.retention].clampedMilliseconds, clocks: clocks,
                metrics: metrics, logger: context.logger),
            publish: announcer.publish, close: announcer.close, pause: pause)
        let anchors = AnchorService(
            try ArchiveSettings.anchors(
                plan, configuration, kafka: context.kafka, topic: topics.names.archiveCheckpoints, archive: store,
                notice: notice),
            every: configuration[ArchiveSettings.anchorInterval],
            AnchorService.Surroundings(
                store: store, verifiers: plan.verifiers, partitions: { logs.partitions }, clocks: clocks,
                sleep: { try await Task.sleep(for: $0) }, logger: context.logger), context.metrics)
        let wrapping = KeyWrapping(keys: keys, logger: context.logger)
        services = [ArchiveParts(keys: keys, admin: admin), wrapping, erasures, retention, anchors]
    }
}

/// What the handler uses of the outside; it outlives the pipeline.
final class ArchiveParts: Service {
    let name = "archive"
    private let keys: KeyStore
    private let admin: KafkaAdmin

    init(keys: KeyStore, admin: KafkaAdmin) {
        self.keys = keys
        self.admin = admin
    }

    func start() async throws {}

    func stop(within limit: Duration) async {
        await admin.close(within: limit)
        keys.close()
    }
}
