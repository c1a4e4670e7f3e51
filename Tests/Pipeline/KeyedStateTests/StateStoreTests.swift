import Kafka
import SQLite
import TestSupport
import Testing

@testable import KeyedState

/// The rows between the database and the topic, without brokers.
@Suite struct StateStoreTests {
    private let place = KafkaTopicPartition(topic: "out", partition: 0)

    private func store(_ model: NumberSetModel = NumberSetModel()) throws -> StateStore<NumberSetModel> {
        try StateStore(Database.inMemory(), model: model) { StatePublisher.Group(count: $0.count) }
    }

    private func record(_ offset: Int64, _ state: NumberSet) -> KafkaRecord {
        KafkaRecord(
            topic: place.topic, partition: place.partition, offset: KafkaOffset(rawValue: offset),
            timestampMilliseconds: 0, key: Array(state.key.utf8), value: state.text)
    }

    @Test func `the acknowledgement of an older value that stands later in the topic leaves the row unpublished`()
        throws
    {
        let store = try store()
        let one = try #require(try store.merge([NumberSet("a", [1])], in: place, at: 0).publication)
        let two = try #require(try store.merge([NumberSet("a", [2])], in: place, at: 0).publication)
        try store.settle(two, offsets: [two.changes[0].row: 0])
        #expect(try store.counts() == (1, 0))
        try store.settle(one, offsets: [one.changes[0].row: 1])
        #expect(try store.counts() == (1, 1))
        let again = try #require(try store.publishPending(of: place, at: 0, atMost: 10))
        try store.settle(again, offsets: [again.changes[0].row: 2])
        #expect(try store.counts() == (1, 0))
        #expect(again.changes[0].value == NumberSet("a", [1, 2]).text)
    }

    @Test func `what is on its way is not sent again, and what was refused is`() throws {
        let store = try store()
        let one = try #require(try store.merge([NumberSet("a", [1])], in: place, at: 0).publication)
        #expect(try store.publishPending(of: place, at: 0, atMost: 10) == nil)
        try store.settle(one, offsets: [:])
        let again = try #require(try store.publishPending(of: place, at: 0, atMost: 10))
        #expect(again.changes.map(\.value) == [NumberSet("a", [1]).text])
    }

    @Test func `a record that comes again is not done before its first change is published`() throws {
        let store = try store()
        let one = try #require(try store.merge([NumberSet("a", [1])], in: place, at: 0).publication)
        try store.settle(one, offsets: [:])
        let again = try store.merge([NumberSet("a", [1])], in: place, at: 0)
        #expect(again.changed.isEmpty)
        #expect(again.publication?.changes.count == 1)
    }

    @Test func `own publications read back change nothing, acknowledged or not`() throws {
        let store = try store()
        let one = try #require(try store.merge([NumberSet("a", [1])], in: place, at: 0).publication)
        let two = try #require(try store.merge([NumberSet("a", [2])], in: place, at: 0).publication)
        try store.settle(one, offsets: [one.changes[0].row: 0])
        // The second one is read before its acknowledgement is.
        let followed = try store.follow(
            [record(0, NumberSet("a", [1])), record(1, NumberSet("a", [1, 2]))], of: place, at: 0)
        #expect(followed.merged == 0)
        #expect(followed.behind == 0)
        try store.settle(two, offsets: [two.changes[0].row: 1])
        #expect(try store.counts() == (1, 0))
        #expect(try store.publishPending(of: place, at: 0, atMost: 10) == nil)
    }

    @Test func `foreign records older than the last publication are merged and republished`() throws {
        let store = try store()
        // Ours waited while another wrote more, then came behind it and was acknowledged before that was read.
        let one = try #require(try store.merge([NumberSet("a", [1])], in: place, at: 0).publication)
        try store.settle(one, offsets: [one.changes[0].row: 8])
        let followed = try store.follow([record(5, NumberSet("a", [1, 2]))], of: place, at: 0)
        #expect(followed.behind == 1)
        #expect(try store.counts() == (1, 1))
        _ = try store.follow([record(8, NumberSet("a", [1]))], of: place, at: 0)
        let again = try #require(try store.publishPending(of: place, at: 0, atMost: 10))
        #expect(again.changes.map(\.value) == [NumberSet("a", [1, 2]).text])
    }

    @Test func `a tombstone in front of an own word removes nothing`() throws {
        let store = try store()
        let one = try #require(try store.merge([NumberSet("a", [1])], in: place, at: 0).publication)
        try store.settle(one, offsets: [one.changes[0].row: 8])
        let tombstone = KafkaRecord(
            topic: place.topic, partition: place.partition, offset: 5, key: Array("a".utf8), value: nil)
        _ = try store.follow([tombstone], of: place, at: 0)
        #expect(try store.counts() == (1, 0))
    }

    @Test func `a tombstone does not remove what is changed and not published yet`() throws {
        let store = try store()
        _ = try store.merge([NumberSet("a", [1])], in: place, at: 0)
        let tombstone = KafkaRecord(
            topic: place.topic, partition: place.partition, offset: 0, key: Array("a".utf8), value: nil)
        _ = try store.follow([tombstone], of: place, at: 0)
        #expect(try store.counts() == (1, 1))
    }

