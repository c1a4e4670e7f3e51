internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import Kafka
internal import Lifecycle
internal import ObjectStorage
internal import PipelineRuntime
internal import Primitives
internal import Telemetry

/// Deletes expired payloads from the logs that this member owns. One run announces a deletion; another, a day later,
/// carries it out.
final class RetentionService: Service {
    let name = "retention"

    private let parts: Parts
    private let publish: @Sendable (RetentionRecord) async throws -> Void
    private let close: @Sendable (Duration) async -> Void
    private let pause: @Sendable () async throws -> Void

    /// Dependencies of the service.
    struct Parts: Sendable {
        let store: any ObjectStore
        let signer: CheckpointSigner
        let keys: KeyStore
        let logs: OpenLogs
        let topics: ArchivedTopics
        /// The retention time in milliseconds.
        let retention: Int64
        /// Time between two runs in milliseconds.
        let interval: Int64
        let clocks: Clocks
        let metrics: ArchiveMetrics
        let findings: ArchiveFindings
        let logger: Logger
    }

    /// - Parameters:
    ///   - publish: publishes a record; returns once Kafka has acknowledged it. Each step is published before it is
    ///     carried out.
    ///   - close: closes the producer.
    ///   - pause: called before each run.
    init(
        _ parts: Parts, publish: @escaping @Sendable (RetentionRecord) async throws -> Void,
        close: @escaping @Sendable (Duration) async -> Void = { _ in },
        pause: @escaping @Sendable () async throws -> Void
    ) {
        self.parts = parts
        self.publish = publish
        self.close = close
        self.pause = pause
    }

    func start() async throws {}

    func run() async throws {
        try await withTaskExecutorPreference(HandlerThreads.shared) {
            while true {
                try await pause()
                try await runOnce()
            }
        }
    }

    func stop(within limit: Duration) async { await close(limit) }

    /// Performs one run over the logs that this member owns.
    ///
    /// The current time is the earlier of this host's time and the newest timestamp among the logs' last records. A
    /// single fast clock, on this host or on a producer, therefore cannot make anything expire early. Without such a
    /// timestamp, the run does nothing.
    func runOnce() async throws {
        guard let newest = parts.logs.newestTimestamp else { return }
        let now = min(parts.clocks.wallMilliseconds(), newest)
        let hasHolds: Bool
        do throws(ArchiveError) {
            hasHolds = try parts.keys.hasHolds()
        } catch {
            parts.logger.error("failed to delete payloads", [LogField(.error, "\(error)")])
            for partition in personalLogs { parts.findings.notDeleted(partition, error) }
            return
        }
        for partition in personalLogs {
            try Task.checkCancellation()
            await prune(partition, now: now, hasHolds: hasHolds)
        }
    }

    /// The logs whose payloads expire. Erasures prove that keys were destroyed on purpose, and certificates keep old
    /// notifications verifiable, so both are kept.
    private var personalLogs: [KafkaTopicPartition] {
        parts.logs.partitions.filter { parts.topics[$0.topic]?.kind.isPersonal == true }
    }

    private func prune(_ partition: KafkaTopicPartition, now: Int64, hasHolds: Bool) async {
        // Skip an empty log, and a log in use, which the next run handles.
        guard let size = parts.logs.committedSize(of: partition), size > 0 else { return }
        do {
            let names = try LogNames(partition)
            let pruning = LogPruning(parts.store, names: names, signer: parts.signer)
            let inputs = LogPruning.Inputs(cutoff: now - parts.retention, now: now, size: size)
            let origin = names.origin(archive: parts.signer.archive)
            let (settings, deleted) = try await pruning.run(
                inputs, announce: { try await announce($0, inputs, origin) },
                decide: { leaves in
                    try parts.keys.mayPrune(leaves, hasHolds: hasHolds) ? .delete : .keep
                })
            if settings.isChange, let announced = settings.announced {
                parts.logger.info(
                    "payloads older than archive.retention will be deleted",
                    [LogField(.log, "\(partition)"), LogField(.leaves, announced.minimum - settings.minimum)])
            }
            parts.findings.deleted(partition)
            try await reportOverdue(partition, pruning, settings, inputs)
            guard deleted > 0 else { return }
            parts.metrics.pruned(partition.topic, segments: deleted)
            parts.logger.info(
                "payloads older than archive.retention were deleted",
                [LogField(.log, "\(partition)"), LogField(.segments, deleted)])
        } catch is CancellationError {
            return
        } catch {
            parts.findings.notDeleted(partition, error)
            if let error = error as? ArchiveError { parts.metrics.failed(error.code) }
            parts.logger.error(
                "failed to delete payloads", [LogField(.log, "\(partition)"), LogField(.error, "\(error)")])
        }
    }

    /// Reports payloads that expired so long ago that two runs should have announced and deleted them.
    private func reportOverdue(
        _ partition: KafkaTopicPartition, _ pruning: LogPruning, _ plan: LogPruning.Plan, _ inputs: LogPruning.Inputs
    ) async throws(ArchiveError) {
        let delay = 2 * (LogPruning.minimumDelay + parts.interval)
        guard let archived = try await pruning.firstKept(plan, size: inputs.size), archived < inputs.cutoff - delay
        else { return parts.findings.overdue(partition, nil) }
        let expired = AppStoreInstant(clampingMillisecondsSince1970: archived + parts.retention)
        parts.findings.overdue(partition, "the oldest payload, of leaf \(plan.minimum), expired at \(expired)")
    }

    private func announce(_ settings: LogPruning.Plan, _ inputs: LogPruning.Inputs, _ origin: String) async throws {
        try await publish(
            RetentionRecord(
                action: settings.minimum > settings.before || settings.deletions > 0 ? .delete : .announce,
                origin: origin,
                minimum: settings.minimum, announced: settings.announced?.minimum, kept: settings.kept,
                archivedBefore: AppStoreInstant(clampingMillisecondsSince1970: inputs.cutoff),
                at: AppStoreInstant(clampingMillisecondsSince1970: inputs.now)))
    }
}
