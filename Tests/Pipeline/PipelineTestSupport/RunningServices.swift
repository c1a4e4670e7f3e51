package import Lifecycle
package import Telemetry
internal import TestSupport
internal import Testing

/// An executable's services, run the way its main function runs them.
package final class RunningServices: Sendable {
    package let registry = MetricsRegistry()
    package let log = MemoryLogSink()
    private let trigger: AsyncStream<String>.Continuation
    private let group: Task<ExitCode, Never>

    package init(_ make: (Logger, MetricsRegistry) async throws -> [any Service]) async throws {
        let logger = Logger(label: "test", level: .info, format: .json, sink: log)
        let services = try await make(logger, registry)
        let (triggers, trigger) = AsyncStream.makeStream(of: String.self)
        self.trigger = trigger
        // `stop()` awaits the task.
        group = Task {
            await ServiceGroup(services, logger: logger, maximumShutdown: .seconds(20)).run(triggers: triggers)
        }
    }

    /// Waits until the keyed state of every partition has been read.
    package func waitForState() async throws {
        let isComplete = await eventually(within: .seconds(25)) { self.metric("sluice_state_complete ") == 1 }
        try #require(isComplete, "\(log.lines.suffix(8).joined(separator: "\n"))")
    }

    /// Stops the services as SIGTERM would.
    @discardableResult
    package func stop() async -> ExitCode {
        trigger.yield("test")
        return await group.value
    }

    /// Waits until the services end on their own, and returns the exit code.
    package func end() async -> ExitCode { await group.value }

    /// Returns the sum of all metric lines with this prefix.
    package func metric(_ start: String) -> Double { registry.values(start).reduce(0, +) }
}
