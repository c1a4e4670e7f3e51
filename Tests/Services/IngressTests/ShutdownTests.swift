import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import Ingress

@Suite(.serialized, .timeLimit(.minutes(5))) struct ShutdownTests {
    private let appStore: TestAppStore

    init() throws { appStore = try TestAppStore.shared() }

    /// Posts everything at once and stops the ingress while the broker still holds its answers.
    private func stopUnderLoad(
        _ count: Int, _ rig: IngressRig, meanwhile: @Sendable (IngressRig) async throws -> Void = { _ in }
    ) async throws -> (statuses: [String: Int], stop: Duration) {
        let notifications = try appStore.corpus(count)
        return try await withThrowingTaskGroup(of: (String, Int).self) { group in
            for notification in notifications {
                group.addTask {
                    (notification.notificationUUID.rawValue, try await rig.post(notification.body).status)
                }
            }
            // Each is at the ingress: handed over, or answered.
            #expect(
                await eventually {
                    rig.value("sluice_http_requests_in_flight") + rig.decisions("accepted", 200) >= count
                })
            let begun = ContinuousClock.now
            async let stopped: Void = rig.ingress.stop(within: .seconds(10))
            try await meanwhile(rig)
            await stopped
            let duration = ContinuousClock.now - begun
            var statuses: [String: Int] = [:]
            for try await (id, status) in group { statuses[id] = status }
            return (statuses, duration)
        }
    }

    @Test func `what was sent before the stop is answered, and what was acknowledged is there`() async throws {
        let broker = try DevBroker()
        let rig = try await IngressRig(broker)
        try broker.setRoundTripTime(.milliseconds(300))
        let (statuses, stop) = try await stopUnderLoad(100, rig) { rig async throws in
            // The admin listener says so for as long as the public one drains.
            let isTold = try await eventually(within: .seconds(2)) {
                let ready = try await rig.get("/readyz")
                return ready.status == 503 && ready.text.contains("draining: ")
            }
            #expect(isTold)
            #expect(try await rig.get("/livez").status == 200)
        }
        #expect(statuses.count == 100)
        // On a busy machine some may meet the handler deadline.
        #expect(Set(statuses.values).isSubset(of: [200, 503]))
        let accepted = Set(statuses.filter { $0.value == 200 }.keys)
        #expect(accepted.count > 50)
        #expect(stop < .seconds(8).patient)
        try broker.setRoundTripTime(.zero)
        let stored = Set(try await rig.records(rig.production).compactMap { $0.text("ce_id") })
        #expect(accepted.isSubset(of: stored))
        rig.client.close()
        await broker.stop()
    }

    @Test func `with a broker that does not answer it ends in time, with 503`() async throws {
        let broker = try DevBroker()
        let rig = try await IngressRig(broker)
        try broker.setRoundTripTime(.seconds(30))
        let (statuses, stop) = try await stopUnderLoad(50, rig)
        #expect(statuses.count == 50)
        #expect(statuses.values.allSatisfy { $0 == 503 })
        #expect(stop < .seconds(10).patient)
        rig.client.close()
        await broker.stop()
    }

    @Test func `after the stop nothing listens`() async throws {
        let broker = try DevBroker()
        let rig = try await IngressRig(broker)
        let address = rig.address
        await rig.ingress.stop(within: .seconds(10))
        await #expect(throws: HTTPClientError.self) {
            try await rig.client.send(
                HTTPClientRequest(method: "POST", url: address, body: Array("x".utf8), timeout: .seconds(2)))
        }
        rig.client.close()
        await broker.stop()
    }
}
