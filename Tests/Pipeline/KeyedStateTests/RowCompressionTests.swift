import Kafka
import PipelineTestSupport
import SQLite
import TestSupport
import Testing
import Zstandard

@testable import KeyedState

/// Rows that are stored compressed.
struct RowCompressionTests {
    private let directory: TemporaryDirectory
    private let place = KafkaTopicPartition(topic: "state", partition: 0)
    private let dictionary = Array("a=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,".utf8)

    init() throws { directory = try TemporaryDirectory() }

    private func store(_ dictionary: [UInt8]) throws -> StateStore {
        try StateStore(Database(path: directory.file("rows")), topics: [place.topic], dictionary: dictionary)
    }

    private func source(_ store: StateStore, _ dictionary: [UInt8]) throws -> StateRowSource {
        try StateRowSource(
            path: directory.file("rows"), topics: store.topics, dictionary: dictionary, connections: 1)
    }

    private func write(_ rows: [String: [UInt8]], to store: StateStore) throws {
        let writes = rows.map { key, row in
            RowWrite(
                key: Array(key.utf8), id: 0, image: RowImage(encoded: row, entries: [IndexEntry("key", key)]),
                oldEntries: [])
        }
        _ = try store.apply(StateWrite(rows: writes, partition: place, next: 1, now: 0))
    }

    private func size(of key: String) throws -> Int64 {
        let database = try Database(path: directory.file("rows"), access: .reader)
        defer { database.close() }
        return try database.firstRow("SELECT length(state) FROM rows WHERE key = ?", [.blob(Array(key.utf8))]) {
            try $0.integer(0)
        } ?? -1
    }

    @Test func `rows with any content are read back as written`() throws {
        var generator = SeededGenerator(seed: 21)
        var rows: [String: [UInt8]] = [
            "empty": [], "short": Array("a=1".utf8), "long": Array(String(repeating: "a=1,2,3,", count: 200).utf8),
            "like a frame": [0x28, 0xB5, 0x2F, 0xFD], "like a frame with content": [0x28, 0xB5, 0x2F, 0xFD, 1, 2, 3],
        ]
        rows["a frame"] = try #require(rows["long"]).withUnsafeBytes {
            try Compressor(dictionary: dictionary, level: 1).compress($0) { Array($0) }
        }
        rows["random"] = (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let store = try store(dictionary)
        try write(rows, to: store)
        let source = try source(store, dictionary)
        for (key, row) in rows { #expect(try source.row(of: Array(key.utf8), in: place)?.image.encoded == row) }
        #expect(try Set(source.states()) == Set(rows.values))
        #expect(try size(of: "short") == 3)
        #expect(try size(of: "long") < 160)
        #expect(try size(of: "random") == 5_000)
        source.close()
    }

    @Test func `a damaged row is reported as damage`() throws {
        let store = try store(dictionary)
        try write(["a": NumberSet("a", Set(1...400)).text], to: store)
        store.close()
        let database = try Database(path: directory.file("rows"))
        try database.run("UPDATE rows SET state = CAST(substr(state, 1, length(state) - 4) AS BLOB)")
        database.close()
        let again = try self.store(dictionary)
        let source = try source(again, dictionary)
        let error = #expect(throws: StateError.self) { _ = try source.row(of: Array("a".utf8), in: place) }
        #expect(error?.code == .damaged)
        source.close()
    }

    @Test func `a file with another dictionary is read again from the topics`() throws {
        let first = try store(dictionary)
        try write(["a": NumberSet("a", Set(1...400)).text], to: first)
        first.close()
        let same = try store(dictionary)
        #expect(try same.position(of: place)?.next == 1 && size(of: "a") > 0)
        same.close()
        let other = try store(dictionary + [0])
        #expect(try other.position(of: place) == nil && size(of: "a") == -1)
        other.close()
        #expect(try Database.entries(of: directory.file("rows")).isEmpty)
    }
}
