import AppStoreSigning
import AppStoreTestSupport
import AppStoreVerification
import Cryptography
import Kafka
import KafkaDevBroker
import Primitives
import Telemetry
import TestSupport
import Testing

@testable import Ingress

/// H-89 and H-90 against a complete ingress that queries responders over HTTP.
@Suite(.timeLimit(.minutes(5))) struct RevocationRowTests {
    @Test func `in strict mode only a leaf with status good is accepted`() async throws {
        try await check(.strict) { row in
            switch row.knowledge {
            case .good: .accepted
            case .revoked: .refused(403, "revoked")
            case .nothing: .refused(503, "ocsp_unknown")
            }
        }
    }

    @Test func `in soft mode only a revoked leaf is rejected`() async throws {
        try await check(.soft) { $0.knowledge == .revoked ? .refused(403, "revoked") : .accepted }
    }

    @Test func `with revocation off, no responder is contacted`() async throws {
        try await check(.off) { _ in .accepted }
    }

    private func check(_ policy: RevocationPolicy, _ expected: (OCSPCase) -> Outcome) async throws {
        let broker = try DevBroker()
        let responders = try OCSPOverHTTPResponders(now: Clocks.system.wallMilliseconds())
        let roots = try OCSPCase.all.map { try responders.authority($0).kit.pki.root.der }
        try await IngressHarness.with(
            broker, clocks: .system,
            { settings in
                settings.verifier.roots = roots
                settings.verifier.revocation = policy
                settings.verifier.newCertificateChains = NewCertificateChainLimits(perSecond: 1000, concurrency: 8)
            },
            { harness async throws in
                let asking = Task { try await harness.ingress.run() }
                defer { asking.cancel() }
                let run = try HostileRun(harness)
                try await self.run(run, policy, responders, expected)
                try await run.checkRecords()
            })
        await responders.stop()
        await broker.stop()
    }

    private func run(
        _ run: HostileRun, _ policy: RevocationPolicy, _ responders: OCSPOverHTTPResponders,
        _ expected: (OCSPCase) -> Outcome
    ) async throws {
        // The status is still unknown. The slow responder is queried first, and nothing waits for it.
        let first = policy == .strict ? Outcome.refused(503, "ocsp_unknown") : .accepted
        for row in OCSPCase.all {
            try await run.post(responders.authority(row).body(), "H-90", "\(row) before any answer", first)
            guard row.name == OCSPCase.slow.name, policy != .off else { continue }
            try await waitUntil { responders.heldCount == 1 }
        }
        if policy != .off { try await waitForAnswers(run.harness) }
        for row in OCSPCase.all {
            let id = row.knowledge == .revoked ? "H-89" : "H-90"
            try await run.post(responders.authority(row).body(), id, "\(row)", expected(row))
        }
        if policy == .off {
            #expect(responders.asked.isEmpty)
            return
        }
        #expect(!responders.asked.filter { $0 == "/good/leaf" }.isEmpty)
        #expect(responders.asked.filter { $0 == "/good/leaf" }.count == 1, "a redirect was followed")
        #expect(Set(responders.asked).count == 2 * (OCSPCase.all.count - 1))
        // The slow responder finally responds, and its response is used.
        let before = run.harness.value(answers("good"))
        try responders.release()
        try await waitUntil { run.harness.value(answers("good")) > before }
        try await run.post(responders.authority(OCSPCase.slow).body(), "H-90", "slow, at last", .accepted)
    }

    /// Waits until every case except the slow one has its outcome. All intermediates are good except that of the
    /// unreachable case.
    private func waitForAnswers(_ harness: IngressHarness) async throws {
        var counts: [String: Int] = ["good": OCSPCase.all.count - 1, "unreachable": 1]
        for row in OCSPCase.all where row.name != OCSPCase.slow.name { counts[row.outcome, default: 0] += 1 }
        let expected = counts
        let isThere = await eventually(within: .seconds(6)) {
            expected.allSatisfy { harness.value(self.answers($0.key)) >= $0.value }
        }
        #expect(isThere, "\(expected) is not \(expected.map { "\($0.key) \(harness.value(answers($0.key)))" })")
    }

    private func answers(_ outcome: String) -> String {
        "sluice_ingress_revocation_answers_total{outcome=\"\(outcome)\"}"
    }
}
