import Kafka
import KafkaDevBroker
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// A member is ready only while its responses match the contents of its partitions.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StateReadinessTests {
    private static let place = KafkaTopicPartition(topic: "state", partition: 0)

    @Test func `a failed write is an obstacle until a later one succeeds`() {
        var health = StateHealth()
        #expect(health.obstacle(at: 0, limit: 30_000) == nil)
        health.wrote(Self.place, failed: true)
        #expect(health.obstacle(at: 0, limit: 30_000) == "records from state[0] cannot be written to the database")
        health.wrote(KafkaTopicPartition(topic: "state", partition: 1), failed: false)
        #expect(health.obstacle(at: 0, limit: 30_000) != nil)
        health.wrote(Self.place, failed: false)
        #expect(health.obstacle(at: 0, limit: 30_000) == nil)
    }

    @Test func `a partition that is behind and applies nothing becomes an obstacle after the limit`() {
        var health = StateHealth()
        health.sawEnd(of: Self.place, isBehind: true, at: 1_000)
        health.sawEnd(of: Self.place, isBehind: true, at: 20_000)
        #expect(health.obstacle(at: 31_000, limit: 30_000) == nil)
        #expect(
            health.obstacle(at: 31_001, limit: 30_000)
                == "the state is behind its topic, and nothing has been applied for 30 s")
        #expect(health.stalled(at: 31_001) == 30_001)
        health.advanced(Self.place, isBehind: true, at: 31_001)
        #expect(health.obstacle(at: 61_001, limit: 30_000) == nil)
        #expect(health.obstacle(at: 61_002, limit: 30_000) != nil)
        health.advanced(Self.place, isBehind: false, at: 61_002)
        #expect(health.obstacle(at: 1_000_000, limit: 30_000) == nil)
        health.sawEnd(of: Self.place, isBehind: true, at: 1_000_000)
        health.forget(Self.place)
        #expect(health.stalled(at: 2_000_000) == 0)
    }

    @Test func `a reader without a broker or without statistics is reported as disconnected`() {
        var health = StateHealth()
        #expect(health.isLive(at: 1_000_000))
        health.lastSign = 1_000
        #expect(health.disconnection(at: 60_999) == nil)
        health.brokersUp = 0
        #expect(
            health.disconnection(at: 1_001) == "the client that reads the state's topics is not connected to any broker"
        )
        health.brokersUp = 1
        #expect(health.disconnection(at: 1_001) == nil)
        #expect(!health.isLive(at: 61_000))
        #expect(health.disconnection(at: 61_000) == "the client that reads the state's topics is stuck")
    }

    @Test func `a reader disconnected from its broker is not ready but still serves reads`() async throws {
        let broker = try DevBroker()
        let harness = try StateHarness(on: broker)
        let metrics = MetricsRegistry()
        let reader = try await harness.member(metrics: metrics) { $0.role = .reader }
        #expect(await eventually { reader.readinessObstacle == nil && metrics.sum("sluice_state_brokers_up") > 0 })
        await broker.stop()
        let isToldOf = await eventually {
            reader.readinessObstacle == "the client that reads the state's topics is not connected to any broker"
        }
        #expect(isToldOf)
        #expect(metrics.sum("sluice_state_brokers_up") == 0)
        #expect(reader.obstacle == nil)
        #expect(reader.fault == nil)
        await reader.end()
    }

    @Test func `a member with an unwritable database is not ready and serves no reads`() async throws {
        let harness = try StateHarness()
        let metrics = MetricsRegistry()
        let member = try await harness.member(metrics: metrics)
        #expect(await eventually { member.readinessObstacle == nil })
        #expect(metrics.sum("sluice_state_writable") == 1)
        try member.parts().database.store.close()
        try await harness.write("a", NumberSet("a", [1]).text)
        let line = "records from \(harness.output()) cannot be written to the database"
        #expect(await eventually { member.obstacle == line })
        #expect(member.readinessObstacle == line)
        #expect(metrics.sum("sluice_state_writable") == 0)
        #expect(metrics.sum("sluice_state_complete") == 0)
        await member.end()
    }

    @Test func `a write that fails while its partition is being unfollowed is no obstacle afterwards`() async throws {
        let harness = try StateHarness()
        let (begun, gate) = (Gate(), DispatchGate())
        let model = NumberSetModel(reads: {
            begun.open()
            gate.wait()
        })
        let worker = try await harness.member(model: model) { $0.role = .worker }
        worker.follow(harness.output())
        try await harness.write("a", NumberSet("a", [1]).text)
        await begun.pass()
        try worker.parts().database.store.close()
        // No partition is assigned and there are no standbys, so the worker stops reading this one.
        worker.adjustStandbys()
        let unfollowing = worker.withRunning { $0.unfollowing[harness.output()] }
        #expect(unfollowing != nil)
        gate.open()
        await unfollowing?.value
        #expect(worker.obstacle == nil)
        #expect(worker.readinessObstacle == nil)
        await worker.end()
    }

    @Test func `a reader that applies nothing while its topic grows is not ready after the limit`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member { $0.maximumStall = .milliseconds(1) }
        #expect(await eventually { member.obstacle == nil })
        let place = harness.output()
        member.sawEnd(7, of: place)
        #expect(await eventually { member.obstacle?.contains("nothing has been applied") == true })
        member.sawEnd(0, of: place)
        #expect(await eventually { member.obstacle == nil })
        await member.end()
    }
}
