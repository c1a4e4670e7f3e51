import AppStoreVerification
import Foundation
import FuzzTargets
import TestSupport
import Testing

/// A short run of the mutants that `make mutations` generates 100,000 of.
@Suite(.timeLimit(.minutes(60))) struct NotificationMutantTests {
    private static let isLong = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1"

    @Test func `no mutant of generated notifications is accepted with another meaning, with or without tables`()
        async throws
    {
        let count = Self.isLong ? 100_000 : 1500
        var run = try MutationRun(try SignedMaterial(count: 12), seed: 1)
        try await waitUntil { run.tableStatus.tables > 0 }
        run.run(0..<count)
        expectClean(run, count: count)
    }

    @Test(.enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
    func `no mutant of Apple's samples is accepted with another meaning, with or without tables`() async throws {
        let count = Self.isLong ? 100_000 : 500
        var run = try MutationRun(try TestVectors.appleSamples(), seed: 1)
        try await waitUntil { run.tableStatus.tables > 0 }
        run.run(0..<count)
        expectClean(run, count: count)
    }

    @Test func `every accepted encoding of a payload is rebuilt from its record byte for byte`() throws {
        var run = try RebuildRun(try SignedMaterial(count: 43), seed: 1)
        try run.run(0..<2000)
        for finding in run.findings.prefix(5) { Issue.record("seed 1, number \(finding.index): \(finding.violation)") }
        #expect((run.outcomes["accepted, rebuilt"] ?? 0) > 400, "\(run.outcomes)")
        #expect((run.outcomes["accepted, with signedPayload"] ?? 0) > 100, "\(run.outcomes)")
        #expect(run.outcomes.keys.contains { $0.hasPrefix("nonconforming") })
    }

    private func expectClean(_ run: MutationRun, count: Int) {
        for finding in run.findings.prefix(5) {
            Issue.record("seed 1, number \(finding.index), \(finding.kind): \(finding.violation)")
        }
        #expect(run.outcomes.values.reduce(0, +) == count)
        #expect(run.kinds.count == NotificationMutator.Kind.allCases.count)
        // Otherwise the mutants would prove nothing: some must reach the signature check, and complementary signatures
        // must be accepted.
        #expect((run.outcomes["refused, signature"] ?? 0) > count / 10)
        #expect((run.outcomes["accepted, the same signed bytes and the twin of the signature"] ?? 0) > 0)
        #expect((run.outcomes["accepted, the same signed bytes and signature"] ?? 0) > 0)
        #expect(Set(run.outcomes.keys).count > 12)
        // Proves that the tables were used and that EVP never contradicted them.
        #expect(run.tableStatus.judged > count / 2)
        #expect(run.tableStatus.faults == 0)
    }
}
