internal import ArchiveLog
internal import Lifecycle
internal import ObjectStorage
internal import Primitives
internal import Telemetry

/// Sends the newest checkpoint to each anchor while this member maintains the checkpoint log
/// (``CheckpointLogService``). Archiving never waits for an anchor. A checkpoint that is not anchored in time is
/// superseded by a newer one, which also covers its leaves.
final class AnchorService: Service {
    let name = "anchors"

    private static let firstBackoff = Duration.seconds(5)
    private static let longestBackoff = Duration.seconds(300)

    /// Dependencies of the service, including the clocks.
    struct Surroundings: Sendable {
        var store: any ObjectStore
        var verifiers: ArchiveVerifiers
        /// The logs that this member anchors.
        var logs: @Sendable () -> [LogNames]
        var clocks: Clocks
        var sleep: @Sendable (Duration) async throws -> Void
        var findings: ArchiveFindings
        var logger: Logger
    }

    private let anchors: [any CheckpointAnchor]
    private let metrics: [AnchorMetrics]
    private let interval: Duration
    private let surroundings: Surroundings

    init(
        _ anchors: [any CheckpointAnchor], every interval: Duration, _ surroundings: Surroundings,
        _ registry: MetricsRegistry
    ) {
        self.anchors = anchors
        self.interval = interval
        self.surroundings = surroundings
        metrics = anchors.map { AnchorMetrics(registry, anchor: $0.name) }
    }

    func start() async throws {}

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (anchor, metrics) in zip(anchors, metrics) {
                // Anchors run concurrently, so one that hangs does not delay the others.
                group.addTask { [self] in try await follow(anchor, metrics) }
            }
            // Each task runs until it is cancelled. The first one to end cancels the others.
            for try await _ in group {}
        }
        try await rest()
    }

    func stop(within limit: Duration) async {
        for anchor in anchors { await anchor.close(within: limit) }
    }

    private func follow(_ anchor: any CheckpointAnchor, _ metrics: AnchorMetrics) async throws {
        var schedule = AnchorSchedule()
        var failures = 0
        while true {
            try Task.checkCancellation()
            let succeeded = await round(anchor, &schedule, metrics)
            failures = succeeded ? 0 : failures + 1
            try await surroundings.sleep(pause(after: failures))
        }
    }

    /// - Returns: whether the anchor is up to date.
    private func round(
        _ anchor: any CheckpointAnchor, _ schedule: inout AnchorSchedule, _ metrics: AnchorMetrics
    ) async -> Bool {
        var succeeded = true
        let logs = surroundings.logs()
        schedule.keep(logs)
        for names in logs {
            do throws(ArchiveServiceError) {
                guard let log = try await newest(names) else { continue }
                let now = surroundings.clocks.monotonicNanoseconds()
                guard schedule.isDue(names, size: log.size, now: now) else { continue }
                let anchored = try await give(log, to: anchor)
                schedule.anchored(names, size: anchored)
                metrics.succeeded()
                surroundings.findings.anchored(anchor.name, names.partition)
            } catch {
                succeeded = false
                metrics.failed(error.code)
                surroundings.findings.failed(anchor.name, names.partition, error)
                log(error, anchor, names)
            }
        }
        metrics.isBehind(nanoseconds: schedule.behind(now: surroundings.clocks.monotonicNanoseconds()))
        return succeeded
    }

    /// Anchors a log. If the anchor reports a conflict and the log has a larger checkpoint by now, retries once with
    /// that checkpoint: the partition may have moved, and its new owner may have anchored more of the log.
    ///
    /// - Returns: the number of leaves in the checkpoint that the anchor accepted.
    private func give(_ log: AnchoredLog, to anchor: any CheckpointAnchor) async throws(ArchiveServiceError) -> Int {
        do throws(ArchiveServiceError) {
            try await anchor.anchor(log)
            return log.size
        } catch {
            guard error.code == .conflict, let newer = try await newest(log.names), newer.size > log.size
            else { throw error }
            try await anchor.anchor(newer)
            return newer.size
        }
    }

    private func newest(_ names: LogNames) async throws(ArchiveServiceError) -> AnchoredLog? {
        do {
            let reader = LogReader(surroundings.store, names: names, verifiers: surroundings.verifiers)
            return try await reader.checkpoint().map { AnchoredLog(reader: reader, checkpoint: $0) }
        } catch {
            throw ArchiveServiceError(.archive, "\(error)")
        }
    }

    /// Returns the pause after a given number of consecutive failures. The pause doubles with each failure, up to a
    /// limit.
    private func pause(after failures: Int) -> Duration {
        guard failures > 0 else { return interval }
        return min(Self.longestBackoff, Self.firstBackoff * (1 << min(failures - 1, 10)))
    }

    private func log(_ error: ArchiveServiceError, _ anchor: any CheckpointAnchor, _ names: LogNames) {
        let fields = [
            LogField(.anchor, anchor.name), LogField(.log, "\(names.prefix)"), LogField(.error, error.message),
        ]
        if error.code == .conflict {
            surroundings.logger.error("checkpoint conflict: the anchor and the archive have diverged", fields)
        } else {
            surroundings.logger.warning("failed to anchor the checkpoint; retrying", fields)
        }
    }
}
