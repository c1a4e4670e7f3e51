import ArchiveLog
import Cryptography
import Kafka
import ObjectStorage
import OperatorEventsTestSupport
import Primitives
import Synchronization
import Telemetry
import Testing
import TransparencyLog

@testable import Archive

/// The service with a simulated clock. The test acts during each pause of the service.
@Suite(.timeLimit(.minutes(5)))
struct CheckpointLogServiceTests {
    @Test func `a log that has grown gets at most one leaf per interval`() async throws {
        let bench = try Bench()
        try await bench.archive.grow(by: 5)
        try await bench.run(pauses: 4) { pause in
            guard pause == 2 else { return }
            try await bench.archive.grow(by: 7)
            try await bench.archive.grow(by: 1)
        }
        #expect(try await bench.size() == 2)
        let report = try await bench.verify()
        #expect(report.findings.isEmpty && report.logs.map(\.loggedCheckpoints) == [2])
        #expect(bench.log.lines.isEmpty)
    }

    @Test func `only the member that maintains the log writes it, and another can after it stops`()
        async throws
    {
        let bench = try Bench()
        try await bench.archive.grow(by: 5)
        bench.keep(false)
        try await bench.run(pauses: 2) { _ in }
        #expect(try await bench.size() == nil)
        bench.keep(true)
        try await bench.run(pauses: 2) { pause in
            if pause == 1 { bench.keep(false) }
            guard pause == 2 else { return }
            // Opening succeeds only if the service has released its lock on the directory.
            let other = try await CheckpointLogWriter.open(
                bench.archive.store, signer: bench.archive.signer, at: 1_800_000_500)
            other.close()
        }
        #expect(try await bench.size() == 1)
    }

    @Test func `failures are counted while another process owns the log, which continues afterwards`() async throws {
        let bench = try Bench()
        try await bench.archive.grow(by: 5)
        let other = try await CheckpointLogWriter.open(
            bench.archive.store, signer: bench.archive.signer, at: 1_800_000_000)
        try await bench.run(pauses: 3) { pause in
            if pause == 2 { other.close() }
        }
        #expect(bench.metric("sluice_archive_failures_total{reason=\"locked\"}") == "2")
        #expect(bench.log.lines.count == 2)
        #expect(bench.log.lines.allSatisfy { $0.contains("failed to extend the checkpoint log") })
        #expect(try await bench.size() == 1)
    }

    @Test func `a metric shows whether this member maintains the checkpoint log`() async throws {
        let bench = try Bench()
        try await bench.archive.grow(by: 5)
        let name = "sluice_archive_keeps_checkpoint_log"
        try await bench.run(pauses: 2) { number in
            if number == 1 {
                #expect(bench.metric(name) == "1")
                bench.keep(false)
            }
        }
        #expect(bench.metric(name) == "0")
    }

    @Test func `a log with an unusable checkpoint does not delay the others`() async throws {
        let bench = try Bench()
        try await bench.archive.grow(by: 5)
        let damaged = try LogNames(KafkaTopicPartition(topic: "appstore.damaged", partition: 0))
        _ = try await bench.archive.store.replace(damaged.checkpoint(), [1, 2, 3], expected: nil)
        try await bench.run(pauses: 1) { _ in }
        #expect(try await bench.size() == 1)
        #expect(bench.log.lines.first?.contains("appstore.damaged/0") == true)
    }

    @Test func `a damaged checkpoint log is one operator event`() async throws {
        let bench = try Bench()
        try await bench.archive.grow(by: 5)
        _ = try await bench.archive.store.replace(LogNames.checkpointLog().checkpoint(), [1, 2, 3], expected: nil)
        try await bench.run(pauses: 3) { _ in }
        #expect(bench.log.lines.count == 3)
        #expect(bench.events.lines.count == 1)
        let names = try LogNames.checkpointLog()
        #expect(bench.events.lines.first?.hasPrefix("archive.finding \(names.partition) ") == true)
    }
}

private final class Bench: Sendable {
    let archive: AnchoredArchive
    let log = MemoryLogSink()
    let events = RecordedEvents()
    private let registry = MetricsRegistry()
    private let keeps = Mutex(true)
    private let pauses = Mutex(0)

    init() throws { archive = try AnchoredArchive(key: PrivateKey.generate(.ed25519)) }

    func keep(_ keeps: Bool) { self.keeps.withLock { $0 = keeps } }

    /// Runs the service for `count` pauses, and calls `during` in each with its number.
    func run(pauses count: Int, during: @escaping @Sendable (Int) async throws -> Void) async throws {
        pauses.withLock { $0 = 0 }
        let service = CheckpointLogService(
            every: .seconds(60),
            CheckpointLogService.Surroundings(
                store: archive.store, signer: archive.signer, verifiers: try archive.signer.verifiers(),
                keepsLog: { [self] in keeps.withLock { $0 } },
                clocks: Clocks(wallMilliseconds: { 1_800_000_000_000 }, monotonicNanoseconds: { 0 }),
                sleep: { [self] pause in
                    #expect(pause == .seconds(60))
                    let number = pauses.withLock { pauses in
                        pauses += 1
                        return pauses
                    }
                    try await during(number)
                    // Cancellation ends the service, as the end of the process does.
                    if number == count { throw CancellationError() }
                }, metrics: ArchiveMetrics(registry, topics: []), findings: ArchiveFindings(events.events),
                logger: Logger(label: "test", level: .info, format: .json, sink: log)))
        await #expect(throws: CancellationError.self) { try await service.run() }
    }

    /// Returns the number of leaves in the checkpoint log; nil if there is no log.
    func size() async throws -> Int? {
        try await LogReader(archive.store, names: .checkpointLog(), verifiers: archive.signer.verifiers())
            .checkpoint()?.checkpoint.size
    }

    func verify() async throws -> ArchiveReport {
        let options = VerificationOptions(verifiers: try archive.signer.verifiers())
        return try await ArchiveVerification(archive.store, options: options).run()
    }

    func metric(_ name: String) -> String? {
        String(decoding: registry.prometheusText(), as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.utf8.count + 1)) }
    }
}
