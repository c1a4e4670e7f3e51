import AppStoreSigning
import Foundation
import HTTPClient
import Kafka
import NotificationRecord
import Telemetry
import Testing

@testable import Ingress

@Suite(.timeLimit(.minutes(1))) struct QuarantineTests {
    private static let shared = Result { try DevBroker() }
    private let broker: DevBroker
    private let appStore: TestAppStore

    init() throws {
        broker = try Self.shared.get()
        appStore = try TestAppStore.shared()
    }

    private func odd(_ change: (inout TestAppStore.Draft) -> Void = { $0.version = "3.0" }) throws -> [UInt8] {
        var draft = TestAppStore.Draft()
        draft.notificationUUID = "002e14d5-51f5-4503-b5a8-c3a1af68eb20"
        change(&draft)
        return TestAppStore.body(try appStore.renewal(draft))
    }

    @Test func `an odd notification is kept exactly as received, and 200`() async throws {
        let body = try odd()
        try await IngressRig.with(broker) { rig async throws in
            #expect(try await rig.post(body).status == 200)
            #expect(rig.decisions("profile_version", 200) == 1)
            #expect(try await rig.counts() == [0, 0, 1])
            let record = try #require(try await rig.records(rig.topics.quarantine).first)
            #expect(record.keyText == "002e14d5-51f5-4503-b5a8-c3a1af68eb20")
            #expect(record.value == body)
            let receivedTime = try #require(record.text("sluice.quarantine.receivedtime"))
            #expect(receivedTime.hasPrefix("2027-01-15T08:0"))
            #expect(
                record.headers.map { "\($0.key): \(record.text($0.key) ?? "nil")" } == [
                    "sluice.quarantine.reason: profile_version",
                    "sluice.quarantine.detail: version does not begin with 2.",
                    "sluice.quarantine.receivedtime: \(receivedTime)", "sluice.quarantine.environment: Production",
                    "sluice.quarantine.bundleid: com.example.app", "sluice.quarantine.source: live",
                ])
            #expect(rig.value("sluice_ingress_quarantined_total{reason=\"profile_version\"}") == 1)
            #expect(rig.log.lines.contains { $0.contains("002e14d5-51f5-4503-b5a8-c3a1af68eb20") })
        }
    }

    @Test func `without a UUID that can be a key the record has none`() async throws {
        let body = try odd { $0.notificationUUID = "not a UUID" }
        try await IngressRig.with(broker) { rig async throws in
            #expect(try await rig.post(body).status == 200)
            #expect(rig.decisions("profile_uuid", 200) == 1)
            let record = try #require(try await rig.records(rig.topics.quarantine).first)
            #expect(record.key == nil)
            #expect(record.value == body)
        }
    }

    @Test func `a good notification is not mistaken for the odd one of its UUID`() async throws {
        let bodies = [try odd(), try odd { _ in }]
        try await IngressRig.with(broker) { rig async throws in
            for body in bodies { #expect(try await rig.post(body).status == 200) }
            #expect(try await rig.counts() == [1, 0, 1])
        }
    }

    @Test func `when the budget is spent odd ones are 503 and good ones go on`() async throws {
        let body = try odd()
        let good = TestAppStore.body(try appStore.renewal())
        try await IngressRig.with(broker, { $0.quarantineBytesPerHour = body.count * 2 }) { rig async throws in
            #expect(try await rig.post(body).status == 200)
            #expect(try await rig.post(body).status == 200)
            #expect(try await rig.post(body).status == 503)
            #expect(rig.decisions("quarantine_budget", 503) == 1)
            #expect(try await rig.post(good).status == 200)
            #expect(try await rig.counts() == [1, 0, 2])
        }
    }

    @Test func `what a broker refused is not taken out of the budget`() async throws {
        let body = try odd()
        let broker = try DevBroker()
        try await IngressRig.with(broker, { $0.quarantineBytesPerHour = body.count }) { rig async throws in
            try broker.failNext(.produce, with: [.topicAuthorizationFailed])
            #expect(try await rig.post(body).status == 503)
            #expect(rig.decisions("kafka_error", 503) == 1)
            let isBack = try await eventually { try await rig.post(body).status == 200 }
            #expect(isBack)
        }
        await broker.stop()
    }
}
