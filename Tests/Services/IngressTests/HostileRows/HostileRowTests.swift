import AppStoreTestSupport
import AppStoreVerification
import Foundation
import Kafka
import KafkaDevBroker
import Telemetry
import TestSupport
import Testing

@testable import Ingress

/// The hostile inputs of the threat model against a complete ingress: over a socket, through the listener, the verifier
/// and the producer, into the topics of a broker. Two thousand sequential requests take seconds, or a minute on a busy
/// machine.
@Suite(.timeLimit(.minutes(10))) struct HostileRowTests {
    @Test func `every row is tested here, or names the test that covers it`() {
        #expect(ThreatModelRow.all.map(\.id) == (1...128).map { $0 < 10 ? "H-0\($0)" : "H-\($0)" })
        for row in ThreatModelRow.all where row.outcomes.isEmpty { #expect(row.elsewhere != nil, "\(row.id)") }
    }

    @Test func `the threat model in the README has the same rows`() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../../../Sources/AppStore/README.md").standardized
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("| H-") }.map(String.init) == ThreatModelRow.all.map(\.line))
    }

    /// Untrusted clients cannot cause these responses: expired certificates and revocation are checked only after a
    /// signature has been verified.
    @Test func `only notifications signed by Apple are answered 5xx`() {
        let rows = ThreatModelRow.all.filter { $0.outcomes.contains { $0.status >= 500 } }
        #expect(rows.map(\.id) == ["H-77", "H-79", "H-90", "H-112"])
    }

    @Test func `the rows cover every reason of the verifier`() {
        let given = Set(ThreatModelRow.all.flatMap { $0.outcomes.map(\.reason) })
        let missing = Reason.allCases.map(\.rawValue).filter { !given.contains($0) }
        // New certificate chains are not rate-limited here, and no input makes a library call fail.
        #expect(missing == ["new_chains", "internal"])
    }

    @Test func `every input has the response, the reason and the records of its row`() async throws {
        let broker = try DevBroker()
        let kit = try SigningKit.shared()
        try await IngressHarness.with(broker, clocks: TestTime.standing(), { Self.adapt(&$0, to: kit) }) {
            harness async throws in
            let run = try HostileRun(harness)
            for request in HostileRequest.all {
                if case .reset = request.delivery { continue }
                try await run.send(request)
            }
            for input in HostileNotification.all where input.id != "H-96" {
                let body = try input.body(kit)
                let outcome = Outcome(input.expected)
                try await run.post(body, input.id, input.name, body.isEmpty ? outcome.closing() : outcome)
            }
            try await run.scenarios()
            try await run.checkRecords()
            for row in ThreatModelRow.all where row.elsewhere == nil {
                #expect(run.outcomes[row.id] == row.outcomes, "\(row.id) \(row.input)")
            }
            let wholeLog = harness.log.lines.joined(separator: "\n")
            for secret in ["secret", "X-Injected", "../../etc"] { #expect(!wholeLog.contains(secret), "\(secret)") }
            // Guards against an unnoticed reduction of the table.
            #expect(run.inputs > 2_000)
            #expect(run.expectedRecords > 100)
        }
        await broker.stop()
    }

    /// Trusts the kit's root, and permits new certificate chains at the rate of the table.
    private static func adapt(_ settings: inout IngressConfiguration, to kit: SigningKit) {
        settings.verifier = kit.configuration {
            $0.newCertificateChains = NewCertificateChainLimits(perSecond: 100_000, concurrency: 8)
        }
    }
}
