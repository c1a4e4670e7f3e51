internal import ArchiveFormat
internal import ArchiveKeys
internal import ArchiveLog
internal import Kafka
internal import Lifecycle
internal import ObjectStorage
internal import PipelineRuntime
internal import Telemetry
internal import Time

/// Deletes the payloads whose time is over, of the logs that this member owns.
final class RetentionService: Service {
    let name = "retention"

    private let store: any ObjectStore
    private let signer: CheckpointSigner
    private let keys: KeyStore
    private let logs: OpenLogs
    private let retention: Int64
    private let clocks: Clocks
    private let metrics: ArchiveMetrics
    private let logger: Logger
    private let pause: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - retention: milliseconds.
    ///   - pause: before each run.
    init(
        store: any ObjectStore, signer: CheckpointSigner, keys: KeyStore, logs: OpenLogs, retention: Int64,
        clocks: Clocks, metrics: ArchiveMetrics, logger: Logger, pause: @escaping @Sendable () async throws -> Void
    ) {
        self.store = store
        self.signer = signer
        self.keys = keys
        self.logs = logs
        self.retention = retention
        self.clocks = clocks
        self.metrics = metrics
        self.logger = logger
        self.pause = pause
    }

    func start() async throws {}

    func run() async throws {
        try await withTaskExecutorPreference(HandlerThreads.shared) {
            while true {
                try await pause()
                for partition in logs.partitions {
                    try Task.checkCancellation()
                    await prune(partition)
                }
            }
        }
    }

    func stop(within limit: Duration) async {}

    /// Deletes what is over in the log of one partition.
    func prune(_ partition: KafkaTopicPartition) async {
        // A log that is being written is looked at in the next run.
        guard let size = logs.committedSize(of: partition), size > 0 else { return }
        do {
            let pruning = try LogPruning(store, names: LogNames(partition), signer: signer)
            let count = try await pruning.prune(
                archivedBefore: clocks.wallMilliseconds() - retention, size: size
            ) { try isHeld($0) }
            guard count > 0 else { return }
            metrics.pruned(partition.topic, segments: count)
            logger.info(
                "payloads deleted after archive.retention",
                [LogField(.log, "\(partition)"), LogField(.segments, count)])
        } catch {
            if let error = error as? LogError { metrics.failed(error.code) }
            logger.error(
                "payloads could not be deleted", [LogField(.log, "\(partition)"), LogField(.error, "\(error)")])
        }
    }

    private func isHeld(_ leaves: [ArchiveLeaf]) throws -> Bool {
        guard try keys.counts().holds > 0 else { return false }
        return try Set(leaves.compactMap(\.keyId)).contains { key in
            guard let mark = try keys.mark(ofKey: key) else { return false }
            return try keys.status(of: mark).hold != nil
        }
    }
}
