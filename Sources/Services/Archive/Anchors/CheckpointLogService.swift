internal import ArchiveLog
internal import Lifecycle
internal import ObjectStorage
internal import Primitives
internal import Telemetry
internal import TransparencyLog

/// Maintains the checkpoint log: once per interval, appends a leaf with the newest checkpoint of each log that has
/// grown. Only one member of the group does this. Archiving never waits for it.
final class CheckpointLogService: Service {
    let name = "checkpoint log"

    /// Dependencies of the service.
    struct Surroundings: Sendable {
        var store: any ObjectStore
        var signer: CheckpointSigner
        var verifiers: ArchiveVerifiers
        /// Returns whether this member maintains the log.
        var keepsLog: @Sendable () -> Bool
        var clocks: Clocks
        var sleep: @Sendable (Duration) async throws -> Void
        var metrics: ArchiveMetrics
        var findings: ArchiveFindings
        var logger: Logger
    }

    /// The log's state while this member maintains it.
    private struct Kept {
        var writer: CheckpointLogWriter
        /// The number of leaves in the last checkpoint appended for each log. Initially empty, so that the first round
        /// appends a leaf for every log.
        var sizes: [LogNames: Int] = [:]
        /// The newest checkpoint of each log, as read one interval ago.
        var earlier: [LogNames: Checkpoint] = [:]
    }

    /// The logs to anchor.
    static let logs: [LogNames] = (try? LogNames.checkpointLog()).map { [$0] } ?? []

    private let interval: Duration
    private let surroundings: Surroundings

    init(every interval: Duration, _ surroundings: Surroundings) {
        self.interval = interval
        self.surroundings = surroundings
    }

    func start() async throws {}

    func run() async throws {
        var kept: Kept?
        defer { kept?.writer.close() }
        while true {
            try Task.checkCancellation()
            kept = await round(kept)
            surroundings.metrics.keepsCheckpointLog(kept != nil)
            try await surroundings.sleep(interval)
        }
    }

    func stop(within limit: Duration) async {}

    /// - Returns: nil if another member maintains the log, or after a failure; in either case, the next round opens the
    ///   log again.
    private func round(_ kept: Kept?) async -> Kept? {
        guard surroundings.keepsLog() else {
            kept?.writer.close()
            return nil
        }
        do throws(ArchiveError) {
            var next = try await opened(kept)
            do throws(ArchiveError) {
                try await append(to: &next)
            } catch {
                next.writer.close()
                throw error
            }
            for names in Self.logs { surroundings.findings.written(names.partition) }
            return next
        } catch {
            surroundings.metrics.failed(error.code)
            for names in Self.logs { surroundings.findings.failed(names.partition, error) }
            surroundings.logger.error(
                "failed to extend the checkpoint log; retrying", [LogField(.error, error.message)])
            return nil
        }
    }

    private func opened(_ kept: Kept?) async throws(ArchiveError) -> Kept {
        if let kept { return kept }
        return Kept(
            writer: try await CheckpointLogWriter.open(
                surroundings.store, signer: surroundings.signer, at: seconds))
    }

    private func append(to kept: inout Kept) async throws(ArchiveError) {
        var grown: [(names: LogNames, checkpoint: Checkpoint)] = []
        let logs: [LogNames]
        do throws(ArchiveError) {
            logs = try await LogReader.logs(in: surroundings.store)
        } catch { throw ArchiveError(.storage, error.message) }
        for names in logs {
            guard let newest = await checkpoint(names) else { continue }
            let former = kept.earlier.updateValue(newest, forKey: names)
            let durable = await isDurable(names, newest.size) ? newest : former
            guard let durable, durable.size <= newest.size, durable.size > kept.sizes[names] ?? 0 else { continue }
            grown.append((names, durable))
        }
        try await kept.writer.append(grown.map(\.checkpoint), at: seconds)
        for log in grown { kept.sizes[log.names] = log.checkpoint.size }
    }

    /// Returns whether a copy of the checkpoint exists. A writer creates the copy once the checkpoint is durable. If
    /// this service appended a checkpoint before that, a power failure could remove the checkpoint from its own log but
    /// not from the checkpoint log. A checkpoint without a copy waits for one interval; by then, its writer has made it
    /// durable or signed a newer one.
    private func isDurable(_ names: LogNames, _ size: Int) async -> Bool {
        let reader = LogReader(surroundings.store, names: names, verifiers: surroundings.verifiers)
        return (try? await reader.checkpoint(size: size)) != nil
    }

    /// Returns the newest checkpoint of a log, or nil if there is none. An unusable checkpoint yields nil rather than
    /// an error, so that one log does not delay the others.
    private func checkpoint(_ names: LogNames) async -> Checkpoint? {
        do throws(ArchiveError) {
            let reader = LogReader(surroundings.store, names: names, verifiers: surroundings.verifiers)
            return try await reader.checkpoint()?.checkpoint
        } catch {
            surroundings.logger.warning(
                "a checkpoint cannot be read and is not added to the checkpoint log",
                [LogField(.log, "\(names.prefix)"), LogField(.error, "\(error)")])
            return nil
        }
    }

    private var seconds: Int { Int(surroundings.clocks.wallMilliseconds() / 1000) }
}
