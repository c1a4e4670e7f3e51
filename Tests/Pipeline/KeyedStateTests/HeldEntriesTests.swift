import Foundation
import Kafka
import SQLite
import TestSupport
import Testing

@testable import KeyedState

/// The index of a database during a restore, without brokers.
struct HeldEntriesTests {
    private let directory: TemporaryDirectory
    private let topic: KafkaTopic = "state"

    init() throws { directory = try TemporaryDirectory() }

    private func store(_ file: String = "rows") throws -> StateStore {
        try StateStore(Database(path: directory.file(file)), topics: [topic])
    }

    private func entries(_ file: String = "rows") throws -> [String] {
        try Database.entries(of: directory.file(file))
    }

    private func write(_ rows: [RowWrite]) -> StateWrite {
        StateWrite(rows: rows, partition: KafkaTopicPartition(topic: topic, partition: 0), next: 1, now: 0)
    }

    private func row(_ key: String, id: Int64 = 0, _ numbers: Set<Int>?, after old: Set<Int> = []) -> RowWrite {
        let model = NumberSetModel()
        func entries(_ numbers: Set<Int>) -> [IndexEntry] { model.indexEntries(of: NumberSet(key, numbers)) }
        let image = numbers.map {
            RowImage(encoded: NumberSet(key, $0).text, entries: entries($0))
        }
        return RowWrite(key: Array(key.utf8), id: id, image: image, oldEntries: entries(old))
    }

