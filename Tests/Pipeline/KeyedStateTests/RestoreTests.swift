import Foundation
import Kafka
import PipelineTestSupport
import SQLite
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// Restores an empty database from the topic.
@Suite(.timeLimit(.minutes(2))) struct RestoreTests {
    private static let partitions: Int32 = 3

    /// Records written by members of this and other versions and by foreign writers, and faulty records, in random
    /// order.
    private static func changelog(
        _ harness: StateHarness, _ model: NumberSetModel, seed: UInt64
    ) -> [KafkaProducerRecord] {
        var generator = SeededGenerator(seed: seed)
        let form = RecordMark.form(of: "rules")
        return (0..<900).map { number in
            // Half of the records repeat a few keys. Most of the others have a key of their own.
            let keys = Bool.random(using: &generator) ? 0..<40 : 1_000..<9_000
            let key = "k\(Int.random(in: keys, using: &generator))"
            let numbers = Set((0..<3).map { _ in Int.random(in: 1..<60, using: &generator) })
            let text = NumberSet(key, numbers).text
            let mark = { (form: Int64) in
                KafkaHeader(
                    key: RecordMark.header, value: RecordMark(writer: 7, number: UInt64(number), form: form).text)
            }
            let right = KafkaPartition(ofKey: Array(key.utf8), partitions: partitions)
            var record = KafkaProducerRecord(
                topic: harness.output, partition: right,
                timestampMilliseconds: 1_000 + Int64(Int.random(in: 0..<60, using: &generator)),
                key: Array(key.utf8), value: text)
            let row = rowHeader(of: NumberSet(key, numbers), model, at: record.timestampMilliseconds ?? 0)
            switch Int.random(in: 0..<32, using: &generator) {
            case 0..<8: record.headers = [mark(form)]
            case 20..<27: record.headers = [mark(form)] + row
            case 27: record.headers = [mark(form), StateProposal.header([UInt8(number & 255)])] + row
            case 28: record.headers = [mark(form &+ 1)] + row
            case 29:
                record.headers = [mark(form)] + row
                record.value = NumberSet(key, [61]).text
            case 30:
                record.headers = [mark(form)] + row
                record.partition = KafkaPartition(rawValue: (right.rawValue + 1) % partitions)
                record.headers.removeFirst()
            case 31: record.headers = row
            case 8: record.headers = [mark(form &+ 1)]
            case 9: record.value = nil
            case 10:
                record.value = nil
                record.headers = [KafkaHeader(key: StateHeader.expired, text: "1"), mark(form)]
            case 11: record.value = Array("no number set".utf8)
            case 12: record.value = NumberSet("another", numbers).text
            case 13: record.partition = KafkaPartition(rawValue: (right.rawValue + 1) % partitions)
            case 14: record.headers = [mark(form), StateProposal.header([UInt8(number & 255)])]
            case 15:
                record.headers = [
                    StateProposal.header([UInt8(number & 255)]), mark(form),
                    KafkaHeader(key: RecordMark.proposalOffset, text: "\(number / 8)"),
                ]
            case 16: record.value = NumberSet(key, [666]).text
            case 17: record.key = nil
            case 18: record.value = Array("\(key)=1,02,2".utf8)
            default: break
            }
            return record
        }
    }

    /// Returns the header of a row that is published in its stored form.
    private static func rowHeader(of state: NumberSet, _ model: NumberSetModel, at moment: Int64) -> [KafkaHeader] {
        let image = RowImage(
            encoded: state.text, due: model.nextChange(of: state, after: moment), deadline: model.deadline(of: state),
            entries: model.indexEntries(of: state))
        return RowHeader(image, in: state.text)?.text.map { [KafkaHeader(key: StateHeader.row, value: $0)] } ?? []
    }

    @Test(arguments: [false, true], 1...4 as ClosedRange<UInt64>)
    func `a restore produces the same rows as applying the records one by one`(
        erases: Bool, seed: UInt64
    ) async throws {
        let harness = try StateHarness(partitions: Self.partitions)
        let model = NumberSetModel(
            changesWithTime: true, hasDeadline: true, hasRounds: true, erases: erases, fingerprint: "rules")
        let records = Self.changelog(harness, model, seed: seed)
        let expected = try LocalState(
            path: harness.directory.file("expected"), model: model, topics: [harness.output],
            partitions: Self.partitions)
        for record in records { try expected.write(record) }
        expected.close()
        for place in 0..<Self.partitions {
            try await harness.kafka.write(records.filter { $0.partition?.rawValue == place })
        }
        let restored = NumberSetModel(
            changesWithTime: true, hasDeadline: true, hasRounds: true, erases: erases, fingerprint: "rules")
        let member = try await harness.member(model: restored)
        try await member.catchUp()
        #expect(await eventually { member.obstacle == nil })
        await member.end()
        // Many rows are copied without being decoded.
        #expect(restored.counts.parsed.load(ordering: .relaxed) < model.counts.parsed.load(ordering: .relaxed) - 40)
        let (path, other) = (harness.directory.file("state"), harness.directory.file("expected"))
        #expect(try Database.rows(of: path) == Database.rows(of: other))
        #expect(try Database.entries(of: path) == Database.entries(of: other))
        #expect(try Database.entries(of: path).isEmpty == false)
    }

    @Test func `an interrupted restore rebuilds its index and continues`() async throws {
        let harness = try StateHarness()
        for number in 0..<3 { try await harness.write("k\(number)", NumberSet("k\(number)", [number]).text) }
        try interrupt(harness, row: NumberSet("k0", [0]).text)
        let member = try await harness.member()
        #expect(try await member.dump() == ["k0=0", "k1=1", "k2=2"])
        #expect(await eventually { member.obstacle == nil })
        await member.end()
        #expect(
            try Database.entries(of: harness.directory.file("state")) == ["number 0 k0", "number 1 k1", "number 2 k2"])
        let database = try Database(path: harness.directory.file("state"), access: .reader)
        defer { database.close() }
        #expect(
            try database.firstRow("SELECT count(*) FROM sqlite_master WHERE name = 'rows_key'") { try $0.integer(0) }
                == 1)
    }

    @Test func `unreadable rows of an interrupted restore are restored again`() async throws {
        let harness = try StateHarness()
        for number in 0..<3 { try await harness.write("k\(number)", NumberSet("k\(number)", [number]).text) }
        try interrupt(harness, row: Array("nonsense".utf8))
        let member = try await harness.member()
        #expect(try await member.dump() == ["k0=0", "k1=1", "k2=2"])
        await member.end()
    }

    /// Creates the file of a process that ended after the first record of a restore.
    private func interrupt(_ harness: StateHarness, row: [UInt8]) throws {
        let store = try StateStore(Database(path: harness.directory.file("state")), topics: [harness.output])
        try store.holdEntries()
        try store.dropIndexes()
        let write = RowWrite(
            key: Array("k0".utf8), id: 0, image: RowImage(encoded: row, entries: [IndexEntry("number", "0")]),
            oldEntries: [])
        _ = try store.apply(
            StateWrite(rows: [write], partition: harness.output(), next: 1, now: harness.now.load(ordering: .relaxed)))
        store.close()
    }

    @Test func `a member that is stopped during a restore leaves a complete index`() async throws {
        let harness = try StateHarness()
        try await harness.write("a", NumberSet("a", [1]).text)
        let member = try await harness.member()
        #expect(await eventually { member.obstacle == nil })
        try member.parts().database.store.holdEntries()
        try await harness.write("b", NumberSet("b", [2]).text)
        try await member.catchUp()
        await member.end()
        let store = try StateStore(Database(path: harness.directory.file("state")), topics: [harness.output])
        #expect(try store.lacksEntries() == false)
        store.close()
        #expect(try Database.entries(of: harness.directory.file("state")) == ["number 1 a", "number 2 b"])
    }

    @Test func `a reader finds applied rows by index entry during a restore`() async throws {
        let harness = try StateHarness()
        let store = try StateStore(Database(path: harness.directory.file("state")), topics: [harness.output])
        let reader = try StateReader(
            path: harness.directory.file("state"), topics: store.topics, model: NumberSetModel(), store: store)
        try store.holdEntries()
        let image = RowImage(encoded: NumberSet("a", [5]).text, entries: [IndexEntry("number", "5")])
        let write = RowWrite(key: Array("a".utf8), id: 0, image: image, oldEntries: [])
        _ = try store.apply(StateWrite(rows: [write], partition: harness.output(), next: 1, now: 0))
        let output = harness.output
        let states = try await reader.read { view in
            try view.states(under: IndexEntry("number", "5"), in: output, atMost: 10)
        }
        #expect(states == [NumberSet("a", [5])])
        await reader.close()
        store.close()
    }

    @Test func `a member is not ready before its index is complete`() async throws {
        let harness = try StateHarness()
        try await harness.write("a", NumberSet("a", [1]).text)
        let member = try await harness.member()
        try await member.catchUp()
        #expect(await eventually { member.obstacle == nil })
        member.withRunning { $0.isRestoring = true }
        #expect(member.obstacle == "the state has not been read yet")
        member.withRunning { $0.isRestoring = false }
        await member.end()
    }

    @Test func `a worker without a partition is ready although nothing is restored`() async throws {
        let harness = try StateHarness()
        try await harness.write("a", NumberSet("a", [1]).text)
        let member = try await harness.member { $0.role = .worker }
        #expect(member.obstacle == nil)
        try await member.partitionAssigned(harness.place())
        #expect(await eventually { member.obstacle == nil })
        await member.end()
        #expect(try Database.entries(of: harness.directory.file("state")) == ["number 1 a"])
    }

    @Test func `the end of a restore is logged once`() async throws {
        let harness = try StateHarness()
        try await harness.write("a", NumberSet("a", [1]).text)
        let log = MemoryLogSink()
        let member = try await harness.member(log: log)
        #expect(await eventually { member.obstacle == nil })
        await member.end()
        let again = try await harness.member(log: log)
        #expect(await eventually { again.obstacle == nil })
        await again.end()
        #expect(log.lines.count { $0.contains("all partitions of the state are restored") } == 1)
    }

    @Test func `a row requested before it was written is joined with later publications`() throws {
        let directory = try TemporaryDirectory()
        let place = KafkaTopicPartition(topic: "state", partition: 0)
        let store = try StateStore(Database(path: directory.file("rows")), topics: [place.topic])
        let rows = try StateRowSource(path: directory.file("rows"), topics: store.topics, connections: 1)
        let sent = Mutex<[KafkaProducerRecord]>([])
        let model = NumberSetModel()
        let partition = StatePartition(
            place, model: model, writer: 1, rows: rows, partitionCount: 1, maximumBytes: 1 << 20,
            publish: { record, report in
                sent.withLock { $0.append(record) }
                report(
                    .success(
                        KafkaDelivery(topic: place.topic, partition: place.partition, offset: KafkaOffset(rawValue: 1)))
                )
            })
        partition.beginRestore()
        func apply(_ record: KafkaProducerRecord, at offset: Int64, meanwhile: () throws -> Void = {}) throws {
            let applied = try partition.apply([
                KafkaRecord(
                    topic: place.topic, partition: place.partition, offset: KafkaOffset(rawValue: offset),
                    timestampMilliseconds: 0, key: record.key, value: record.value, headers: record.headers)
            ])
            try meanwhile()
            partition.committed(
                try store.apply(StateWrite(applied, of: partition, next: offset + 1, now: 0)))
        }
        let state = NumberSet("a", [1])
        let mark = KafkaHeader(key: RecordMark.header, value: RecordMark(writer: 7, number: 1, form: 0).text)
        let record = KafkaProducerRecord(
            topic: place.topic, key: Array("a".utf8), value: state.text,
            headers: [mark] + Self.rowHeader(of: state, model, at: 0))
        try apply(record, at: 0) { _ = try partition.merge([NumberSet("a", [2])], at: 0, .later) }
        #expect(model.counts.parsed.load(ordering: .relaxed) == 0)
        #expect(try partition.known(Array("a".utf8)) == NumberSet("a", [1, 2]))
        try apply(#require(sent.withLock { $0.first }), at: 1)
        #expect(try rows.states() == [NumberSet("a", [1, 2]).text])
        #expect(try rows.pending(of: place, at: 0, atMost: 10) == [Array("a".utf8)])
        rows.close()
        store.close()
        #expect(try Database.entries(of: directory.file("rows")) == ["number 1 a", "number 2 a"])
    }

    @Test func `a damaged row that was restored unread is skipped by the next restore`() async throws {
        let harness = try StateHarness()
        let nonsense = Array("nonsense".utf8)
        let mark = KafkaHeader(key: RecordMark.header, value: RecordMark(writer: 7, number: 1, form: 0).text)
        let header = RowHeader(RowImage(encoded: nonsense), in: nonsense)?.text
        try await harness.write("a", NumberSet("a", [1]).text)
        try await harness.write("b", nonsense, headers: [mark, KafkaHeader(key: StateHeader.row, value: header)])
        let first = try await harness.member()
        #expect(try await first.dump() == ["a=1", "nonsense"])
        let error = await #expect(throws: StateError.self) {
            try await first.merge([NumberSet("b", [2])], from: harness.input)
        }
        #expect(error?.code == .damaged)
        await first.end()
        let second = try await harness.member()
        #expect(try await second.dump() == ["a=1"])
        try await second.partitionAssigned(harness.place())
        _ = try await second.merge([NumberSet("b", [2])], from: harness.input)
        #expect(try await second.dump() == ["a=1", "b=2"])
        await second.end()
    }

    @Test func `records published by a member are restored without decoding them`() async throws {
        let harness = try StateHarness()
        let first = try await harness.member("first", model: NumberSetModel(changesWithTime: true, hasDeadline: true))
        try await first.partitionAssigned(harness.place())
        _ = try await first.merge([NumberSet("a", [1, 5_000]), NumberSet("b", [2])], from: harness.input)
        try await first.catchUp()
        await first.end()
        let model = NumberSetModel(changesWithTime: true, hasDeadline: true)
        let second = try await harness.member("second", model: model)
        #expect(try await second.dump() == ["a=1,5000", "b=2"])
        await second.end()
        #expect(model.counts.parsed.load(ordering: .relaxed) == 0)
        let (path, other) = (harness.directory.file("first"), harness.directory.file("second"))
        #expect(try Database.rows(of: path) == Database.rows(of: other))
        #expect(try Database.entries(of: path) == Database.entries(of: other))
    }
}
