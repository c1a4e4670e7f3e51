import ArchiveLog
import Cryptography
import Kafka
import ObjectStorage
import ObjectStorageTestSupport
import OperatorEventsTestSupport
import Primitives
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Archive

/// The service with a simulated clock. Each pause calls a closure of the test.
@Suite(.timeLimit(.minutes(5)))
struct AnchorServiceTests {
    @Test func `the newest checkpoint is anchored once, and a newer one after the interval`() async throws {
        let bench = try await Bench(leaves: 5)
        try await bench.run(pauses: 3) { pause in
            if pause == 2 { try await bench.archive.grow(by: 7) }
        }
        #expect(bench.anchor.sizes == [5, 12])
        #expect(bench.pauses == [.seconds(60), .seconds(60), .seconds(60)])
        #expect(bench.metric("sluice_archive_anchored_total{anchor=\"test\"}") == "2")
        #expect(bench.metric("sluice_archive_unanchored_seconds{anchor=\"test\"}") == "0")
    }

    @Test func `a failing anchor is retried with backoff and reported as behind`() async throws {
        let bench = try await Bench(leaves: 5)
        bench.anchor.fail(.unavailable)
        try await bench.run(pauses: 9) { pause in
            // A newer checkpoint does not shorten the time that the anchor has been behind.
            if pause == 3 { try await bench.archive.grow(by: 1) }
        }
        #expect(bench.pauses == [5, 10, 20, 40, 80, 160, 300, 300, 300].map { .seconds($0) })
        #expect(bench.metric("sluice_archive_unanchored_seconds{anchor=\"test\"}") == "915")
        #expect(bench.metric("sluice_archive_anchor_failures_total{anchor=\"test\",reason=\"unavailable\"}") == "9")
        #expect(bench.log.lines.allSatisfy { $0.contains("failed to anchor the checkpoint") })
    }

    @Test func `an anchor that recovers catches up and is not behind`() async throws {
        let bench = try await Bench(leaves: 5)
        bench.anchor.fail(.unavailable)
        try await bench.run(pauses: 4) { pause in
            if pause == 3 { bench.anchor.fail(nil) }
        }
        #expect(bench.anchor.sizes == [5])
        #expect(bench.pauses == [5, 10, 20, 60].map { .seconds($0) })
        #expect(bench.metric("sluice_archive_unanchored_seconds{anchor=\"test\"}") == "0")
    }

    @Test func `a different history has its own error code`() async throws {
        let bench = try await Bench(leaves: 5)
        bench.anchor.fail(.conflict)
        try await bench.run(pauses: 1) { _ in }
        #expect(bench.metric("sluice_archive_anchor_failures_total{anchor=\"test\",reason=\"conflict\"}") == "1")
        #expect(bench.log.lines.count == 1)
        #expect(bench.log.lines.first?.contains("\"level\":\"error\"") == true)
        #expect(bench.log.lines.first?.contains("the anchor and the archive have diverged") == true)
    }

    @Test func `a refusal is one operator event, and another after the anchor has accepted a checkpoint`() async throws
    {
        let bench = try await Bench(leaves: 5)
        bench.anchor.fail(.refused)
        try await bench.run(pauses: 6) { pause in
            if pause == 3 { bench.anchor.fail(nil) }
            guard pause == 4 else { return }
            try await bench.archive.grow(by: 1)
            bench.anchor.fail(.refused)
        }
        let line =
            "archive.finding \(bench.archive.names.partition) "
            + #"{"reason":"anchor_refused","detail":"the test says so","anchor":"test"}"#
        #expect(bench.events.lines == [line, line])
    }

    @Test func `a newer checkpoint that another member anchored is not a different history`() async throws {
        let bench = try await Bench(leaves: 5)
        let store = try DirectoryStore(path: "/anchor", creating: true, calls: SimulatedDisk())
        bench.anchor.use(StoreAnchor(store: store)) { [archive = bench.archive] in
            // The partition has moved. Its new owner signs and anchors between two steps of this one.
            try? await archive.grow(by: 7)
            try? await StoreAnchor(store: store).anchor(archive.log())
        }
        try await bench.run(pauses: 1) { _ in }
        #expect(bench.anchor.sizes == [12])
        #expect(bench.log.lines.isEmpty)
        #expect(bench.metric("sluice_archive_anchor_failures_total{anchor=\"test\",reason=\"conflict\"}") == "0")
    }

