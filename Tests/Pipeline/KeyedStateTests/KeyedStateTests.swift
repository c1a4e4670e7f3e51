import Foundation
import Kafka
import KafkaDevBroker
import Lifecycle
import PipelineTestSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// After any failure of a member, its file or the topic, the rows and the topic must reach the same state.
@Suite(.timeLimit(.minutes(10)), .serialized) struct KeyedStateTests {
    @Test func `a merge returns after its change is in the topic, and publishes nothing if unchanged`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member()
        try await member.partitionAssigned(harness.place())
        #expect(
            try await member.merge([NumberSet("a", [1]), NumberSet("b", [5])], from: harness.input).changed.count == 2
        )
        #expect(
            try await member.merge([NumberSet("a", [2]), NumberSet("a", [1])], from: harness.input).changed.count == 1
        )
        #expect(try await member.merge([NumberSet("a", [1, 2])], from: harness.input).changed.count == 0)
        #expect(try await harness.lastValues() == ["a": "a=1,2", "b": "b=5"])
        #expect(try await harness.published().count == 3)
        await member.end()
    }

    @Test func `a lost disk is restored from the topic before the first record`() async throws {
        let harness = try StateHarness(partitions: 3)
        let first = try await harness.member("first")
        for partition: Int32 in 0..<3 {
            try await first.partitionAssigned(harness.place(partition))
            let states = (0..<40).map { NumberSet("\(partition).\($0)", [Int(partition), $0]) }
            _ = try await first.merge(states, from: harness.input)
        }
        let expected = try await first.dump()
        #expect(expected.count == 120)
        await first.end()

        let second = try await harness.member("second")
        for partition: Int32 in 0..<3 { try await second.partitionAssigned(harness.place(partition)) }
        #expect(try await second.dump() == expected)
        #expect(second.obstacle == nil)
        let before = try await harness.published().count
        _ = try await second.merge([NumberSet("0.7", [0, 7])], from: harness.input)
        #expect(try await harness.published().count == before)
        await second.end()
    }

    @Test func `a member with an old file reaches the same state`() async throws {
        let harness = try StateHarness()
        let old = try await harness.member("old")
        try await old.partitionAssigned(harness.place())
        _ = try await old.merge([NumberSet("a", [1])], from: harness.input)
        await old.end()
        let other = try await harness.member("other")
        try await other.partitionAssigned(harness.place())
        _ = try await other.merge([NumberSet("a", [2]), NumberSet("b", [3])], from: harness.input)
        await other.end()

        let again = try await harness.member("old")
        try await again.partitionAssigned(harness.place())
        #expect(try await again.dump() == ["a=1,2", "b=3"])
        #expect(try await harness.lastValues() == ["a": "a=1,2", "b": "b=3"])
        await again.end()
    }

    @Test func `the owner repairs the record of a stale writer and keeps its facts`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member()
        try await member.partitionAssigned(harness.place())
        _ = try await member.merge([NumberSet("a", [1, 2, 3])], from: harness.input)
        try await harness.write("a", NumberSet("a", [1, 9]).text)
        let isRepaired = await eventually(within: .seconds(20)) {
            (try? await harness.lastValues()) == ["a": "a=1,2,3,9"]
        }
        #expect(isRepaired)
        #expect(try await member.dump() == ["a=1,2,3,9"])
        await member.end()
    }

    @Test func `a member without the partition follows it and publishes nothing`() async throws {
        let harness = try StateHarness()
        let owner = try await harness.member("owner")
        let standby = try await harness.member("standby")
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge([NumberSet("a", [1])], from: harness.input)
        _ = try await owner.merge([NumberSet("a", [2])], from: harness.input)
        #expect(await eventually(within: .seconds(20)) { (try? await standby.dump()) == ["a=1,2"] })
        try await harness.write("a", NumberSet("a", [1]).text)
        #expect(try await standby.dump() == ["a=1,2"])
        // Only the owner publishes the row again.
        #expect(await eventually { (try? await harness.lastValues()) == ["a": "a=1,2"] })
        #expect(try await harness.published().count == 4)
        await owner.end()
        await standby.end()
    }

    @Test func `a contribution by any member reaches the topic and the owner`() async throws {
        let harness = try StateHarness()
        let owner = try await harness.member("owner")
        let other = try await harness.member("other")
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge([NumberSet("a", [1])], from: harness.input)
        #expect(await eventually(within: .seconds(20)) { (try? await other.dump()) == ["a=1"] })
        let state = try await other.contribute(to: Array("a".utf8), from: harness.input) { known in
            NumberSet(known.key, [7])
        }
        #expect(state == NumberSet("a", [1, 7]))
        #expect(await eventually(within: .seconds(20)) { (try? await owner.dump()) == ["a=1,7"] })
        #expect(try await other.contribute(to: Array("b".utf8), from: harness.input) { $0 } == nil)
        // If requested, a missing row is created with only the contribution.
        let empty = NumberSet("c", [])
        #expect(try await other.contribute(to: Array("c".utf8), from: harness.input, orTo: empty) { _ in nil } == nil)
        let made = try await other.contribute(to: Array("c".utf8), from: harness.input, orTo: empty) { known in
            NumberSet(known.key, [3])
        }
        #expect(made == NumberSet("c", [3]))
        #expect(await eventually(within: .seconds(20)) { (try? await owner.dump()) == ["a=1,7", "c=3"] })
        await owner.end()
        await other.end()
    }

    @Test func `a value that changes with time is published once, when it is due`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member(model: NumberSetModel(changesWithTime: true)) {
            $0.tick = .seconds(3_600)
        }
        try await member.partitionAssigned(harness.place())
        _ = try await member.merge([NumberSet("a", [5000])], from: harness.input)
        // Due rows are queried from the database, which contains them only after they have been read back.
        try await member.catchUp()
        try await member.publishPending(of: harness.output())
        #expect(try await harness.lastValues() == ["a": "a=5000 ahead"])
        harness.now.store(5000, ordering: .relaxed)
        try await member.publishPending(of: harness.output())
        try await member.publishPending(of: harness.output())
        #expect(try await harness.lastValues() == ["a": "a=5000 past"])
        #expect(try await harness.published().count == 2)
        await member.end()
    }

    @Test func `the next owner publishes rows that became due while the partition had no owner`() async throws {
        let harness = try StateHarness()
        try await StateTestBroker.configuration().write([
            KafkaProducerRecord(
                topic: harness.output, partition: 0, timestampMilliseconds: 1_000, key: Array("a".utf8),
                value: Array("a=5000 ahead".utf8))
        ])
        harness.now.store(9_000, ordering: .relaxed)
        let member = try await harness.member(model: NumberSetModel(changesWithTime: true)) {
            $0.tick = .seconds(3_600)
        }
        try await member.partitionAssigned(harness.place())
        #expect(try await harness.lastValues() == ["a": "a=5000 past"])
        await member.end()
    }

    @Test func `a tombstone removes the row, and unreadable records of unknown keys are skipped`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member()
        try await member.partitionAssigned(harness.place())
        _ = try await member.merge([NumberSet("a", [1]), NumberSet("b", [2])], from: harness.input)
        try await harness.write("a", nil)
        try await harness.write("c", Array("no number set".utf8))
        try await harness.write("d", NumberSet("another key", [1]).text)
        try await harness.write("e", NumberSet("e", [3]).text)
        #expect(await eventually(within: .seconds(20)) { (try? await member.dump()) == ["b=2", "e=3"] })
        await member.end()
    }

    @Test func `derived updates are acknowledged before the state is published`() async throws {
        let harness = try StateHarness(partitions: 2)
        let keys = harness.keys
        let owner = try await harness.member(model: NumberSetModel(successors: [keys[0]: keys[1]]))
        try await owner.partitionAssigned(harness.place(0))
        // The other row's partition accepts no publications for now.
        try StateTestBroker.shared().setLeader(of: harness.output(1), to: nil)
        let merging = Task { try await owner.merge([NumberSet(keys[0], [1])], from: harness.input) }
        try await waitUntil {
            try owner.partition(harness.output(1)).known(Array(keys[1].utf8)) == NumberSet(keys[1], [1])
        }
        let isSent = try owner.partition(harness.output(0)).withLock { guarded in
            guarded.cache.entries[RowKey(Array(keys[0].utf8))]?.state.publications.isEmpty == false
        }
        #expect(!isSent)
        try StateTestBroker.shared().setLeader(of: harness.output(1), to: 1)
        _ = try await merging.value
        #expect(try await harness.lastValues() == [keys[0]: "\(keys[0])=1", keys[1]: "\(keys[1])=1"])
        await owner.end()
    }

    @Test func `a second member on the same file is refused`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member()
        let refusal = await #expect(throws: StartupError.self) { _ = try await harness.member() }
        #expect(refusal?.line.contains("Stop the other process") == true)
        await member.end()
    }

    @Test func `a damaged file is renamed and rebuilt`() async throws {
        let harness = try StateHarness()
        let first = try await harness.member()
        try await first.partitionAssigned(harness.place())
        _ = try await first.merge([NumberSet("a", [1])], from: harness.input)
        await first.end()
        _ = try harness.directory.write(Array(repeating: 0x41, count: 9000), to: "state")
        let again = try await harness.member()
        try await again.partitionAssigned(harness.place())
        #expect(try await again.dump() == ["a=1"])
        let files = try FileManager.default.contentsOfDirectory(atPath: harness.directory.path)
        #expect(files.contains { $0.hasPrefix("state.damaged-") })
        await again.end()
    }
}
