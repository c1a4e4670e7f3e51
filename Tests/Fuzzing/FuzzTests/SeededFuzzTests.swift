import Cryptography
import FuzzTargets
import TestSupport
import Testing

/// Runs every target for about a second; a failure prints the seed.
@Suite(.timeLimit(.minutes(10))) struct SeededFuzzTests {
    private static let material = Result { try SignedMaterial(count: 12) }
    private static let targets = Result { try FuzzTarget.all(try material.get()) }
    private static let names = [
        "request-head", "request-body", "connection", "json", "base64", "properties", "refund-rules", "refund-answer",
        "api-answer", "legacy-body", "archive-files", "certificate", "ocsp-response", "ecdsa-signature", "fixed-key",
        "notification-body",
        "signed-payload",
        "notification-record",
        "entitlement-facts",
    ]

    @Test(arguments: names)
    func `the invariants of every target hold for generated and mutated inputs`(name: String) throws {
        let target = try #require(try Self.targets.get().first { $0.name == name })
        let end = ContinuousClock.now + .seconds(1)
        let (executions, failure) = SeededRun(target, seed: 1).run { _ in ContinuousClock.now >= end }
        #expect(executions > 0)
        if let failure {
            Issue.record(
                "seed 1, number \(failure.index): \(failure.violation); input \(HexText.encode(failure.input))")
        }
    }

    @Test func `every target is executed`() throws {
        #expect(try Self.targets.get().map(\.name) == Self.names)
    }

    @Test func `the same seed yields the same inputs`() throws {
        let target = try #require(try Self.targets.get().first)
        let inputs = (0..<200).map { SeededRun(target, seed: 7).input($0) }
        #expect(inputs == (0..<200).map { SeededRun(target, seed: 7).input($0) })
        #expect(inputs != (0..<200).map { SeededRun(target, seed: 8).input($0) })
    }

    @Test func `a target that violates its invariant is detected`() throws {
        let broken = FuzzTarget("broken", seeds: [Array("abc".utf8)]) { bytes throws(Violation) in
            if bytes.count > 5 { throw Violation("too long") }
        }
        let (_, failure) = SeededRun(broken, seed: 1).run { $0 > 10_000 }
        #expect(failure?.violation.description == "too long")
    }
}
