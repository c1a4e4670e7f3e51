import Foundation
import Kafka
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// Whatever happens to a member, its file, or the topic: the rows and the topic end in the same state.
@Suite(.timeLimit(.minutes(10)), .serialized) struct KeyedStateTests {
    @Test func `a change is in the topic when the merge returns, and nothing is published for what changes nothing`()
        async throws
    {
        let harness = try StateHarness()
        let member = try await harness.member()
        try await member.partitionAssigned(harness.place())
        #expect(
            try await member.merge([NumberSet("a", [1]), NumberSet("b", [5])], from: harness.place()).changed.count == 2
        )
        #expect(
            try await member.merge([NumberSet("a", [2]), NumberSet("a", [1])], from: harness.place()).changed.count == 1
        )
        #expect(try await member.merge([NumberSet("a", [1, 2])], from: harness.place()).changed.count == 0)
        #expect(try await harness.lastWords() == ["a": "a=1,2", "b": "b=5"])
        #expect(try await harness.published().count == 3)
        await member.end()
    }

    @Test func `a lost disk is restored from the topic before the first record`() async throws {
        let harness = try StateHarness(partitions: 3)
        let first = try await harness.member("first")
        for partition: Int32 in 0..<3 {
            try await first.partitionAssigned(harness.place(partition))
            let states = (0..<40).map { NumberSet("\(partition).\($0)", [Int(partition), $0]) }
            _ = try await first.merge(states, from: harness.place(partition))
        }
        let expected = try first.dump()
        #expect(expected.count == 120)
        await first.end()

        let second = try await harness.member("second")
        for partition: Int32 in 0..<3 { try await second.partitionAssigned(harness.place(partition)) }
        #expect(try second.dump() == expected)
        #expect(second.obstacle == nil)
        let before = try await harness.published().count
        _ = try await second.merge([NumberSet("0.7", [0, 7])], from: harness.place())
        #expect(try await harness.published().count == before)
        await second.end()
    }

    @Test func `a member that comes back with an old file ends in the same state`() async throws {
        let harness = try StateHarness()
        let old = try await harness.member("old")
        try await old.partitionAssigned(harness.place())
        _ = try await old.merge([NumberSet("a", [1])], from: harness.place())
        await old.end()
        let other = try await harness.member("other")
        try await other.partitionAssigned(harness.place())
        _ = try await other.merge([NumberSet("a", [2]), NumberSet("b", [3])], from: harness.place())
        await other.end()

        let again = try await harness.member("old")
        try await again.partitionAssigned(harness.place())
        #expect(try again.dump() == ["a=1,2", "b=3"])
        #expect(try await harness.lastWords() == ["a": "a=1,2", "b": "b=3"])
        await again.end()
    }

    @Test func `a change that was never published is published when the partition comes back`() async throws {
        let harness = try StateHarness()
        // Killed between the database and the publication: the file has the change, the topic does not.
        let place = KafkaTopicPartition(topic: harness.output, partition: 0)
        let store = try StateFile(
            path: harness.directory.file("state"),
            logger: Logger(label: "test", level: .debug, format: .json, sink: MemoryLogSink())
        ).open(
            model: NumberSetModel(), now: 0
        ) { _ in StatePublisher.Group(count: 0) }
        _ = try store.merge([NumberSet("a", [1])], in: place, at: 0)
        store.close()
        #expect(try await harness.lastWords() == [:])

        let member = try await harness.member()
        try await member.partitionAssigned(harness.place())
        #expect(try await harness.lastWords() == ["a": "a=1"])
        #expect(try member.store.counts() == (1, 0))
        await member.end()
    }

    @Test func `what a stale writer published is repaired by the owner, and what it knew is kept`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member()
        try await member.partitionAssigned(harness.place())
        _ = try await member.merge([NumberSet("a", [1, 2, 3])], from: harness.place())
        let looking = Task { try await member.run() }
        try await harness.write("a", NumberSet("a", [1, 9]).text)
        let isRepaired = await eventually(within: .seconds(20)) {
            (try? await harness.lastWords()) == ["a": "a=1,2,3,9"]
        }
        #expect(isRepaired)
        #expect(try member.dump() == ["a=1,2,3,9"])
        #expect(try member.store.counts() == (1, 0))
        looking.cancel()
        await member.end()
    }

    @Test func `a member without the partition follows it and publishes nothing`() async throws {
        let harness = try StateHarness()
        let owner = try await harness.member("owner")
        let standby = try await harness.member("standby")
        let looking = Task { try await standby.run() }
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge([NumberSet("a", [1])], from: harness.place())
        _ = try await owner.merge([NumberSet("a", [2])], from: harness.place())
        #expect(await eventually(within: .seconds(20)) { (try? standby.dump()) == ["a=1,2"] })
        try await harness.write("a", NumberSet("a", [1]).text)
        let hasRead = await eventually(within: .seconds(20)) { (try? standby.store.counts().unpublished) == 1 }
        #expect(hasRead)
        // The owner does not look here, so the stale word stays the last one.
        #expect(try await harness.published().count == 3)
        looking.cancel()
        await owner.end()
        await standby.end()
    }

    @Test func `a contribution by any member reaches the topic and the owner`() async throws {
        let harness = try StateHarness()
        let owner = try await harness.member("owner")
        let other = try await harness.member("other")
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge([NumberSet("a", [1])], from: harness.place())
        #expect(await eventually(within: .seconds(20)) { (try? other.dump()) == ["a=1"] })
        let state = try await other.contribute(to: Array("a".utf8), from: harness.input) { known in
            NumberSet(known.key, [7])
        }
        #expect(state == NumberSet("a", [1, 7]))
        #expect(await eventually(within: .seconds(20)) { (try? owner.dump()) == ["a=1,7"] })
        #expect(try await other.contribute(to: Array("b".utf8), from: harness.input) { $0 } == nil)
        await owner.end()
        await other.end()
    }

    @Test func `what time changes is published when due, once`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member(model: NumberSetModel(changesWithTime: true))
        try await member.partitionAssigned(harness.place())
        _ = try await member.merge([NumberSet("a", [5000])], from: harness.place())
        try await member.publishPending(of: KafkaTopicPartition(topic: harness.output, partition: 0))
        #expect(try await harness.lastWords() == ["a": "a=5000 ahead"])
        harness.now.store(5000, ordering: .relaxed)
        try await member.publishPending(of: KafkaTopicPartition(topic: harness.output, partition: 0))
        try await member.publishPending(of: KafkaTopicPartition(topic: harness.output, partition: 0))
        #expect(try await harness.lastWords() == ["a": "a=5000 past"])
        #expect(try await harness.published().count == 2)
        await member.end()
    }

    @Test func `what became due while nobody had the partition is published by the next owner`() async throws {
        let harness = try StateHarness()
        try await StateTestBroker.write([
            KafkaProducerRecord(
                topic: harness.output, partition: 0, timestampMilliseconds: 1_000, key: Array("a".utf8),
                value: Array("a=5000 ahead".utf8))
        ])
        harness.now.store(9_000, ordering: .relaxed)
        let member = try await harness.member(model: NumberSetModel(changesWithTime: true))
        try await member.partitionAssigned(harness.place())
        #expect(try await harness.lastWords() == ["a": "a=5000 past"])
        await member.end()
    }

    @Test func `a tombstone removes the row, and records that nobody can read are passed over`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member()
        try await member.partitionAssigned(harness.place())
        _ = try await member.merge([NumberSet("a", [1]), NumberSet("b", [2])], from: harness.place())
        try await harness.write("a", nil)
        try await harness.write("c", Array("no number set".utf8))
        try await harness.write("d", NumberSet("another key", [1]).text)
        try await harness.write("e", NumberSet("e", [3]).text)
        #expect(await eventually(within: .seconds(20)) { (try? member.dump()) == ["b=2", "e=3"] })
        await member.end()
    }

    @Test func `a second member on the same file is refused`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member()
        let refusal = await #expect(throws: StateError.self) { _ = try await harness.member() }
        #expect(refusal?.code == .ownedByAnother)
        await member.end()
    }

    @Test func `a damaged file is set aside and built anew`() async throws {
        let harness = try StateHarness()
        let first = try await harness.member()
        try await first.partitionAssigned(harness.place())
        _ = try await first.merge([NumberSet("a", [1])], from: harness.place())
        await first.end()
        _ = try harness.directory.write(Array(repeating: 0x41, count: 9000), to: "state")
        let again = try await harness.member()
        try await again.partitionAssigned(harness.place())
        #expect(try again.dump() == ["a=1"])
        let files = try FileManager.default.contentsOfDirectory(atPath: harness.directory.path)
        #expect(files.contains { $0.hasPrefix("state.damaged-") })
        await again.end()
    }
}
