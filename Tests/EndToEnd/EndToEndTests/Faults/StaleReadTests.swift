import Foundation
import HTTPClient
import TestSupport
import Testing

extension EndToEnd {
    /// The read API while the broker is down: no backend may mistake old facts for current ones.
    @Suite(.enabled(if: ApacheKafka.isOurs, "\(ApacheKafka.faultAbsence)")) struct StaleReadsOnApacheKafka {
        private static let limit = TestScale.choose(short: Duration.seconds(10), long: .seconds(300))
        private static let outage = TestScale.choose(short: Duration.seconds(20), long: .seconds(600))

        @Test func `every answer is marked stale after the limit, and none soon after the broker's return`()
            async throws
        {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka()
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let entitlements = try await harness.entitlements(
                    on: broker,
                    settings: ["--entitlements.staleness.limit", "\(Self.limit.components.seconds)s"])
                let client = HTTPClient()
                defer { client.close() }
                var day = try RenewalDay(50, endingIn: 11...11, pki: harness.path("pki"))
                for body in try day.notifiedBefore() {
                    #expect(try await ingress.post(body, with: client).status == 200)
                }
                let purchases = day.states(at: day.start).keys.sorted()
                try await waitUntil(within: .seconds(60)) {
                    guard await entitlements.isReady(client) else { return false }
                    for purchase in purchases {
                        let read = try await read(purchase, entitlements, client)
                        guard read.isKnown, !read.isStale else { return false }
                    }
                    return true
                }
                try await goThroughAnOutage(of: broker, purchases, entitlements, client)
            }
        }

        private func goThroughAnOutage(
            of broker: Broker, _ purchases: [String], _ entitlements: Entitlements, _ client: HTTPClient
        ) async throws {
            var reads: [Read] = []
            func readOn(until isOver: (Read) -> Bool) async throws {
                while true {
                    let read = try await read(purchases[reads.count % purchases.count], entitlements, client)
                    reads.append(read)
                    if isOver(read) { return }
                    await pass(.milliseconds(20))
                }
            }
            try await broker.remove(.terminated)
            let gone = ContinuousClock.now
            try await readOn { $0.begun > gone + Self.outage }
            #expect(await !entitlements.isReady(client), "\(entitlements.process)")
            let returning = ContinuousClock.now
            try await broker.bringBack()
            let returned = ContinuousClock.now
            let deadline = returned + Duration.seconds(60).scaled
            var lastStale = returned
            // A member may lag again while it reconnects, so the test finds the last stale answer.
            try await readOn { read in
                if read.isStale { lastStale = read.ended }
                return read.begun > lastStale + .seconds(5) || read.begun > deadline
            }
            #expect(await eventually { await entitlements.isReady(client) }, "\(entitlements.process)")

            // The last record read was written before the broker was stopped.
            let old = reads.filter { $0.begun > gone + Self.limit + .milliseconds(50) && $0.ended < returning }
            #expect(old.count > 100)
            #expect(old.allSatisfy { $0.isStale && $0.isKnown }, "\(old.first { !$0.isStale || !$0.isKnown } as Any)")
            #expect(reads.contains { $0.begun > gone && !$0.isStale && $0.ended < returning })
            #expect(reads.last?.isStale == false, "\(entitlements.process)")
            #expect((lastStale - returned).keeps(.seconds(10)))

            var report = FaultReport("reads while Apache Kafka is away")
            report.add("outage", returned - gone)
            report.add("limit", Self.limit)
            report.add("reads", reads.count)
            report.add("stale", reads.count(where: \.isStale))
            report.add("after the limit without stale", old.count { !$0.isStale })
            report.add("last stale answer after", lastStale - returned)
            try report.publish()
        }
    }
}

extension EndToEnd.StaleReadsOnApacheKafka {
    /// One request to the read API.
    private struct Read {
        let begun: ContinuousClock.Instant
        let ended: ContinuousClock.Instant
        let isStale: Bool
        let isKnown: Bool
    }

    private func read(_ purchase: String, _ entitlements: Entitlements, _ client: HTTPClient) async throws -> Read {
        let begun = ContinuousClock.now
        let answer = try await entitlements.answer(
            originalTransactionId: purchase, environment: "Production", with: client)
        return Read(
            begun: begun, ended: .now, isStale: answer?.flag("stale") ?? false, isKnown: answer != nil)
    }
}
