import Foundation
import HTTPClient
import TestSupport
import Testing

extension EndToEnd {
    /// Untrusted clients send as fast as they can, alongside valid notifications.
    @Suite struct Floods {
        private static let time = TestScale.choose(short: Duration.seconds(3), long: .seconds(12))

        @Test func `forged notifications do not starve the valid ones`() async throws {
            try await scene { harness, broker, ingress in
                _ = try await harness.simulatedApp(pki: "forged")
                var forged = try NotificationSupply.bodies(50, pki: harness.path("forged"), seed: 1)
                for body in try NotificationSupply.bodies(50, pki: harness.path("pki"), seed: 1_000_000) {
                    forged.append(Self.withBrokenSignature(body))
                    forged.append(Array("{\"signedPayload\":\"\(forged.count)\"}".utf8))
                }
                let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 50)
                let outcomes = try await load.run {
                    try await load.wait(for: 20, ingress.process) { $0.isAcknowledged }
                    let flood = Flood(port: ingress.port, bodies: forged, connections: 16, perSecond: 2000)
                    await pass(Self.time)
                    await flood.stop()
                    try self.report("forged flood", flood, lasting: Self.time)
                    #expect(Set(flood.statuses.keys).isSubset(of: [400, 403, 429]), "\(flood.statuses)")
                }
                let ledger = try await Ledger(outcomes, broker)
                ledger.check(ingress.process)
                let inTime = outcomes.count { $0.isAcknowledged && $0.duration.keeps(.seconds(2)) }
                #expect(inTime * 100 >= outcomes.count * 99, "\(ledger.answers)")
                var report = FaultReport("valid beside the forged flood, embedded broker")
                ledger.add(to: &report)
                try report.publish()
            }
        }

        @Test func `requests that are never finished do not delay the valid ones`() async throws {
            try await scene { harness, broker, ingress in
                try #require(allowDescriptors(8192))
                let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 50)
                var begun = ContinuousClock.now
                var ended = ContinuousClock.now
                var sent = 0
                let outcomes = try await load.run {
                    await pass(Self.time)
                    begun = .now
                    let clients = HalfSentRequests(port: ingress.port, perSecond: 1000)
                    await pass(Self.time)
                    ended = .now
                    await clients.stop()
                    sent = clients.sent
                }
                let ledger = try await Ledger(outcomes, broker)
                ledger.check(ingress.process)
                // The first second is a warm-up.
                let first = try #require(outcomes.map(\.begun).min()) + .seconds(1)
                // On a busy machine no request may have completed by then.
                let baseline =
                    outcomes.filter { $0.begun > first && $0.ended < begun }.map(\.duration).percentile(99) ?? .zero
                let meanwhile = outcomes.filter { $0.begun > begun && $0.begun < ended }
                #expect(meanwhile.allSatisfy { $0.isAcknowledged }, "\(ledger.answers)")
                let flooded = try #require(meanwhile.map(\.duration).percentile(99))
                #expect(flooded.keeps(max(.milliseconds(20), baseline * 3)))

                var report = FaultReport("valid beside half-sent requests, embedded broker")
                report.add("half-sent", sent)
                ledger.add(to: &report)
                report.add("p99 without", baseline)
                report.add("p99 beside", flooded)
                try report.publish()
            }
        }

        @Test func `a notification that is sent repeatedly is recorded once`() async throws {
            try await scene { harness, broker, ingress in
                let body = try NotificationSupply.bodies(1, pki: harness.path("pki"), seed: 1)
                let times = TestScale.choose(short: 2000, long: 100_000)
                let flood = Flood(port: ingress.port, bodies: body, connections: 16, total: times)
                #expect(await flood.finish(within: .seconds(600)))
                #expect(flood.statuses == [200: times])
                #expect(try await broker.notificationUUIDs().count == 1)
                var report = FaultReport("one notification sent again and again, embedded broker")
                report.add("sent", times)
                report.add("acknowledged", flood.statuses[200, default: 0])
                report.add("records", try await broker.notificationUUIDs().count)
                try report.publish()
            }
        }
    }
}

extension EndToEnd.Floods {
    private func scene(_ body: (Harness, Broker, Ingress) async throws -> Void) async throws {
        try await Harness.open { harness in
            let broker = try await harness.embeddedBroker(partitions: 12)
            try await body(
                harness, broker, try await harness.ingress(on: broker, for: try await harness.simulatedApp()))
        }
    }

    /// Changes a byte near the end of the signature, which is followed by `"}`.
    private static func withBrokenSignature(_ body: [UInt8]) -> [UInt8] {
        var body = body
        let position = body.count - 12
        body[position] = body[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return body
    }

    private func report(_ fault: String, _ flood: Flood, lasting time: Duration) throws {
        var report = FaultReport("\(fault), embedded broker")
        let sent = flood.statuses.values.reduce(0, +)
        report.add("sent", sent)
        report.add("a second", Int(Double(sent) / (time / .seconds(1))))
        for (status, count) in flood.statuses.sorted(by: { $0.key < $1.key }) { report.add("\(status)", count) }
        try report.publish()
    }
}
