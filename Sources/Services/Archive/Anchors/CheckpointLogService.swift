internal import ArchiveLog
internal import Lifecycle
internal import ObjectStorage
internal import Telemetry
internal import Time
internal import TransparencyLog

/// Keeps the log of checkpoints: once per interval the newest checkpoint of each log that has grown is appended to it
/// as a leaf. One member of the group does this. Archiving never waits for it.
final class CheckpointLogService: Service {
    let name = "checkpoint log"

    /// Dependencies of the service.
    struct Surroundings: Sendable {
        var store: any ObjectStore
        var signer: CheckpointSigner
        var verifiers: ArchiveVerifiers
        /// Whether this member keeps the log.
        var keepsLog: @Sendable () -> Bool
        var clocks: Clocks
        var sleep: @Sendable (Duration) async throws -> Void
        var metrics: ArchiveMetrics
        var logger: Logger
    }

    /// State of the log while this member keeps it.
    private struct Kept {
        var writer: CheckpointLogWriter
        /// Number of leaves of the newest appended checkpoint of each log. Empty at first, so that the first round
        /// appends a leaf for every log.
        var sizes: [LogNames: Int] = [:]
        /// Checkpoints that were read one interval ago.
        var earlier: [LogNames: Checkpoint] = [:]
    }

    /// The logs that are anchored.
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

    /// - Returns: nil if another member keeps the log, and after a failure, so that the log is opened again.
    private func round(_ kept: Kept?) async -> Kept? {
        guard surroundings.keepsLog() else {
            kept?.writer.close()
            return nil
        }
        do throws(LogError) {
            var next = try await opened(kept)
            do throws(LogError) {
                try await append(to: &next)
            } catch {
                next.writer.close()
                throw error
            }
            return next
        } catch {
            surroundings.metrics.failed(error.code)
            surroundings.logger.error(
                "the log of checkpoints could not be continued; trying again", [LogField(.error, error.message)])
            return nil
        }
    }

    private func opened(_ kept: Kept?) async throws(LogError) -> Kept {
        if let kept { return kept }
        return Kept(
            writer: try await CheckpointLogWriter.open(
                surroundings.store, signer: surroundings.signer, at: seconds))
    }

    private func append(to kept: inout Kept) async throws(LogError) {
        var grown: [(names: LogNames, checkpoint: Checkpoint)] = []
        let logs: [LogNames]
        do throws(LogReadError) {
            logs = try await LogReader.logs(in: surroundings.store)
        } catch { throw LogError(.storage, error.message) }
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

    /// Whether a copy of the checkpoint exists, which a writer creates after the checkpoint is durable. A checkpoint
    /// that was read earlier could be lost in a power failure, and the log of checkpoints would then state a checkpoint
    /// that no longer exists. Such a checkpoint waits for one interval; by then its writer has made it durable or
    /// signed a newer one.
    private func isDurable(_ names: LogNames, _ size: Int) async -> Bool {
        let reader = LogReader(surroundings.store, names: names, verifiers: surroundings.verifiers)
        return (try? await reader.checkpoint(size: size)) != nil
    }

    /// Returns nil for a log without a usable checkpoint, which must not delay the others.
    private func checkpoint(_ names: LogNames) async -> Checkpoint? {
        do throws(LogReadError) {
            let reader = LogReader(surroundings.store, names: names, verifiers: surroundings.verifiers)
            return try await reader.checkpoint()?.checkpoint
        } catch {
            surroundings.logger.warning(
                "a checkpoint cannot be read, and is not added to the log of checkpoints",
                [LogField(.log, "\(names.prefix)"), LogField(.error, "\(error)")])
            return nil
        }
    }

    private var seconds: Int { Int(surroundings.clocks.wallMilliseconds() / 1000) }
}