    @Test func `a row and its tombstone read together leave nothing`() throws {
        let store = try store()
        let tombstone = KafkaRecord(
            topic: place.topic, partition: place.partition, offset: 1, key: Array("a".utf8), value: nil)
        _ = try store.follow([record(0, NumberSet("a", [1])), tombstone], of: place, at: 0)
        #expect(try store.counts() == (0, 0))
    }

    @Test func `a topic begun anew is given everything again, or everything is forgotten`() throws {
        let store = try store()
        _ = try store.follow([record(0, NumberSet("a", [1]))], of: place, at: 0)
        #expect(try store.counts() == (1, 0))
        try store.beginAnew(place, keepsRows: true)
        #expect(try store.counts() == (1, 1))
        #expect(try store.position(of: place) == nil)
        try store.beginAnew(place, keepsRows: false)
        #expect(try store.counts() == (0, 0))
    }

    /// Each prefix of the work, with a crash behind it and everything done again: the same rows.
    @Test func `merging is the same in every order and number`() throws {
        var numbers = SeededGenerator(seed: 7)
        let states = (0..<60).map { NumberSet("k\($0 % 7)", [$0, $0 / 2]) }
        let expected = try store()
        for state in states { _ = try expected.merge([state], in: place, at: 0) }
        for _ in 0..<20 {
            let store = try store()
            var shuffled = (states + states).shuffled(using: &numbers)
            while !shuffled.isEmpty {
                let count = Int.random(in: 1...shuffled.count, using: &numbers)
                _ = try store.merge(Array(shuffled.prefix(count)), in: place, at: 0)
                shuffled.removeFirst(count)
            }
            #expect(
                try store.states().map(\.text).sorted(by: { $0.lexicographicallyPrecedes($1) })
                    == expected.states().map(\.text).sorted(by: { $0.lexicographicallyPrecedes($1) }))
        }
    }

    @Test func `what a state says about other keys is merged and published with it`() throws {
        let store = try store(NumberSetModel(follower: ["a": "b", "b": "c", "c": "a"]))
        store.learn(12, of: place.topic)
        let merge = try store.merge([NumberSet("a", [1])], in: place, at: 0)
        #expect(merge.changed.map(\.key).sorted() == ["a", "b", "c"])
        let changes = try #require(merge.publication?.changes)
        for change in changes where change.key != Array("a".utf8) {
            #expect(change.partition.partition == KafkaPartition(ofKey: change.key, partitions: 12))
        }
        #expect(try store.merge([NumberSet("c", [2])], in: place, at: 0).changed.count == 3)
        #expect(try store.states().allSatisfy { $0.numbers == [1, 2] })
    }

    @Test func `what follows from a record of the topic is left to be published by the owner`() throws {
        let store = try store(NumberSetModel(follower: ["a": "b"]))
        _ = try store.follow([record(0, NumberSet("b", [1])), record(1, NumberSet("a", [2]))], of: place, at: 0)
        #expect(try store.states().first { $0.key == "b" }?.numbers == [1, 2])
        #expect(try store.counts() == (2, 1))
        let pending = try #require(try store.publishPending(of: place, at: 0, atMost: 10))
        #expect(pending.changes.map(\.value) == [NumberSet("b", [1, 2]).text])
    }

    @Test func `a file of the first schema keeps its rows, and what was not published yet`() throws {
        let database = try Database.inMemory()
        try database.migrate([StateSchema.migrations[0]])
        func hex(_ bytes: [UInt8]) -> String {
            "x'\(bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'"
        }
        for (name, mark, published, publishedMark) in [("a", 7, 3, 7), ("b", 9, 4, 8)] {
            let key = hex(Array(name.utf8)), state = hex(NumberSet(name, [1]).text)
            try database.executeScript(
                """
                INSERT INTO rows (topic, partition, key, state, mark, published, published_mark)
                VALUES ('out', 0, \(key), \(state), \(mark), \(published), \(publishedMark));
                """)
        }
        let store = try StateStore(database, model: NumberSetModel()) { StatePublisher.Group(count: $0.count) }
        #expect(try store.states() == [NumberSet("a", [1]), NumberSet("b", [1])])
        #expect(try store.counts() == (2, 1))
        let pending = try #require(try store.publishPending(of: place, at: 0, atMost: 10))
        #expect(pending.changes.map(\.key) == [Array("b".utf8)])
    }

    @Test func `rows used lately are kept, within bounds`() {
        var cache = RowCache<NumberSet>(maximumBytes: 1600)
        func name(_ number: Int) -> RowName { RowName(topic: place.topic, key: Array("\(number)".utf8)) }
        for number in 0..<100 {
            let row = StoredRow(partition: place, key: name(number).key, state: NumberSet("\(number)", [number]))
            row.size = 100
            cache.put(row, name(number))
        }
        let kept = (0..<100).filter { cache.take(name($0)) != nil }
        #expect(kept.contains(99) && !kept.contains(0))
        #expect(kept.count <= 34)
        #expect(cache.take(name(99)) == nil)
    }
}