    @Test func `a log that another member now owns is ignored`() async throws {
        let bench = try await Bench(leaves: 5)
        bench.anchor.fail(.unavailable)
        try await bench.run(pauses: 3) { pause in
            if pause == 2 { bench.own([]) }
        }
        #expect(bench.metric("sluice_archive_unanchored_seconds{anchor=\"test\"}") == "0")
        #expect(bench.pauses == [5, 10, 60].map { .seconds($0) })
    }

    @Test func `an empty log is not anchored`() async throws {
        let bench = try await Bench(leaves: 0)
        try await bench.run(pauses: 2) { _ in }
        #expect(bench.anchor.sizes.isEmpty)
        #expect(bench.metric("sluice_archive_unanchored_seconds{anchor=\"test\"}") == "0")
    }

    @Test func `an anchor that hangs does not delay the others`() async throws {
        let hanging = RecordingAnchor("hanging")
        hanging.hang()
        let bench = try await Bench(leaves: 5, also: [hanging])
        try await bench.run(pauses: 1) { _ in }
        #expect(bench.anchor.sizes == [5])
        #expect(hanging.sizes.isEmpty)
    }
}

/// One anchor of a log, with a clock that advances only in pauses.
private final class Bench: Sendable {
    let archive: AnchoredArchive
    let anchor = RecordingAnchor("test")
    let log = MemoryLogSink()
    let events = RecordedEvents()
    private let registry = MetricsRegistry()
    private let clock = ManualClock()
    private let others: [RecordingAnchor]
    private let owned: Mutex<[LogNames]>
    private let paused = Mutex<[Duration]>([])

    init(leaves: Int, also others: [RecordingAnchor] = []) async throws {
        archive = try AnchoredArchive(key: PrivateKey.generate(.ed25519))
        self.others = others
        owned = Mutex([archive.names])
        try await archive.grow(by: leaves)
    }

    var pauses: [Duration] { paused.withLock { $0 } }

    func own(_ logs: [LogNames]) { owned.withLock { $0 = logs } }

    /// Runs the service for a number of pauses, and calls `during` in each with its number.
    func run(pauses: Int, during: @escaping @Sendable (Int) async throws -> Void) async throws {
        let service = AnchorService(
            [anchor] + others, every: .seconds(60),
            AnchorService.Surroundings(
                store: archive.store, verifiers: try archive.signer.verifiers(),
                logs: { [self] in owned.withLock { $0 } },
                clocks: Clocks(
                    wallMilliseconds: { 1_800_000_000_000 }, monotonicNanoseconds: { [clock] in clock.now }),
                sleep: { [self] pause in
                    let number = paused.withLock { paused in
                        paused.append(pause)
                        return paused.count
                    }
                    try await during(number)
                    clock.advance(by: pause)
                    // Cancellation ends the test, as it would end the process.
                    if number == pauses { throw CancellationError() }
                }, findings: ArchiveFindings(events.events),
                logger: Logger(label: "test", level: .info, format: .json, sink: log)), registry)
        await #expect(throws: CancellationError.self) { try await service.run() }
        await service.stop(within: .seconds(1))
    }

    func metric(_ name: String) -> String? {
        String(decoding: registry.prometheusText(), as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.utf8.count + 1)) }
    }
}

/// An anchor that accepts every log or fails, as set by the test.
private final class RecordingAnchor: CheckpointAnchor {
    private struct State {
        var sizes: [Int] = []
        var failure: ArchiveServiceError.Code?
        var hangs = false
        var anchor: (any CheckpointAnchor)?
        var before: (@Sendable () async -> Void)?
    }

    let name: String
    private let state = Mutex(State())

    init(_ name: String) { self.name = name }

    var sizes: [Int] { state.withLock { $0.sizes } }
    func fail(_ code: ArchiveServiceError.Code?) { state.withLock { $0.failure = code } }
    /// Forwards every log to another anchor, and calls `before` once before the first one.
    func use(_ anchor: any CheckpointAnchor, before: @escaping @Sendable () async -> Void) {
        state.withLock { ($0.anchor, $0.before) = (anchor, before) }
    }
    func hang() { state.withLock { $0.hangs = true } }

    func anchor(_ log: AnchoredLog) async throws(ArchiveServiceError) {
        let (failure, hangs) = state.withLock { ($0.failure, $0.hangs) }
        if hangs {
            // The call hangs until the service is stopped.
            do { try await untilCancelled() } catch { throw ArchiveServiceError(.unavailable, "stopped") }
        }
        if let failure { throw ArchiveServiceError(failure, "the test says so") }
        let (anchor, before) = state.withLock { state in
            defer { state.before = nil }
            return (state.anchor, state.before)
        }
        await before?()
        try await anchor?.anchor(log)
        state.withLock { $0.sizes.append(log.size) }
    }
}