    @Test func `held entries produce the same index as direct writes, in any order of rows`() throws {
        var generator = SeededGenerator(seed: 31)
        for round in 0..<30 {
            let stores = [try store("held \(round)"), try store("direct \(round)")]
            try stores[0].holdEntries()
            var rows: [String: (id: Int64, numbers: Set<Int>)] = [:]
            for _ in 0..<60 {
                let key = "k\(Int.random(in: 0..<8, using: &generator))"
                let known = rows[key]
                let numbers: Set<Int>? =
                    known != nil && Int.random(in: 0..<4, using: &generator) == 0
                    ? nil : Set((0..<3).map { _ in Int.random(in: 0..<12, using: &generator) })
                let change = write([row(key, id: known?.id ?? 0, numbers, after: known?.numbers ?? [])])
                let ids = try stores.map { try $0.apply(change) }
                #expect(ids[0] == ids[1])
                rows[key] = try numbers.map { (try #require(ids[0].first), $0) }
                if Int.random(in: 0..<10, using: &generator) == 0 { try stores[0].writeHeldEntries() }
            }
            try stores[0].releaseEntries()
            #expect(try entries("held \(round)") == entries("direct \(round)"))
            #expect(try stores[0].lacksEntries() == false)
        }
    }

    @Test func `entries of a failed transaction are not written`() throws {
        let store = try store()
        try store.holdEntries()
        _ = try store.apply(write([row("a", [1])]))
        // The second row of a key.
        #expect(throws: StateError.self) { try store.apply(write([row("b", [2]), row("a", [3])])) }
        _ = try store.apply(write([row("c", [4])]))
        try store.releaseEntries()
        #expect(try entries() == ["number 1 a", "number 4 c"])
    }

    @Test func `held entries are moved to a file when they reach the limit`() throws {
        let store = try store()
        try store.holdEntries()
        for key in ["a", "b"] { _ = try store.apply(write([row(key, Set(0..<60_000))])) }
        #expect(try store.change { $0.held?.count } == 120_000)
        _ = try store.apply(write([row("c", [1])]))
        #expect(try store.change { $0.held?.count } == 1)
        #expect(try entries().isEmpty)
        try store.releaseEntries()
        #expect(try entries().count == 120_001)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(files.allSatisfy { !$0.contains("entries") })
    }

    @Test func `entries with too many names are written at once`() throws {
        let store = try store()
        try store.holdEntries()
        let image = RowImage(encoded: Array("row".utf8), entries: (0..<70).map { IndexEntry("name \($0)", "v") })
        _ = try store.apply(write([RowWrite(key: [1], id: 0, image: image, oldEntries: [])]))
        #expect(try entries().isEmpty)
        _ = try store.apply(write([row("c", [1])]))
        #expect(try entries().count == 70)
        try store.releaseEntries()
        #expect(try entries().count == 71)
    }

    @Test func `values that share their first bytes are separate entries`() throws {
        let store = try store()
        try store.holdEntries()
        let values = ["", "a", "a\0", String(repeating: "a", count: 16), String(repeating: "a", count: 17), "é"]
        func entries(_ values: [String]) -> [IndexEntry] { values.map { IndexEntry("name", $0) } }
        let image = RowImage(encoded: Array("row".utf8), entries: entries(values))
        let ids = try store.apply(write([RowWrite(key: [1], id: 0, image: image, oldEntries: [])]))
        let id = try #require(ids.first)
        let changed = RowImage(encoded: Array("row".utf8), entries: entries(Array(values.dropFirst(2)) + ["b"]))
        _ = try store.apply(write([RowWrite(key: [1], id: id, image: changed, oldEntries: image.entries)]))
        try store.releaseEntries()
        let database = try Database(path: directory.file("rows"), access: .reader)
        defer { database.close() }
        let stored = try database.rows("SELECT value FROM entries ORDER BY value") { try $0.text(0) }
        #expect(
            stored
                == (Array(values.dropFirst(2)) + ["b"]).sorted {
                    Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
                })
    }

    @Test func `deleted rows leave no index entries behind`() throws {
        let store = try store()
        try store.holdEntries()
        _ = try store.apply(write([row("a", [1])]))
        try store.forget(KafkaTopicPartition(topic: topic, partition: 0))
        try store.releaseEntries()
        #expect(try entries().isEmpty)
    }

    private func indexes() throws -> [String] {
        let database = try Database(path: directory.file("rows"), access: .reader)
        defer { database.close() }
        return try database.rows("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY 1") {
            try $0.text(0)
        }
    }

    @Test func `the indexes of rows are created when a restore ends`() throws {
        let store = try store()
        let all = try indexes()
        #expect(all == ["rows_behind", "rows_deadline", "rows_due", "rows_key"])
        try store.holdEntries()
        try store.dropIndexes()
        #expect(try indexes() == ["rows_behind", "rows_deadline", "rows_due"])
        _ = try store.apply(write([row("a", [1]), row("b", [2])]))
        try store.releaseEntries()
        #expect(try indexes() == all)
    }

    @Test(arguments: [(5, nil), (nil, 5)] as [(Int64?, Int64?)])
    func `the indexes of times are dropped before the first row with a time`(due: Int64?, deadline: Int64?) throws {
        let store = try store()
        let all = try indexes()
        try store.dropIndexes()
        _ = try store.apply(write([row("a", [1])]))
        #expect(try indexes() == ["rows_behind", "rows_deadline", "rows_due"])
        let image = RowImage(encoded: NumberSet("b", [1]).text, due: due, deadline: deadline)
        _ = try store.apply(write([RowWrite(key: Array("b".utf8), id: 0, image: image, oldEntries: [])]))
        #expect(try indexes() == ["rows_behind"])
        try store.createIndexes()
        #expect(try indexes() == all)
        let later = RowImage(encoded: NumberSet("c", [1]).text, due: due, deadline: deadline)
        _ = try store.apply(write([RowWrite(key: Array("c".utf8), id: 0, image: later, oldEntries: [])]))
        #expect(try indexes() == all)
    }

    @Test func `two rows with the same key are reported as damage`() throws {
        let store = try store()
        try store.dropIndexes()
        _ = try store.apply(write([row("a", [1]), row("a", [2])]))
        let error = #expect(throws: StateError.self) { try store.createIndexes() }
        #expect(error?.code == .damaged)
    }

    @Test func `a row is found by its id without indexes, and otherwise creates them`() throws {
        let store = try store()
        let place = KafkaTopicPartition(topic: topic, partition: 0)
        let rows = try StateRowSource(
            path: directory.file("rows"), topics: store.topics, store: store, connections: 1)
        try store.dropIndexes()
        let ids = try store.apply(write([row("a", [1]), row("b", [2])]))
        #expect(try rows.row(of: Array("a".utf8), id: ids[0], in: place)?.image.encoded == NumberSet("a", [1]).text)
        // The id belongs to the row of another key.
        #expect(try rows.row(of: Array("a".utf8), id: ids[1], in: place) == nil)
        #expect(try !indexes().contains("rows_key"))
        #expect(try rows.row(of: Array("b".utf8), in: place)?.id == ids[1])
        #expect(try indexes().contains("rows_key"))
        rows.close()
    }

    @Test(arguments: [false, true])
    func `due rows are found during a restore`(byDeadline: Bool) throws {
        let store = try store()
        let place = KafkaTopicPartition(topic: topic, partition: 0)
        let rows = try StateRowSource(
            path: directory.file("rows"), topics: store.topics, store: store, connections: 1)
        try store.dropIndexes()
        let image = RowImage(encoded: NumberSet("a", [1]).text, due: 5, deadline: 5)
        let key = Array("a".utf8)
        _ = try store.apply(write([RowWrite(key: key, id: 0, image: image, oldEntries: [])]))
        let found =
            try byDeadline
            ? rows.deadlines(of: place, upTo: 5, atMost: 10).map(\.key) : rows.pending(of: place, at: 5, atMost: 10)
        #expect(found == [key])
        #expect(try indexes().contains("rows_due"))
        rows.close()
    }

    @Test func `a file is marked as incomplete until its index is rebuilt`() throws {
        let first = try store()
        #expect(try first.lacksEntries() == false)
        try first.holdEntries()
        _ = try first.apply(write([row("a", [1, 2])]))
        #expect(try first.lacksEntries() == false)
        first.close()
        let second = try store()
        #expect(try second.lacksEntries())
        try second.holdEntries()
        let model = NumberSetModel()
        try second.rebuildEntries { try model.indexEntries(of: model.decode($0)) }
        try second.releaseEntries()
        #expect(try second.lacksEntries() == false)
        #expect(try entries() == ["number 1 a", "number 2 a"])
    }
}

extension Database {
    /// Returns the index entries of a keyed state's file, each with the key of its row.
    static func entries(of path: String) throws -> [String] {
        let database = try Database(path: path, access: .reader)
        defer { database.close() }
        return try database.rows("SELECT name, value, key FROM entries LEFT JOIN rows ON id = row ORDER BY 1, 2, 3") {
            let key = try $0.isNull(2) ? "no row" : String(decoding: try $0.blob(2), as: UTF8.self)
            return "\(try $0.text(0)) \(try $0.text(1)) \(key)"
        }
    }

    /// Returns the rows of a keyed state's file with all columns except their ids, and the applied positions.
    static func rows(of path: String) throws -> [String] {
        let database = try Database(path: path, access: .reader)
        defer { database.close() }
        let rows = try database.rows(
            """
            SELECT name || '/' || partition || ' ' || CAST(key AS TEXT) || ' ' || CAST(state AS TEXT) || ' form ' || form
            || ' behind ' || behind || ' due ' || ifnull(due, '-') || ' deadline ' || ifnull(deadline, '-') || ' proposal '
            || ifnull(proposal_offset, '-') || ' ' || ifnull(hex(proposal), '-')
            FROM rows JOIN topics ON topics.id = topic ORDER BY 1
            """
        ) { try $0.text(0) }
        let positions = try database.rows(
            """
            SELECT name || '/' || partition || ' next ' || next || ' form ' || form
            FROM positions JOIN topics ON topics.id = topic ORDER BY 1
            """
        ) { try $0.text(0) }
        return rows + positions
    }
}
