import Synchronization
import TestSupport
import Testing

@testable import PipelineRuntime

/// Jobs for stored rows while partitions are revoked and while a service stops.
@Suite(.timeLimit(.minutes(1))) final class DueWorkTests: Sendable {
    private let due = DueWork<String> { try await untilCancelled() }
    private let begun = Mutex<[String]>([])
    private let cancelled = Mutex<[String]>([])
    private let ended = Mutex<[String]>([])

    private func begin(_ keys: String..., until gate: Gate? = nil) {
        due.begin {
            keys.map { key in
                (
                    key,
                    { [self] in
                        begun.withLock { $0.append(key) }
                        if let gate { await gate.pass() } else { _ = try? await untilCancelled() }
                        if Task.isCancelled { cancelled.withLock { $0.append(key) } }
                        ended.withLock { $0.append(key) }
                    }
                )
            }
        }
    }

    @Test func `a revocation waits for running jobs, and none begins meanwhile`() async throws {
        let gate = Gate()
        begin("a", until: gate)
        async let release: Void = due.release(.finished(within: .seconds(60)))
        try await waitUntil {
            var isPlanned = false
            self.due.begin {
                isPlanned = true
                return []
            }
            return !isPlanned
        }
        begin("b", until: gate)
        #expect(ended.withLock { $0.isEmpty })
        gate.open()
        await release
        #expect(ended.withLock { $0 } == ["a"])
        #expect(cancelled.withLock { $0.isEmpty })
    }

    @Test func `jobs for rows that were read before a revocation do not begin after it`() async throws {
        let isRevoked = Mutex(false)
        let checks = Mutex(0)
        async let run: Void = due.run { [self] in
            checks.withLock { $0 += 1 }
            guard isRevoked.withLock({ !$0 }) else { return begin("later") }
            await due.release(.cancelled)
            isRevoked.withLock { $0 = true }
            begin("outdated")
        }
        try await waitUntil { self.begun.withLock { !$0.isEmpty } }
        await due.stop(.cancelled)
        await run
        #expect(begun.withLock { $0.first } == "later")
        #expect(!begun.withLock { $0.contains("outdated") })
    }

    @Test func `jobs that save their progress are cancelled immediately`() async {
        begin("a", "b")
        await due.release(.cancelled)
        #expect(Set(cancelled.withLock { $0 }) == ["a", "b"])
    }

    @Test func `one job is cancelled, and the others continue`() async throws {
        let gate = Gate()
        begin("a")
        begin("b", until: gate)
        due.cancel { $0 == "a" }
        try await waitUntil { self.ended.withLock { $0 == ["a"] } }
        gate.open()
        try await waitUntil { self.ended.withLock { $0 == ["a", "b"] } }
        #expect(cancelled.withLock { $0 } == ["a"])
    }

    @Test func `jobs that take too long are cancelled`() async {
        begin("a")
        await due.stop(.finished(within: .milliseconds(10)))
        #expect(cancelled.withLock { $0 } == ["a"])
    }

    @Test func `nothing begins after the stop`() async {
        await due.stop(.cancelled)
        begin("a")
        await due.release(.cancelled)
        begin("b")
        #expect(begun.withLock { $0.isEmpty })
    }
}
