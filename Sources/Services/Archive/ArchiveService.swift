internal import ArchiveKeys
internal import ArchiveLog
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import ObjectStorage
internal import PipelineRuntime
internal import Primitives
internal import Records
internal import ServiceKit
internal import Telemetry

/// The assembled components of `sluice-archive`.
struct ArchiveService {
    /// The maximum number of bytes per partition that a member buffers while catching up.
    static let flushBytes = 8 << 20

    let handler: ArchiveHandler
    let services: [any Service]

    /// - Parameter pause: called with `archive.retention.interval` before each retention run.
    /// - Throws: a `ConfigurationError` if a location or key is unusable, or a `StartupError` if Kafka does not
    ///   respond.
    init(
        _ context: ConsumerContext, topics: ArchivedTopics, clocks: Clocks,
        pause: @escaping @Sendable (Duration) async throws -> Void
    ) async throws {
        let configuration = context.configuration
        let notice = { @Sendable [logger = context.logger] (message: String) in
            logger.warning(
                "failed to renew archive store credentials; keeping the previous ones", [LogField(.error, message)])
        }
        let settings = try ArchiveConfiguration(configuration)
        let signer = settings.signer
        let store = try ArchivePlace.openStore(configuration, creating: true, notice: notice)
        let keys = try await ArchivePlace.writersKeyStore(configuration, archive: store)
        let admin = try KafkaAdmin(context.kafka)
        let clusterId: String
        do throws(KafkaError) {
            clusterId = try await admin.clusterId()
        } catch {
            throw StartupError(
                "Kafka does not report its cluster id: \(error.message)",
                setting: ApplicationSettings.kafka.prefix + "bootstrap.servers",
                fix: "Start Kafka, or correct the setting")
        }
        let metrics = ArchiveMetrics(context.metrics, topics: topics.all.map(\.topic))
        let shared = SharedKeys(
            kafka: context.kafka, topic: topics.names.archiveKeys, erasures: topics.names.erasures,
            clusterId: clusterId, keys: keys, metrics: KeyTopicMetrics(context.metrics), logger: context.logger)
        let logs = OpenLogs()
        let refused = RefusedLogs()
        let findings = ArchiveFindings(context.events)
        let opener = try Self.opener(
            context, settings, store: store, keys: keys, topic: topics.names.archiveCheckpoints, clusterId: clusterId,
            clocks: clocks, notice)
        handler = ArchiveHandler(
            logs: logs, opener: opener,
            sealer: RecordSealer(dataKeys: shared.dataKeys, topics: topics, clusterId: clusterId),
            missed: MissedRecords(kafka: context.kafka, admin: admin), refused: refused, topics: topics,
            clocks: clocks, metrics: metrics, findings: findings,
            logger: context.logger, repeated: RateLimitedLogger(context.logger, perSecond: 1))
        let erasures = ErasureFollower(
            kafka: context.kafka, topic: topics.names.erasures, keys: keys, metrics: ErasureMetrics(context.metrics),
            logger: context.logger)
        let announcer = ErasureAnnouncer(kafka: context.kafka, topic: topics.names.erasures)
        let retention = RetentionService(
            RetentionService.Parts(
                store: store, signer: signer, keys: keys, logs: logs, topics: topics,
                retention: configuration[ArchivePlace.retention].clampedMilliseconds,
                interval: configuration[ArchivePlace.retentionInterval].clampedMilliseconds, clocks: clocks,
                metrics: metrics, findings: findings, logger: context.logger),
            publish: announcer.publish, close: announcer.close,
            pause: { try await pause(configuration[ArchivePlace.retentionInterval]) })
        // The owner of the erasures topic, which always exists, also maintains the checkpoint log. It does so even
        // while the erasures log cannot be opened: the other logs keep growing and must be anchored.
        let keeps = { @Sendable in
            logs.isAssigned(KafkaTopicPartition(topic: topics.names.erasures, partition: 0))
        }
        let checkpoints = CheckpointLogService(
            every: configuration[ArchiveSettings.anchorInterval],
            CheckpointLogService.Surroundings(
                store: store, signer: signer, verifiers: settings.verifiers, keepsLog: keeps, clocks: clocks,
                sleep: { try await Task.sleep(for: $0) }, metrics: metrics, findings: findings,
                logger: context.logger))
        let anchors = AnchorService(
            try ArchiveSettings.anchors(
                settings, configuration, kafka: context.kafka, topic: topics.names.archiveCheckpoints, archive: store,
                notice: notice),
            every: configuration[ArchiveSettings.anchorInterval],
            AnchorService.Surroundings(
                store: store, verifiers: settings.verifiers, logs: { keeps() ? CheckpointLogService.logs : [] },
                clocks: clocks,
                sleep: { try await Task.sleep(for: $0) }, findings: findings, logger: context.logger),
            context.metrics)
        let wrapping = TaskService.keyWrapping(keys, logger: context.logger)
        services = [
            ArchiveParts(keys: keys, admin: admin), refused, wrapping, shared, erasures, retention, checkpoints,
            anchors,
        ]
    }

    /// Creates the log opener, with the sources that it consults before a checkpoint is signed.
    private static func opener(
        _ context: ConsumerContext, _ settings: ArchiveConfiguration, store: any ObjectStore, keys: KeyStore,
        topic: KafkaTopic,
        clusterId: String, clocks: Clocks, _ notice: @escaping @Sendable (String) -> Void
    ) throws -> LogOpener {
        let configuration = context.configuration
        let mayBegin = configuration[ArchiveSettings.begin]
        if mayBegin {
            context.logger.warning(
                "archive.begin is set: accepting the logs as they are in the archive; unset it after this start")
        }
        let anchored = AnchoredHeads(
            store: try ArchivePlace.openAnchor(configuration, creating: true, notice: notice),
            topic: configuration[ArchiveSettings.anchorKafka]
                ? CheckpointTopic(kafka: context.kafka, topic: topic) : nil,
            logger: context.logger)
        return LogOpener(
            store: store, signer: settings.signer, heads: KeyStoreHeads(keys: keys), anchored: anchored,
            checkpointLog: AnchoredCheckpointLog(store: store, signer: settings.signer, anchors: anchored),
            mayBegin: mayBegin, clusterId: clusterId, clocks: clocks)
    }
}

/// The handler's external dependencies, which outlive the pipeline.
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
