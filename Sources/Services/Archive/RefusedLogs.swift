internal import ArchiveLog
internal import Lifecycle

/// Ends the process if a log was rejected and retrying cannot help, so that an operator intervenes.
final class RefusedLogs: Service {
    let name = "refused logs"

    private let refusals = AsyncStream.makeStream(of: ArchiveError.self, bufferingPolicy: .bufferingOldest(1))

    func report(_ error: ArchiveError) { refusals.continuation.yield(error) }

    func start() async throws {}

    func run() async throws {
        for await error in refusals.stream { throw ArchiveServiceError(.refusedLog, error.message) }
        try await rest()
    }

    func stop(within limit: Duration) async {}
}
