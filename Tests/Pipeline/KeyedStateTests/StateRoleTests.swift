import Kafka
import KafkaDevBroker
import Lifecycle
import PipelineTestSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// The partitions that a member follows, and how it uses them.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StateRoleTests {
    private func followed(_ member: KeyedState<NumberSetModel>) -> Set<Int32> {
        Set(member.withRunning { $0.followed.keys.map(\.partition.rawValue) })
    }

    @Test func `a worker follows its own partitions and the configured number of standbys`() async throws {
        let harness = try StateHarness(partitions: 4)
        let keys = harness.keys
        for key in keys { try await harness.write(key, NumberSet(key, [1]).text) }
        let worker = try await harness.member("worker") { options in
            options.role = .worker
            options.standbys = 1
        }
        #expect(followed(worker).isEmpty)
        try await worker.partitionAssigned(harness.place(2))
        #expect(followed(worker).count == 2 && followed(worker).contains(2))
        #expect(try await worker.dump().count == 2)
        try await worker.partitionAssigned(harness.place(3))
        #expect(followed(worker).count == 3 && followed(worker).isSuperset(of: [2, 3]))
        #expect(await eventually { worker.obstacle == nil })
        await worker.partitionReleased(harness.place(2))
        await worker.partitionReleased(harness.place(3))
        #expect(followed(worker).count == 1)
        await worker.end()
    }

    @Test func `a worker keeps reading an assigned partition if another one is ready first`() async throws {
        let harness = try StateHarness(partitions: 2)
        let keys = harness.keys
        try StateTestBroker.shared().setLeader(of: harness.output(1), to: nil)
        let worker = try await harness.member("worker") { $0.role = .worker }
        await #expect(throws: (any Error).self) { try await worker.partitionAssigned(harness.place(1)) }
        #expect(followed(worker) == [1])
        try await worker.partitionAssigned(harness.place(0))
        #expect(followed(worker) == [0, 1])
        try StateTestBroker.shared().setLeader(of: harness.output(1), to: 1)
        // Like the runtime, calls again until the partition is ready.
        #expect(
            await eventually(within: .seconds(30)) {
                (try? await worker.partitionAssigned(harness.place(1))) != nil
            })
        _ = try await worker.merge(keys.map { NumberSet($0, [1]) }, from: harness.input)
        #expect(try await worker.dump() == keys.map { "\($0)=1" }.sorted())
        await worker.end()
    }

    @Test func `a restore ends if its last unread partition is revoked`() async throws {
        let harness = try StateHarness(partitions: 2)
        try StateTestBroker.shared().setLeader(of: harness.output(1), to: nil)
        let worker = try await harness.member("worker") { $0.role = .worker }
        worker.withRunning { _ = $0.assigned.insert(harness.output(1)) }
        worker.follow(harness.output(1))
        try await worker.partitionAssigned(harness.place(0))
        #expect(worker.obstacle == "the state has not been read yet")
        await worker.partitionReleased(harness.place(1))
        #expect(followed(worker) == [0])
        #expect(await eventually { worker.obstacle == nil })
        try StateTestBroker.shared().setLeader(of: harness.output(1), to: 1)
        await worker.end()
    }

    @Test func `a reassigned partition is read from its position`() async throws {
        let harness = try StateHarness(partitions: 2)
        let keys = harness.keys
        let worker = try await harness.member("worker") { $0.role = .worker }
        try await worker.partitionAssigned(harness.place(1))
        _ = try await worker.merge([NumberSet(keys[1], [1])], from: harness.input)
        try await worker.catchUp()
        await worker.partitionReleased(harness.place(1))
        #expect(followed(worker).isEmpty)
        try await harness.write(keys[1], NumberSet(keys[1], [1, 2]).text)
        try await worker.partitionAssigned(harness.place(1))
        #expect(try await worker.dump() == ["\(keys[1])=1,2"])
        #expect(try worker.parts().database.store.position(of: harness.output(1))?.next == 2)
        await worker.end()
    }

    @Test func `a partition that is revoked and reassigned at once is read again`() async throws {
        let harness = try StateHarness()
        let worker = try await harness.member("worker") { $0.role = .worker }
        for number in 0..<30 {
            try await worker.partitionAssigned(harness.place())
            _ = try await worker.merge([NumberSet("a", [number])], from: harness.input)
            await worker.partitionReleased(harness.place())
        }
        try await worker.partitionAssigned(harness.place())
        #expect(try await worker.dump() == [String(decoding: NumberSet("a", Set(0..<30)).text, as: UTF8.self)])
        await worker.end()
    }

    @Test func `a reader follows everything, owns nothing and publishes contributions`() async throws {
        let harness = try StateHarness(partitions: 3)
        let keys = harness.keys
        for key in keys { try await harness.write(key, NumberSet(key, [1]).text) }
        let reader = try await harness.member("reader") { $0.role = .reader }
        #expect(followed(reader) == [0, 1, 2])
        #expect(try await reader.dump().count == 3)
        #expect(await eventually { reader.obstacle == nil })
        // A reader does not repair incomplete records.
        try await harness.write(keys[0], NumberSet(keys[0], []).text)
        try await reader.catchUp()
        #expect(try await harness.published().count == 4)
        let key = keys[1]
        let state = try await reader.contribute(to: Array(key.utf8), from: harness.input) { _ in NumberSet(key, [7]) }
        #expect(state == NumberSet(key, [1, 7]))
        #expect(try await reader.dump().contains("\(key)=1,7"))
        await reader.end()
    }

    @Test func `the lag of each partition is a gauge, and too much lag is an obstacle`() async throws {
        let harness = try StateHarness()
        let metrics = MetricsRegistry()
        let member = try await harness.member(metrics: metrics) { $0.maximumLag = 10 }
        #expect(await eventually { member.obstacle == nil })
        #expect(metrics.sum("sluice_state_lag_records") == 0)
        member.withRunning { $0.ends[harness.output()] = 11 }
        #expect(metrics.sum("sluice_state_lag_records") == 11)
        #expect(metrics.sum("sluice_state_complete") == 0)
        #expect(member.obstacle?.contains("11 records behind") == true)
        member.withRunning { $0.ends[harness.output()] = 10 }
        #expect(member.obstacle == nil)
        await member.end()
    }

    @Test func `a partition without a leader does not delay others`() async throws {
        let harness = try StateHarness(partitions: 2)
        let keys = harness.keys
        for key in keys { try await harness.write(key, NumberSet(key, [1]).text) }
        try StateTestBroker.shared().setLeader(of: harness.output(0), to: nil)
        let member = try await harness.member(model: NumberSetModel(changesWithTime: true))
        try await member.partitionAssigned(harness.place(1))
        _ = try await member.merge([NumberSet(keys[1], [2_000])], from: harness.input)
        #expect(member.obstacle != nil)
        // The due row is published while the other partition waits.
        harness.now.store(3_000, ordering: .relaxed)
        #expect(
            await eventually {
                guard let range = try? await harness.published(partition: 1) else { return false }
                return range.last?.value == Array("\(keys[1])=1,2000 past".utf8)
            })
        try StateTestBroker.shared().setLeader(of: harness.output(0), to: 1)
        #expect(await eventually(within: .seconds(30)) { member.obstacle == nil })
        await member.end()
    }

    @Test func `a partition added at run time ends the process without a hang`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member()
        let running = RunHarness { try await member.run() }
        await #expect(throws: (any Error).self) { try await member.partitionAssigned(harness.place(1)) }
        let failure = try await running.failed()
        #expect(failure?.line.contains("\(harness.place(1)) was added") == true)
        await member.end()
    }
}
