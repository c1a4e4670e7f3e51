import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Lifecycle

/// Records events of services in order.
private final class Journal: Sendable {
    private let stored = Mutex<[String]>([])
    var entries: [String] { stored.withLock { $0 } }
    func add(_ entry: String) { stored.withLock { $0.append(entry) } }
}

private struct TestFailure: Error {}

private struct TestService: Service {
    let name: String
    let journal: Journal
    var starting: @Sendable () async throws -> Void = {}
    var running: (@Sendable () async throws -> Void)?
    var stopping: @Sendable (Duration) async -> Void = { _ in }

    func start() async throws {
        journal.add("start \(name)")
        try await starting()
    }

    func run() async throws {
        if let running { return try await running() }
        try await untilCancelled()
    }

    func stop(within limit: Duration) async {
        journal.add("stop \(name)")
        await stopping(limit)
    }
}

@Suite(.timeLimit(.minutes(5))) struct ServiceGroupTests {
    private let journal = Journal()
    private let sink = MemoryLogSink()

    private func group(_ services: [any Service], maximum: Duration = .seconds(10)) -> ServiceGroup {
        ServiceGroup(
            services, logger: Logger(label: "test", level: .debug, format: .text, sink: sink), maximumShutdown: maximum)
    }

    /// Adds a service that starts last, and returns a stream that triggers the shutdown once it has started.
    private func trigger(_ services: inout [any Service]) -> AsyncStream<String> {
        let (triggers, trigger) = AsyncStream.makeStream(of: String.self)
        let last = TestService(
            name: "last", journal: journal,
            running: {
                trigger.yield("SIGTERM")
                try await untilCancelled()
            })
        services.append(last)
        return triggers
    }

    @Test func `services start in order and stop in reverse`() async {
        var services: [any Service] = ["a", "b"].map { TestService(name: $0, journal: journal) }
        let triggers = trigger(&services)
        let exitCode = await group(services).run(triggers: triggers)
        #expect(exitCode == .ok)
        #expect(journal.entries == ["start a", "start b", "start last", "stop last", "stop b", "stop a"])
        #expect(sink.lines.contains { $0.hasSuffix("stopping reason=SIGTERM") })
    }

    @Test func `a service that cannot start stops the services before it`() async {
        let error = StartupError(
            "cannot listen on 0.0.0.0:8080: address in use", setting: "http.port", fix: "Set http.port to a free port")
        let services = [
            TestService(name: "a", journal: journal),
            TestService(name: "b", journal: journal, starting: { throw error }),
            TestService(name: "c", journal: journal),
        ]
        #expect(await group(services).run(triggers: AsyncStream { _ in }) == .failure)
        #expect(journal.entries == ["start a", "start b", "stop a"])
        let line = sink.lines.first { $0.contains("start failed") }
        #expect(
            line?.contains(
                "http.port: cannot listen on 0.0.0.0:8080: address in use. Set http.port to a free port.") == true)
        #expect(line?.contains("service=b") == true)
    }

    @Test func `a service that fails ends the group with its exit code`() async {
        let services: [any Service] = [
            TestService(name: "a", journal: journal),
            TestService(
                name: "b", journal: journal,
                running: { throw StartupError("offset is gone", fix: "Reset it", exitCode: .offsetOutOfRange) }),
        ]
        #expect(await group(services).run(triggers: AsyncStream { _ in }) == .offsetOutOfRange)
        #expect(journal.entries == ["start a", "start b", "stop b", "stop a"])
    }

    @Test func `a service that finishes ends the group`() async {
        let services: [any Service] = [
            TestService(name: "a", journal: journal), TestService(name: "b", journal: journal, running: {}),
        ]
        #expect(await group(services).run(triggers: AsyncStream { _ in }) == .ok)
        #expect(journal.entries == ["start a", "start b", "stop b", "stop a"])
    }

    @Test func `a finished task does not end the group, and its resources are released when the group stops`() async {
        let done = Gate()
        let (triggers, trigger) = AsyncStream.makeStream(of: String.self)
        let services: [any Service] = [
            TaskService("task", release: { [journal] _ in journal.add("release") }, task: { done.open() }),
            TestService(
                name: "last", journal: journal,
                running: {
                    await done.pass()
                    trigger.yield("SIGTERM")
                    try await untilCancelled()
                }),
        ]
        #expect(await group(services).run(triggers: triggers) == .ok)
        #expect(sink.lines.contains { $0.hasSuffix("stopping reason=SIGTERM") })
        #expect(journal.entries == ["start last", "stop last", "release"])
    }

    @Test func `any other error ends the group with exit code 1`() async {
        let services = [TestService(name: "a", journal: journal, running: { throw TestFailure() })]
        #expect(await group(services).run(triggers: AsyncStream { _ in }) == .failure)
        #expect(sink.lines.contains { $0.contains("service failed service=a error=TestFailure()") })
    }

    @Test func `a service that does not stop is abandoned, and the others still stop`() async {
        let gate = Gate()
        defer { gate.open() }
        var services: [any Service] = [
            TestService(name: "a", journal: journal),
            TestService(name: "stuck", journal: journal, stopping: { _ in await gate.pass() }),
        ]
        let triggers = trigger(&services)
        #expect(await group(services, maximum: .seconds(2)).run(triggers: triggers) == .failure)
        #expect(journal.entries.last == "stop a")
        #expect(sink.lines.contains { $0.hasSuffix("service did not stop in time service=stuck") })
    }

    @Test func `each service gets a share of the remaining time`() async {
        let limits = Mutex<[Duration]>([])
        let services = ["a", "b", "c"].map { name in
            TestService(name: name, journal: journal, stopping: { limit in limits.withLock { $0.append(limit) } })
        }
        let done: [any Service] = services + [TestService(name: "d", journal: journal, running: {})]
        #expect(await group(done, maximum: .seconds(40)).run(triggers: AsyncStream { _ in }) == .ok)
        let given = limits.withLock { $0 }
        // The limits of c, b and a: just under 40 s, less a tenth for each service still to be stopped.
        #expect(zip(given, [32.0, 36.0, 40.0]).allSatisfy { $0 <= .seconds($1) && $0 > .seconds($1 * 0.75) })
        #expect(given.count == 3)
    }

    @Test func `a shutdown during a start does not wait for the start`() async {
        let gate = Gate()
        defer { gate.open() }
        let (triggers, trigger) = AsyncStream.makeStream(of: String.self)
        let services = [
            TestService(name: "a", journal: journal),
            TestService(
                name: "slow", journal: journal,
                starting: {
                    trigger.yield("SIGINT")
                    await gate.pass()
                }),
            TestService(name: "never", journal: journal),
        ]
        #expect(await group(services, maximum: .seconds(2)).run(triggers: triggers) == .ok)
        #expect(journal.entries == ["start a", "start slow", "stop a"])
        #expect(sink.lines.contains { $0.contains("start aborted service=slow") })
    }

    @Test func `cancelling the task shuts the group down`() async {
        let started = Gate()
        let journal = journal
        let services = [
            TestService(
                name: "a", journal: journal,
                running: {
                    started.open()
                    try await untilCancelled()
                })
        ]
        let group = group(services)
        let task = Task { await group.run(triggers: AsyncStream { _ in }) }
        await started.pass()
        task.cancel()
        #expect(await task.value == .ok)
        #expect(journal.entries == ["start a", "stop a"])
    }

    @Test func `if services cannot be built, the process ends with one line that states the problem`() async {
        let logger = Logger(label: "test", level: .info, format: .json, sink: sink)
        let exitCode = await runServices(logger: logger, triggers: AsyncStream { _ in }) {
            throw StartupError(
                "the file\nis wrong", setting: "products.file", fix: "Correct it", exitCode: .configuration)
        }
        #expect(exitCode == .configuration)
        #expect(sink.lines.count == 2)
        #expect(sink.lines.last?.contains("stopped") == true)
        #expect(
            sink.lines.first?.contains(#""error":"products.file: the file is wrong. Correct it.","exitCode":78"#)
                == true)
    }
}

@Suite struct ExitCodeTests {
    @Test func `exit codes do not change`() {
        let codes: [ExitCode] = [
            .ok, .failure, .usage, .damagedLog, .offsetOutOfRange, .internal, .recordDeadline, .configuration,
        ]
        #expect(codes.map(\.rawValue) == [0, 1, 64, 65, 66, 70, 75, 78])
    }
}
