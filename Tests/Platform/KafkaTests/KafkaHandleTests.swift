import Dispatch
import KafkaDevBroker
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Kafka

@Suite(.timeLimit(.minutes(5))) struct KafkaHandleTests {
    private final class Counts: Sendable {
        let wakeUps = Atomic(0)
        let statistics = Atomic(0)
        let others = Atomic(0)
    }

    private func start(_ servers: String, interval: String, _ counts: Counts) throws -> KafkaHandle {
        let configuration = try KafkaConfiguration(
            bootstrapServers: servers, properties: ["statistics.interval.ms": interval], profile: .embedded)
        let handle = try KafkaHandle(
            .producer, settings: configuration.settings(for: .producer), home: DispatchQueue(label: "test"))
        handle.start(
            KafkaHandle.Handlers(
                clientEvent: { event in
                    if case .statistics = event {
                        counts.statistics.add(1, ordering: .relaxed)
                    } else {
                        counts.others.add(1, ordering: .relaxed)
                    }
                }, drained: { counts.wakeUps.add(1, ordering: .relaxed) }))
        return handle
    }

    @Test func `an idle client wakes up only for events`() async throws {
        let broker = try DevBroker()
        let counts = Counts()
        let handle = try start(broker.bootstrapServers, interval: "20", counts)
        #expect(await eventually { counts.statistics.load(ordering: .relaxed) >= 50 })
        let events = counts.statistics.load(ordering: .relaxed) + counts.others.load(ordering: .relaxed)
        // Starting causes one additional wake-up.
        #expect(counts.wakeUps.load(ordering: .relaxed) <= events + 2)
        withExtendedLifetime(handle) {}
        await broker.stop()
    }

    @Test func `releasing the last reference destroys the client`() async throws {
        let broker = try DevBroker()
        let released: Completion
        do {
            let handle = try start(broker.bootstrapServers, interval: "5000", Counts())
            released = handle.released
            #expect(!released.isComplete)
            withExtendedLifetime(handle) {}
        }
        #expect(await released.wait(within: .seconds(20)))
        await broker.stop()
    }

    @Test func `a client that was never started is destroyed too`() async throws {
        let configuration = try KafkaConfiguration(bootstrapServers: "127.0.0.1:1")
        let released = try KafkaHandle(
            .consumer, settings: configuration.settings(for: .consumer(group: "g")), home: DispatchQueue(label: "test")
        ).released
        #expect(await released.wait(within: .seconds(20)))
    }
}
