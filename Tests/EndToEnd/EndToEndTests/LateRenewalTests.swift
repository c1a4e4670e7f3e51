import Foundation
import HTTPClient
import TestSupport
import Testing

extension EndToEnd {
    /// Apple often sends a renewal after the old period has ended. `sluice-entitlements` runs with the test's wall
    /// clock, which advances through a day in steps of a quarter of an hour.
    @Suite(.enabled(if: WallClock.compiler != nil, "\(WallClock.absence)")) struct LateRenewals {
        @Test func `with late renewals no access is published as ended and then restored`() async throws {
            try await Harness.open { harness in
                try await goThroughADay(
                    of: 50, endingIn: 11...11, on: try await harness.embeddedBroker(partitions: 12), harness)
            }
        }

        @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
        func `in a day of 1,000 purchases on Apache Kafka no access is published as ended and then restored`()
            async throws
        {
            try await Harness.open { harness in
                try await goThroughADay(of: 1000, endingIn: 0...23, on: try await harness.apacheKafka(), harness)
            }
        }

        private func goThroughADay(
            of purchases: Int, endingIn hours: ClosedRange<Int64>, on broker: Broker, _ harness: Harness
        ) async throws {
            let clock = try await WallClock(harness)
            let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
            var day = try RenewalDay(purchases, endingIn: hours, pki: harness.path("pki"))
            var now = day.start + hours.lowerBound * RenewalDay.hour
            // The end of the last period, plus three hours of leeway.
            let end = day.start + min(24, hours.upperBound + 5) * RenewalDay.hour
            try clock.stop(at: now)
            let entitlements = try await harness.entitlements(on: broker, under: clock.wrapper)
            let client = HTTPClient()
            defer { client.close() }
            var published = try await PublishedStates(broker)

            try await post(day.notifiedBefore(), to: ingress, client)
            try await wait(for: day.states(at: now), in: &published, entitlements)
            while now <= end {
                try clock.stop(at: now)
                try await post(day.due(at: now), to: ingress, client)
                try await wait(for: day.states(at: now), in: &published, entitlements)
                now += RenewalDay.hour / 4
            }
            try await check(day, broker, entitlements.process)
        }

        private func post(_ bodies: [[UInt8]], to ingress: Ingress, _ client: HTTPClient) async throws {
            for start in stride(from: 0, to: bodies.count, by: 16) {
                try await withThrowingTaskGroup { group in
                    for body in bodies[start..<min(start + 16, bodies.count)] {
                        group.addTask { try await ingress.post(body, with: client).status }
                    }
                    for try await status in group { #expect(status == 200, "\(ingress.process)") }
                }
            }
        }

        /// Waits until the last published state of every purchase is the expected one.
        private func wait(
            for expected: [String: String], in published: inout PublishedStates, _ entitlements: Entitlements
        ) async throws {
            let isPublished = try await eventually(within: .seconds(30)) {
                try await published.read()
                if published.last == expected { return true }
                await pass(.milliseconds(100))
                return false
            }
            let different = expected.filter { published.last[$0.key] != $0.value }
            try #require(isPublished, "\(different); \(entitlements.process)")
        }

        /// Checks both topics completely.
        private func check(_ day: RenewalDay, _ broker: Broker, _ process: ChildProcess) async throws {
            #expect(try await broker.notificationUUIDs().sorted() == day.posted.sorted())
            #expect(try await broker.deadLetters().isEmpty)
            var published = try await PublishedStates(broker)
            try await published.read()
            let takenBack = published.all.filter { $0.value.dropLast().contains("EXPIRED") }
            #expect(takenBack.isEmpty, "\(takenBack); \(process)")
            let ended = published.all.filter { $0.value.contains("EXPIRED") }
            #expect(Set(ended.keys) == day.lapsing)
            #expect(!day.lapsing.isEmpty && !day.late.isEmpty)
            for purchase in day.late { #expect(published.all[purchase] == ["ACTIVE", "RENEWING", "ACTIVE"]) }
            for purchase in day.lapsing { #expect(published.all[purchase] == ["ACTIVE", "RENEWING", "EXPIRED"]) }

            var report = FaultReport(
                "a day of late renewals, \(broker.isEmbedded ? "embedded broker" : "Apache Kafka")")
            report.add("purchases", published.all.count)
            report.add("notifications", day.posted.count)
            report.add("renewals notified late", day.late.count)
            report.add("publications", published.records)
            report.add("ended", ended.count)
            report.add("ended and given back", takenBack.count)
            try report.publish()
        }
    }
}
