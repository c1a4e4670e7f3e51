import AppStoreSigning
import Cryptography
import Foundation
import HTTPClient
import Kafka
import KafkaDevBroker
import Primitives
import Records
import Telemetry
import TestSupport
import Testing

@testable import Ingress

@Suite(.timeLimit(.minutes(5))) struct QuarantineTests {
    private static let shared = Result { try DevBroker() }
    private let broker: DevBroker
    private let appStore: TestAppStore

    init() throws {
        broker = try Self.shared.get()
        appStore = try TestAppStore.shared()
    }

    private func nonconforming(_ change: (inout TestAppStore.Draft) -> Void = { $0.version = "3.0" }) throws -> [UInt8]
    {
        var draft = TestAppStore.Draft()
        draft.notificationUUID = "002e14d5-51f5-4503-b5a8-c3a1af68eb20"
        change(&draft)
        return TestAppStore.body(try appStore.renewal(draft))
    }

    @Test func `a nonconforming notification is quarantined exactly as received, and answered 200`() async throws {
        let body = try nonconforming()
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(body).status == 200)
            #expect(harness.decisions("profile_version", 200) == 1)
            #expect(try await harness.counts() == [0, 0, 1])
            let record = try #require(try await harness.records(harness.topics.quarantine).first)
            #expect(record.keyText == "002e14d5-51f5-4503-b5a8-c3a1af68eb20")
            #expect(record.value == body)
            let receivedTime = try #require(record.text("sluice.quarantine.receivedtime"))
            #expect(receivedTime.hasPrefix("2027-01-15T08:0"))
            #expect(
                record.headers.map { "\($0.key): \(record.text($0.key) ?? "nil")" } == [
                    "sluice.quarantine.reason: profile_version",
                    "sluice.quarantine.detail: version is not 2.x",
                    "sluice.quarantine.receivedtime: \(receivedTime)", "sluice.quarantine.environment: Production",
                    "sluice.quarantine.bundleid: com.example.app", "sluice.quarantine.source: live",
                ])
            #expect(harness.value("sluice_ingress_quarantined_total{reason=\"profile_version\"}") == 1)
            #expect(harness.log.lines.contains { $0.contains("002e14d5-51f5-4503-b5a8-c3a1af68eb20") })
        }
    }

    @Test func `a quarantine record has no key when the UUID is invalid`() async throws {
        let body = try nonconforming { $0.notificationUUID = "not a UUID" }
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(body).status == 200)
            #expect(harness.decisions("profile_uuid", 200) == 1)
            let record = try #require(try await harness.records(harness.topics.quarantine).first)
            #expect(record.key == nil)
            #expect(record.value == body)
        }
    }

    @Test func `a valid notification is not a duplicate of a nonconforming one with its UUID`() async throws {
        let bodies = [try nonconforming(), try nonconforming { _ in }]
        try await IngressHarness.with(broker) { harness async throws in
            for body in bodies { #expect(try await harness.post(body).status == 200) }
            #expect(try await harness.counts() == [1, 0, 1])
        }
    }

    @Test func `with the budget spent, nonconforming notifications are answered 503 and valid ones 200`() async throws {
        let bodies = try (0..<3).map { _ in
            try nonconforming {
                $0.notificationUUID = UUID().uuidString.lowercased()
                $0.version = "3.0"
            }
        }
        let good = TestAppStore.body(try appStore.renewal())
        let budget = bodies[0].count + bodies[1].count
        try await IngressHarness.with(broker, { $0.quarantineBytesPerHour = budget }) { harness async throws in
            #expect(try await harness.post(bodies[0]).status == 200)
            #expect(try await harness.post(bodies[1]).status == 200)
            for _ in 0..<2 { #expect(try await harness.post(bodies[2]).status == 503) }
            #expect(harness.decisions("quarantine_budget", 503) == 2)
            #expect(try await harness.post(good).status == 200)
            #expect(try await harness.counts() == [1, 0, 2])
        }
    }

    @Test func `copies of a nonconforming notification, in any encoding, are acknowledged and consume no budget`()
        async throws
    {
        let body = try nonconforming()
        // Post an identical payload with another valid signature, and an identical JWS in different JSON.
        let parts = String(decoding: body, as: UTF8.self).split(separator: ".")
        let again = TestAppStore.body(
            String(decoding: try JWSSigner(appStore.pki).sign(Base64URL.decode(Array(parts[1].utf8))), as: UTF8.self))
        #expect(again != body && again.starts(with: body.prefix(body.count - 90)))
        let spaced = Array(String(decoding: body, as: UTF8.self).replacing(":", with: " : ", maxReplacements: 1).utf8)
        let other = try nonconforming { $0.version = "4.0" }
        try await IngressHarness.with(broker, { $0.quarantineBytesPerHour = body.count + other.count }) {
            harness async throws in
            #expect(try await harness.post(body).status == 200)
            for copy in [body, again, spaced, body] { #expect(try await harness.post(copy).status == 200) }
            #expect(harness.decisions("duplicate", 200) == 4)
            #expect(try await harness.post(other).status == 200)
            #expect(harness.decisions("profile_version", 200) == 2)
            #expect(harness.value("sluice_ingress_quarantined_total{reason=\"profile_version\"}") == 2)
            #expect(try await harness.counts() == [0, 0, 2])
        }
    }

    @Test func `further copies of a nonconforming notification wait for the outcome of the first`() async throws {
        let body = try nonconforming()
        let broker = try DevBroker()
        try await IngressHarness.with(broker) { harness async throws in
            try broker.setRoundTripTime(.milliseconds(300))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<5 { group.addTask { try await harness.post(body).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try broker.setRoundTripTime(.zero)
            #expect(statuses == [200, 200, 200, 200, 200])
            #expect(harness.decisions("duplicate", 200) == 4)
            #expect(try await harness.counts() == [0, 0, 1])
        }
        await broker.stop()
    }

    @Test func `a record that a broker refused consumes no budget`() async throws {
        let body = try nonconforming()
        let broker = try DevBroker()
        try await IngressHarness.with(broker, { $0.quarantineBytesPerHour = body.count }) { harness async throws in
            try broker.failNext(.produce, with: [.topicAuthorizationFailed])
            #expect(try await harness.post(body).status == 503)
            #expect(harness.decisions("kafka_error", 503) == 1)
            let isBack = try await eventually { try await harness.post(body).status == 200 }
            #expect(isBack)
        }
        await broker.stop()
    }
}
