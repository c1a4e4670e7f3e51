/// A service that runs one task alongside the other services. The process continues when the task is done.
package final class TaskService: Service {
    package let name: String
    private let task: @Sendable () async throws -> Void
    private let release: @Sendable (Duration) async -> Void

    /// - Parameters:
    ///   - release: releases the task's resources when the service stops, within a limit.
    ///   - task: the task. An error ends the process with the error's exit code.
    package init(
        _ name: String, release: @escaping @Sendable (Duration) async -> Void = { _ in },
        task: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.release = release
        self.task = task
    }

    package func start() async throws {}

    package func run() async throws {
        try await task()
        try await rest()
    }

    package func stop(within limit: Duration) async { await release(limit) }
}
