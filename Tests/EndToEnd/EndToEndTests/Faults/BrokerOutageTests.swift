import Foundation
import HTTPClient
import TestSupport
import Testing

extension EndToEnd {
    /// The only broker fails under load in every possible way, and recovers.
    @Suite struct BrokerOutages {
        @Test func `a frozen embedded broker causes 503 in time, and 200 again soon after its return`() async throws {
            try await Harness.open { harness in
                try await outage(.frozen, on: try await harness.embeddedBroker(partitions: 12), harness)
            }
        }

        @Test(
            .enabled(if: ApacheKafka.isOurs, "\(ApacheKafka.faultAbsence)"), arguments: Disappearance.allCases)
        func `an outage of Apache Kafka causes 503 in time, and 200 again soon after its end`(
            _ disappearance: Disappearance
        ) async throws {
            try await Harness.open { harness in
                try await outage(disappearance, on: try await harness.apacheKafka(), harness)
            }
        }
    }
}

extension EndToEnd.BrokerOutages {
    private func outage(_ disappearance: Disappearance, on broker: Broker, _ harness: Harness) async throws {
        let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
        let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 20)
        let client = HTTPClient()
        defer { client.close() }
        var stopped = ContinuousClock.now
        var returning = ContinuousClock.now
        var returned = ContinuousClock.now
        var firstAgain = Duration.zero
        var isUnready = false
        let outcomes = try await load.run {
            try await load.wait(for: 40, ingress.process) { $0.isAcknowledged }
            try await broker.remove(disappearance)
            stopped = .now
            // Deliveries to a frozen broker fail after five seconds. Later requests are refused immediately.
            try await load.wait(for: 1, ingress.process) { $0.answer == .status(503) }
            let refused = ContinuousClock.now
            try await load.wait(for: 40, ingress.process) { $0.answer == .status(503) && $0.begun > refused }
            if TestScale.isLong { await pass(.seconds(30), since: stopped) }
            isUnready = await eventually { await !ingress.isReady(client) }
            returning = .now
            try await broker.bringBack()
            returned = .now
            firstAgain = try await load.waitForAcknowledgement(
                begunAfter: returned, ingress.process, within: .seconds(20))
            try await load.wait(for: 20, ingress.process) { $0.isAcknowledged && $0.begun > returned }
        }

        let ledger = try await Ledger(outcomes, broker)
        ledger.check(ingress.process)
        #expect(ledger.count(503) > 0)
        #expect(try #require(outcomes.map(\.duration).max()).keeps(.milliseconds(5500)))
        let meanwhile = outcomes.filter { $0.begun > stopped && $0.ended < returning }
        #expect(meanwhile.allSatisfy { $0.answer == .status(503) }, "\(ledger.answers); \(ingress.process)")
        #expect(isUnready)
        #expect(firstAgain.keeps(.seconds(10)))
        // Once the brokers are known to be down, one request per second probes them; the others are refused
        // immediately.
        let atOnce = meanwhile.filter { $0.begun > stopped + .seconds(6) && $0.begun < returning - .milliseconds(100) }
            .map(\.duration)
        if let median = atOnce.percentile(50) { #expect(median.keeps(.milliseconds(50))) }

        var report = FaultReport("\(broker.isEmbedded ? "embedded broker" : "Apache Kafka") \(disappearance.rawValue)")
        report.add("outage", returned - stopped)
        ledger.add(to: &report)
        report.add("at once, p50", atOnce.percentile(50))
        report.add("at once, p90", atOnce.percentile(90))
        report.add("200 again after", firstAgain)
        try report.publish()
    }
}
