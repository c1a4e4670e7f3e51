import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import KafkaDevBroker
import Simulator
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Ingress

/// Responses to Apple while Kafka fails: only 503, or 200 with a record.
///
/// Serialized, because each test stops its own broker.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OutageTests {
    private let appStore: TestAppStore

    init() throws { appStore = try TestAppStore.shared() }

    /// One response to a load.
    private struct Reply: Sendable {
        let notificationUUID: String
        let status: Int
    }

    /// Posts each notification until stopped, over `lanes` connections. A notification that was not accepted is posted
    /// again after the others.
    private final class Load: Sendable {
        private struct State {
            var waiting: [SignedNotification]
            var replies: [Reply] = []
            var isOver = false
        }

        private let state: Mutex<State>
        private let harness: IngressHarness

        init(_ harness: IngressHarness, _ notifications: [SignedNotification]) {
            self.harness = harness
            state = Mutex(State(waiting: notifications.reversed()))
        }

        var replies: [Reply] { state.withLock { $0.replies } }

        func end() { state.withLock { $0.isOver = true } }

        func run(lanes: Int) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<lanes { group.addTask { try await self.lane() } }
                try await group.waitForAll()
            }
        }

        private func lane() async throws {
            while let next = state.withLock({ $0.isOver ? nil : $0.waiting.popLast() }) {
                let status = try await harness.post(next.body).status
                state.withLock { state in
                    state.replies.append(Reply(notificationUUID: next.notificationUUID.rawValue, status: status))
                    if status != 200 { state.waiting.insert(next, at: 0) }
                }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    @Test func `every request is answered 503 while no broker responds, and 200 after its return`() async throws {
        let broker = try DevBroker()
        let notifications = try appStore.corpus(3_000)
        try await IngressHarness.with(broker) { harness async throws in
            let load = Load(harness, notifications)
            async let running: Void = load.run(lanes: 16)
            #expect(await eventually { load.replies.count >= 50 })
            #expect(load.replies.allSatisfy { $0.status == 200 })

            try broker.setDown()
            #expect(await eventually { harness.value("sluice_ingress_kafka_available") == 0 })
            let opened = load.replies.count
            let (refused, waited) = (harness.decisions("kafka_unavailable", 503), harness.deadlines)
            let ready = try await harness.get("/readyz")
            #expect(ready.status == 503)
            #expect(ready.text.contains("kafka: "))
            #expect(await eventually { load.replies.count >= opened + 300 })
            // One probe per second waits for a broker until the handler deadline. All others are refused at once.
            let refusals = harness.decisions("kafka_unavailable", 503) - refused
            let probes = harness.deadlines - waited
            #expect(refusals > 9 * probes, "\(refusals) refused, \(probes) waited")

            try broker.setUp()
            let before = load.replies.count
            #expect(await eventually { load.replies.dropFirst(before).contains { $0.status == 200 } })
            let isReady = try await eventually { try await harness.get("/readyz").status == 200 }
            #expect(isReady)
            load.end()
            try await running

            let replies = load.replies
            #expect(Set(replies.map(\.status)) == [200, 503])
            try await Self.check(replies, harness)
        }
        await broker.stop()
    }

    /// Checks that every notification answered with 200 is in its topic.
    private static func check(_ replies: [Reply], _ harness: IngressHarness) async throws {
        let stored = Set(try await harness.records(harness.production).map { $0.text("ce_id") ?? "" })
        let taken = Set(replies.filter { $0.status == 200 }.map(\.notificationUUID))
        #expect(taken.subtracting(stored).isEmpty)
        #expect(!taken.isEmpty)
    }

    @Test func `requests are answered 503 when the broker does not respond`() async throws {
        let broker = try DevBroker()
        let body = TestAppStore.body(try appStore.renewal())
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(TestAppStore.body(try appStore.renewal())).status == 200)
            try broker.setRoundTripTime(.seconds(12))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<3 { group.addTask { try await harness.post(body).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // The request is refused at the handler's deadline or the producer's timeout, whichever comes first. Both
            // are five seconds. The waiting copies have the same deadline.
            #expect(statuses == [503, 503, 503])
            try broker.setRoundTripTime(.zero)
            // The notification with an unknown outcome is sent again. It may be duplicated, but is not lost.
            let isTaken = try await eventually { try await harness.post(body).status == 200 }
            #expect(isTaken)
            #expect(try await harness.records(harness.production).count >= 2)
        }
        await broker.stop()
    }

    /// Produce error codes that librdkafka retries.
    private static let retried: [Int32] = [3, 5, 6, 7, 8, 9, 14, 15, 16, 19, 20, 56, 59]
    /// All other codes up to 97, except 46 (the broker already has the record) and 45 (which stops the producer).
    private static let refused = (1...97).filter { !retried.contains($0) && $0 != 45 && $0 != 46 }

    @Test(arguments: [(retried, 200), (refused, 503)])
    func `a broker's refusal is answered 200 after a retry, or 503, never 4xx`(codes: [Int32], status: Int)
        async throws
    {
        let broker = try DevBroker()
        let notifications = try appStore.corpus(codes.count)
        try await IngressHarness.with(broker) { harness async throws in
            for (code, notification) in zip(codes, notifications) {
                try broker.failNext(.produce, with: [KafkaError.Code(rawValue: code)])
                #expect(try await harness.post(notification.body).status == status, "code \(code)")
                try broker.clearFailures(.produce)
                // Some refusals persist until librdkafka has refreshed its metadata.
                let isTaken = try await eventually { try await harness.post(notification.body).status == 200 }
                #expect(isTaken, "code \(code)")
            }
            let stored = Set(try await harness.records(harness.production).map { $0.text("ce_id") })
            #expect(stored == Set(notifications.map(\.notificationUUID.rawValue)))
        }
        await broker.stop()
    }

    @Test func `requests are answered 503 after a fatal producer error until the producer is replaced`() async throws {
        let broker = try DevBroker()
        let notifications = try appStore.corpus(20)
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(notifications[0].body).status == 200)
            try broker.failNext(.produce, with: [.outOfOrderSequence])
            var statuses: Set<Int> = []
            for notification in notifications.dropFirst() {
                let isTaken = try await eventually(within: .seconds(10)) {
                    let status = try await harness.post(notification.body).status
                    statuses.insert(status)
                    return status == 200
                }
                #expect(isTaken)
            }
            #expect(statuses == [200, 503])
            #expect(harness.value("sluice_ingress_kafka_producer_generation") == 2)
            #expect(harness.log.lines.contains { $0.contains("kafka producer replaced") })
            let stored = Set(try await harness.records(harness.production).map { $0.text("ce_id") })
            #expect(stored == Set(notifications.map(\.notificationUUID.rawValue)))
        }
        await broker.stop()
    }
}

extension IngressHarness {
    /// Number of requests that the listener answered itself at the handler deadline.
    fileprivate var deadlines: Int { value("sluice_http_deadlines_total{phase=\"handler\"}") }
}
