import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import KafkaDevBroker
import Lifecycle
import Records
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import Ingress

@Suite(.serialized, .timeLimit(.minutes(5))) struct ShutdownTests {
    private let appStore: TestAppStore

    init() throws { appStore = try TestAppStore.shared() }

    /// Posts everything at once, then stops the ingress while the broker still delays its responses and one request has
    /// an incomplete body.
    private func stopUnderLoad(
        _ count: Int, _ harness: IngressHarness, meanwhile: @Sendable (IngressHarness) async throws -> Void = { _ in }
    ) async throws -> [String: Int] {
        let notifications = try appStore.corpus(count)
        return try await withThrowingTaskGroup(of: (String, Int).self) { group in
            for notification in notifications {
                group.addTask {
                    (notification.notificationUUID.rawValue, try await harness.post(notification.body).status)
                }
            }
            // Every request has reached the ingress and is dispatched or answered.
            #expect(
                await eventually {
                    harness.value("sluice_http_requests_in_flight") + harness.decisions("accepted", 200) >= count
                })
            let unfinished = try TestConnection(port: harness.ingress.port)
            defer { unfinished.close() }
            unfinished.send("POST /notifications HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{")
            async let stopped: Void = harness.ingress.stop(within: .seconds(10))
            try await meanwhile(harness)
            unfinished.send("}")
            #expect(try unfinished.response().status == 400)
            await stopped
            var statuses: [String: Int] = [:]
            for try await (id, status) in group { statuses[id] = status }
            return statuses
        }
    }

    @Test func `with operator events on, the start and the stop are published`() async throws {
        let broker = try DevBroker()
        let names = TopicNames(prefix: "events")
        for specification in names.ingress(partitions: 1) + [names.operationsTopic] {
            try broker.createTopic(specification.name, partitions: specification.partitions)
        }
        let harness = try await IngressHarness(broker) { settings in
            settings.topics = names
            settings.publishesOperatorEvents = true
        }
        await harness.stop()
        var types: [String] = []
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let start = [KafkaTopicPartition(topic: names.operations, partition: 0): KafkaOffset.beginning]
        try await KafkaConsumer.readToEnd(kafka, from: start, within: .seconds(20)) { records in
            types += records.compactMap { $0.header("ce_type")?.text }
        }
        #expect(types == ["dev.sluice.member.started", "dev.sluice.member.stopped"])
    }

    @Test func `with operator events on, a start without their topic is refused`() async throws {
        let broker = try DevBroker()
        await #expect(throws: StartupError.self) {
            try await IngressHarness(broker) { $0.publishesOperatorEvents = true }
        }
    }

    @Test func `requests sent before the stop are answered, and acknowledged notifications are in Kafka`() async throws
    {
        let broker = try DevBroker()
        let harness = try await IngressHarness(broker)
        try broker.setRoundTripTime(.milliseconds(300))
        let statuses = try await stopUnderLoad(100, harness) { harness async throws in
            // The admin listener reports the stop while the public one drains, until the request is complete.
            let isLogged = try await eventually(within: .seconds(2)) {
                let ready = try await harness.get("/readyz")
                return ready.status == 503 && ready.text.contains("draining: ")
            }
            #expect(isLogged)
            #expect(try await harness.get("/livez").status == 200)
        }
        #expect(statuses.count == 100)
        // On a busy machine some requests may reach the handler deadline.
        #expect(Set(statuses.values).isSubset(of: [200, 503]))
        let accepted = Set(statuses.filter { $0.value == 200 }.keys)
        #expect(accepted.count > 50)
        try broker.setRoundTripTime(.zero)
        let stored = Set(try await harness.records(harness.production).compactMap { $0.text("ce_id") })
        #expect(accepted.isSubset(of: stored))
        harness.client.close()
        await broker.stop()
    }

    @Test func `the ingress stops in time with 503 when the broker does not respond`() async throws {
        let broker = try DevBroker()
        let harness = try await IngressHarness(broker)
        try broker.setRoundTripTime(.seconds(30))
        let statuses = try await stopUnderLoad(50, harness)
        #expect(statuses.count == 50)
        #expect(statuses.values.allSatisfy { $0 == 503 })
        harness.client.close()
        await broker.stop()
    }

    @Test func `the listener is closed after the stop`() async throws {
        let broker = try DevBroker()
        let harness = try await IngressHarness(broker)
        let address = harness.address
        await harness.ingress.stop(within: .seconds(10))
        await #expect(throws: HTTPClientError.self) {
            try await harness.client.send(
                HTTPClientRequest(method: "POST", url: address, body: Array("x".utf8), timeout: .seconds(2)))
        }
        harness.client.close()
        await broker.stop()
    }
}
