import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// Log lines during a restore.
@Suite(.timeLimit(.minutes(1))) struct RestoreProgressTests {
    @Test func `the progress of a restore is logged once per interval`() {
        var progress = RestoreProgress()
        #expect(progress.applied(at: 1_000, interval: 5_000) == nil)
        #expect(progress.applied(at: 5_999, interval: 5_000) == nil)
        #expect(progress.applied(at: 6_000, interval: 5_000) == 5_000)
        #expect(progress.applied(at: 10_999, interval: 5_000) == nil)
        #expect(progress.applied(at: 12_000, interval: 5_000) == 11_000)
    }

    @Test func `the remaining records of a restore are logged, and the gauge ends at 0`() async throws {
        let harness = try StateHarness()
        for number in 0..<20 { try await harness.write("k\(number)", NumberSet("k\(number)", [1]).text) }
        let (log, metrics) = (MemoryLogSink(), MetricsRegistry())
        let member = try await harness.member(metrics: metrics, log: log) {
            $0.role = .reader
            $0.progressInterval = .zero
        }
        #expect(await eventually { member.obstacle == nil })
        #expect(log.lines.contains { $0.contains("state is being restored") })
        #expect(metrics.sum("sluice_state_unread_records") == 0)
        // Later records are not part of the restore.
        let lines = log.lines.count { $0.contains("state is being restored") }
        try await harness.write("k20", NumberSet("k20", [1]).text)
        #expect(try await member.dump().count == 21)
        #expect(log.lines.count { $0.contains("state is being restored") } == lines)
        await member.end()
    }
}
