import Kafka
import PipelineTestSupport
import TestSupport
import Testing

@testable import KeyedState

@Suite(.timeLimit(.minutes(2))) struct RestoredKeysTests {
    @Test func `a repeated key in a restore finds its row`() async throws {
        let harness = try StateHarness()
        // More records than are applied at once, so the first row is no longer in memory.
        let others = (0..<1_500).map { NumberSet("k\($0)", [1]) }
        let states = [NumberSet("p", [1])] + others + [NumberSet("p", [2])]
        try await harness.kafka.write(
            states.map { KafkaProducerRecord(topic: harness.output, key: Array($0.key.utf8), value: $0.text) })
        let member = try await harness.member()
        let rows = try await member.dump()
        #expect(rows.count == 1_501 && rows.last == "p=1,2")
        await member.end()
    }

    @Test func `a restore ends when everything is read`() async throws {
        let harness = try StateHarness()
        try await harness.write("p", NumberSet("p", [1]).text)
        let member = try await harness.member()
        #expect(try await member.dump() == ["p=1"])
        let partition = try member.partition(harness.output())
        #expect(await eventually { partition.withLock { $0.restored == nil } })
        await member.end()
    }

    @Test func `only an empty database is restored`() async throws {
        let harness = try StateHarness()
        try await harness.write("p", NumberSet("p", [1]).text)
        let first = try await harness.member()
        #expect(try await first.dump() == ["p=1"])
        await first.end()
        let again = try await harness.member()
        #expect(try again.parts().database.rows.isEmpty() == false)
        #expect(try again.partition(harness.output()).withLock { $0.restored == nil })
        await again.end()
    }

    @Test func `a row's id is known from the commit of the row to its deletion`() {
        var keys = RestoredKeys()
        #expect(keys.id(of: [1]) == 0)
        keys.insert([1])
        #expect(keys.id(of: [1]) == 0 && keys.mayHold([1]))
        keys.insert([1], id: 7)
        #expect(keys.id(of: [1]) == 7)
        keys.insert([1], id: 0)
        #expect(keys.id(of: [1]) == 0)
        keys.insert([1], id: 9)
        #expect(keys.id(of: [1]) == 9 && keys.isComplete)
    }

    @Test func `two rows with the same hash are looked up in the database`() {
        var keys = RestoredKeys()
        keys.insert([1], id: 7)
        // The id that another key with the same hash would have.
        keys.insert([1], id: 8)
        #expect(!keys.isComplete && keys.id(of: [1]) == nil && keys.mayHold([1]) && keys.mayHold([2]))
    }

    @Test func `with many partitions fewer keys are recorded for each`() {
        var keys = RestoredKeys(partitions: 2_400)
        for number in 0..<UInt32(1_000) { withUnsafeBytes(of: number) { keys.insert(Array($0)) } }
        #expect(keys.isComplete)
        keys.insert([1])
        #expect(!keys.isComplete)
    }

    @Test func `keys are recorded by their hashes up to a limit`() {
        var keys = RestoredKeys()
        keys.insert([1])
        #expect(keys.mayHold([1]) && !keys.mayHold([2]))
        for number in 0...UInt32(98_000) { withUnsafeBytes(of: number) { keys.insert(Array($0)) } }
        #expect(!keys.isComplete && keys.mayHold([2]))
    }
}
