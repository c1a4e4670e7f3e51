import Kafka
import Synchronization
import TestSupport
import Testing

@testable import KeyedState

/// Applies rows of the topic to the database, without brokers.
@Suite struct LocalStateTests {
    private let directory: TemporaryDirectory
    private let topic: KafkaTopic = "out"

    init() throws { directory = try TemporaryDirectory() }

    private func state(
        _ model: NumberSetModel = NumberSetModel(), file: String = "state", partitions: Int32 = 1
    ) throws -> LocalState<NumberSetModel> {
        try LocalState(path: directory.file(file), model: model, topics: [topic], partitions: partitions)
    }

    private func record(_ key: String, _ value: String?, headers: [KafkaHeader] = []) -> KafkaProducerRecord {
        KafkaProducerRecord(
            topic: topic, timestampMilliseconds: 0, key: Array(key.utf8), value: value.map { Array($0.utf8) },
            headers: headers)
    }

    private func text(_ states: [NumberSet]) -> [String] {
        states.map { String(decoding: $0.text, as: UTF8.self) }.sorted()
    }

    private func values(_ log: [KafkaRecord]) -> [String] {
        log.map { $0.value.map { String(decoding: $0, as: UTF8.self) } ?? "tombstone" }
    }

    @Test func `a repeated record publishes nothing`() throws {
        let state = try state()
        try state.merge([NumberSet("a", [1])], in: topic, at: 0)
        try state.merge([NumberSet("a", [1])], in: topic, at: 0)
        #expect(values(state.log) == ["a=1"])
    }

    @Test func `a row is published again after an incomplete record, with the facts of the record`() throws {
        let state = try state()
        try state.merge([NumberSet("a", [1, 2])], in: topic, at: 0)
        try state.write(record("a", "a=1,9"))
        #expect(text(try state.states()) == ["a=1,2,9"])
        #expect(try state.publishPending(at: 0) == 1)
        #expect(values(state.log).last == "a=1,2,9")
        #expect(try state.publishPending(at: 0) == 0)
    }

    @Test func `an unreadable record of a known key is replaced, and one of an unknown key is skipped`() throws {
        let state = try state()
        try state.merge([NumberSet("a", [1])], in: topic, at: 0)
        try state.write(record("a", "no number set"))
        try state.write(record("b", "no number set"))
        try state.write(record("c", "another=1"))
        #expect(text(try state.states()) == ["a=1"])
        #expect(try state.publishPending(at: 0) == 1)
        #expect(values(state.log).last == "a=1")
        #expect(try state.publishPending(at: 0) == 0)
    }

    @Test func `a record of a newer format is an error and changes nothing`() throws {
        let state = try state()
        try state.merge([NumberSet("a", [1])], in: topic, at: 0)
        let error = #expect(throws: StateError.self) { try state.write(record("a", "v2 a=1")) }
        #expect(error?.code == .newer)
        #expect(text(try state.states()) == ["a=1"])
    }

    @Test func `a member's own records are not parsed`() throws {
        let model = NumberSetModel()
        let state = try state(model)
        for number in 0..<20 { try state.merge([NumberSet("a", [number])], in: topic, at: 0) }
        #expect(model.counts.parsed.load(ordering: .relaxed) == 0)
        try state.write(record("a", "a=1"))
        #expect(model.counts.parsed.load(ordering: .relaxed) == 1)
    }

    @Test func `an expired row gets a tombstone and is removed from the database`() throws {
        let state = try state(NumberSetModel(expires: true))
        try state.merge([NumberSet("a", [500]), NumberSet("b", [900])], in: topic, at: 0)
        #expect(try state.publishPending(at: 499) == 0)
        #expect(try state.publishPending(at: 500) == 1)
        #expect(text(try state.states()) == ["b=900"])
        #expect(values(state.log) == ["a=500", "b=900", "tombstone"])
        // A later state creates a new row.
        try state.merge([NumberSet("a", [700])], in: topic, at: 500)
        #expect(text(try state.states()) == ["a=700", "b=900"])
    }

    @Test func `a tombstone removes the row, and has no effect without a row`() throws {
        let state = try state()
        try state.merge([NumberSet("a", [1])], in: topic, at: 0)
        try state.write(record("a", nil))
        try state.write(record("b", nil))
        #expect(try state.states() == [])
        #expect(try state.publishPending(at: 0) == 0)
    }

    @Test func `derived updates are published in the partitions of their keys`() throws {
        let state = try state(NumberSetModel(successors: ["a": "b", "b": "c", "c": "a"]), partitions: 12)
        try state.merge([NumberSet("a", [1]), NumberSet("c", [2])], in: topic, at: 0)
        #expect(text(try state.states()) == ["a=1,2", "b=1,2", "c=1,2"])
        for record in state.log {
            #expect(record.partition == KafkaPartition(ofKey: record.key ?? [], partitions: 12))
        }
    }

    @Test func `a record in a partition other than its key's is skipped`() throws {
        let state = try state(partitions: 12)
        var wrong = record("a", "a=1")
        let right = KafkaPartition(ofKey: Array("a".utf8), partitions: 12)
        wrong.partition = KafkaPartition(rawValue: (right.rawValue + 1) % 12)
        try state.write(wrong)
        #expect(try state.states() == [])
    }

    @Test func `a state that cannot be merged does not affect the other states of its batch`() throws {
        let state = try state()
        try state.merge([NumberSet("a", [1])], in: topic, at: 0)
        #expect(throws: NumberSetModel.Poison.self) {
            try state.merge([NumberSet("a", [666]), NumberSet("a", [2])], in: topic, at: 0)
        }
        // The other states of the batch are merged.
        #expect(try state.state(of: Array("a".utf8), in: topic) == NumberSet("a", [1, 2]))
    }

    @Test func `merging yields the same rows in any order and number`() throws {
        var numbers = SeededGenerator(seed: 7)
        let states = (0..<60).map { NumberSet("k\($0 % 7)", [$0, $0 / 2]) }
        let expected = try state(file: "expected")
        for one in states { try expected.merge([one], in: topic, at: 0) }
        for round in 0..<10 {
            let state = try state(file: "round \(round)")
            var shuffled = (states + states).shuffled(using: &numbers)
            while !shuffled.isEmpty {
                let count = Int.random(in: 1...shuffled.count, using: &numbers)
                try state.merge(Array(shuffled.prefix(count)), in: topic, at: 0)
                shuffled.removeFirst(count)
            }
            #expect(text(try state.states()) == text(try expected.states()))
            // The log alone must produce the same rows.
            let copy = try self.state(file: "copy \(round)")
            for record in state.log {
                try copy.write(KafkaProducerRecord(topic: topic, key: record.key, value: record.value))
            }
            #expect(text(try copy.states()) == text(try expected.states()))
        }
    }

    @Test func `a reopened file continues at its position`() throws {
        let first = try state()
        try first.merge([NumberSet("a", [1])], in: topic, at: 0)
        first.close()
        let second = try state()
        #expect(try second.state(of: Array("a".utf8), in: topic) == NumberSet("a", [1]))
        second.close()
    }
}
