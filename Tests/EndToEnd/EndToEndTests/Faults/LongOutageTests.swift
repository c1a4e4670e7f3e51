import Foundation
import HTTPClient
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    /// The broker is down for a long time, with hundreds or thousands of slow clients connected throughout.
    @Suite(.enabled(if: ApacheKafka.isOurs, "\(ApacheKafka.faultAbsence)")) struct LongOutageOfApacheKafka {
        @Test func `a long outage with slow clients is answered at once, in bounded memory`() async throws {
            try await outlast(in: nil)
        }

        @Test(.enabled(if: DebianRoot.given != nil, "\(DebianRoot.absence)"))
        func `a long outage is answered at once with another Debian release's librdkafka too`() async throws {
            let root = try #require(DebianRoot.given)
            try await outlast(in: root)
        }

        private func outlast(in root: DebianRoot?) async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka(partitions: 12)
                let ingress = try await harness.ingress(
                    on: broker, for: try await harness.simulatedApp(), under: try root?.loader() ?? [])
                let libraries = KernelFile.text("/proc/\(ingress.process.id)/maps") ?? ""
                #expect(root.map { libraries.contains("\($0.path)/usr/lib") } ?? true)
                let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 50)
                try #require(allowDescriptors(8192))
                var figures = Figures()
                let outcomes = try await load.run {
                    try await load.wait(for: 200, ingress.process) { $0.isAcknowledged }
                    figures.steadyBytes = ingress.process.residentBytes
                    figures.descriptorsBefore = ingress.process.descriptorCount
                    // Two thousand exceed the limit: the listener evicts one for each new connection.
                    let count = TestScale.choose(short: 500, long: 2000)
                    let slow = SlowClients(port: ingress.port, count: count, interval: .seconds(5))
                    #expect(await eventually { slow.open >= min(count * 3 / 4, 1000) })
                    try await broker.remove(.terminated)
                    figures.gone = .now
                    await pass(TestScale.choose(short: .seconds(8), long: .seconds(60)))
                    figures.connections = slow.opened
                    try await broker.bringBack()
                    figures.returned = .now
                    figures.again = try await load.waitForAcknowledgement(
                        begunAfter: figures.returned, ingress.process, within: .seconds(30))
                    try await load.wait(for: 50, ingress.process) {
                        $0.isAcknowledged && $0.begun > figures.returned
                    }
                    await slow.stop()
                }
                figures.peakBytes = ingress.process.peakResidentBytes
                let isBack = await eventually(within: .seconds(20)) {
                    figures.descriptorsAfter = ingress.process.descriptorCount
                    return abs(figures.descriptorsAfter - figures.descriptorsBefore) <= 5
                }
                #expect(isBack, "\(figures)")
                let ledger = try await Ledger(outcomes, broker)
                ledger.check(ingress.process)
                try check(figures, outcomes)
                try publish(figures, ledger)
            }
        }
    }
}

extension EndToEnd.LongOutageOfApacheKafka {
    private struct Figures {
        var steadyBytes = 0
        var peakBytes = 0
        var descriptorsBefore = 0
        var descriptorsAfter = 0
        var connections = 0
        var gone = ContinuousClock.now
        var returned = ContinuousClock.now
        var again = Duration.zero
        var atOnce: [Duration] = []
    }

    private func check(_ figures: Figures, _ outcomes: [Load.Outcome]) throws {
        #expect(figures.steadyBytes <= 64 << 20)
        #expect(figures.peakBytes <= 256 << 20)
        #expect(figures.again.keeps(.seconds(10)))
        let meanwhile = outcomes.filter { $0.begun > figures.gone && $0.ended < figures.returned }
        #expect(meanwhile.allSatisfy { $0.answer == .status(503) })
        #expect(try #require(outcomes.map(\.duration).max()).keeps(.milliseconds(5500)))
        let first = meanwhile.map(\.ended).min()
        #expect((try #require(first) - figures.gone).keeps(.milliseconds(5500)))
        #expect(try #require(atOnce(figures, outcomes).percentile(50)).keeps(.milliseconds(50)))
    }

    /// Returns the durations of requests during the outage. One request per second probes the brokers; the others are
    /// refused immediately.
    private func atOnce(_ figures: Figures, _ outcomes: [Load.Outcome]) -> [Duration] {
        outcomes.filter { $0.begun > figures.gone + .seconds(6) && $0.ended < figures.returned }.map(\.duration)
    }

    private func publish(_ figures: Figures, _ ledger: Ledger) throws {
        var report = FaultReport("broker away among slow clients, Apache Kafka")
        report.add("outage", figures.returned - figures.gone)
        ledger.add(to: &report)
        let atOnce = atOnce(figures, ledger.outcomes)
        report.add("at once, p50", atOnce.percentile(50))
        report.add("at once, p90", atOnce.percentile(90))
        report.add("200 again after", figures.again)
        report.add("slow connections", figures.connections)
        report.add("memory before", .memory(figures.steadyBytes))
        report.add("most memory", .memory(figures.peakBytes))
        report.add("descriptors before", figures.descriptorsBefore)
        report.add("descriptors after", figures.descriptorsAfter)
        try report.publish()
    }
}
