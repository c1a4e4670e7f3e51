import Foundation
import Kafka
import SQLite
import TestSupport
import Testing

@testable import KeyedState

/// Restores that write the database without a log.
@Suite(.timeLimit(.minutes(2))) struct DirectWritesTests {
    private func mode(of path: String) throws -> String? {
        let database = try Database(path: path, access: .reader)
        defer { database.close() }
        return try database.firstRow("PRAGMA journal_mode") { try $0.text(0) }
    }

    private func store(_ harness: StateHarness, _ file: String = "state") throws -> StateStore {
        try StateStore(Database(path: harness.directory.file(file)), topics: [harness.output])
    }

    private func marker(_ harness: StateHarness, _ file: String = "state") -> RestoreMarker {
        RestoreMarker(database: harness.directory.file(file))
    }

    private func write(_ harness: StateHarness, _ key: String) -> StateWrite {
        let image = RowImage(encoded: NumberSet(key, [7]).text, entries: [IndexEntry("number", "7")])
        let row = RowWrite(key: Array(key.utf8), id: 0, image: image, oldEntries: [])
        return StateWrite(rows: [row], partition: harness.output(), next: 1, now: 0)
    }

    @Test func `an empty database is written without a log until the restore ends`() async throws {
        let harness = try StateHarness()
        let store = try store(harness)
        try store.beginDirectWrites(marker(harness))
        #expect(marker(harness).exists)
        #expect(try mode(of: harness.directory.file("state")) == "delete")
        _ = try store.apply(write(harness, "a"))
        try store.endDirectWrites()
        #expect(!marker(harness).exists)
        #expect(try mode(of: harness.directory.file("state")) == "wal")
        store.close()
    }

    @Test func `a restored member uses a log and leaves no marker`() async throws {
        let harness = try StateHarness()
        try await harness.write("a", NumberSet("a", [1]).text)
        let member = try await harness.member()
        #expect(await eventually { member.obstacle == nil })
        #expect(!marker(harness).exists)
        #expect(try mode(of: harness.directory.file("state")) == "wal")
        await member.end()
        #expect(try Database.entries(of: harness.directory.file("state")) == ["number 1 a"])
    }

    @Test(arguments: [false, true])
    func `the database of a killed restore is restored from the topic again`(isDamaged: Bool) async throws {
        let harness = try StateHarness()
        try await harness.write("a", NumberSet("a", [1]).text)
        // A copy of the file is what the killed process leaves.
        let killed = try store(harness, "killed")
        try killed.beginDirectWrites(marker(harness, "killed"))
        try killed.holdEntries()
        _ = try killed.apply(write(harness, "never published"))
        for suffix in ["", ".restoring"] {
            try FileManager.default.copyItem(
                atPath: harness.directory.file("killed" + suffix), toPath: harness.directory.file("state" + suffix))
        }
        killed.close()
        if isDamaged {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: harness.directory.file("state")))
            try file.seek(toOffset: 100)
            try file.write(contentsOf: [UInt8](repeating: 0xA5, count: 8_000))
            try file.close()
        }
        let member = try await harness.member()
        #expect(try await member.dump() == ["a=1"])
        #expect(await eventually { member.obstacle == nil })
        await member.end()
        #expect(!marker(harness).exists)
        #expect(try Database.entries(of: harness.directory.file("state")) == ["number 1 a"])
    }

    @Test func `a restore that is stopped is continued`() async throws {
        let harness = try StateHarness()
        let store = try store(harness)
        try store.beginDirectWrites(marker(harness))
        try store.holdEntries()
        _ = try store.apply(write(harness, "a"))
        store.close()
        #expect(!marker(harness).exists)
        // The first record is not read again.
        try await harness.write("b", NumberSet("b", [1]).text)
        try await harness.write("c", NumberSet("c", [2]).text)
        let member = try await harness.member()
        #expect(try await member.dump() == ["a=7", "c=2"])
        await member.end()
    }

    @Test func `states that are not in any topic are written with a log`() async throws {
        let harness = try StateHarness()
        let store = try store(harness)
        try store.beginDirectWrites(marker(harness))
        try store.keep([[1]: [2]], of: harness.output()) { one, _ in one }
        #expect(!marker(harness).exists)
        #expect(try mode(of: harness.directory.file("state")) == "wal")
        store.close()
        // The file has a state that is not in any topic.
        let again = try self.store(harness)
        try again.beginDirectWrites(marker(harness))
        #expect(!marker(harness).exists)
        again.close()
    }

    @Test func `a database with rows is written with a log`() async throws {
        let harness = try StateHarness()
        let store = try store(harness)
        _ = try store.apply(write(harness, "a"))
        try store.beginDirectWrites(marker(harness))
        #expect(!marker(harness).exists)
        #expect(try mode(of: harness.directory.file("state")) == "wal")
        store.close()
    }

    @Test func `the database of a restore in another process is not removed`() async throws {
        let harness = try StateHarness()
        let other = try store(harness)
        try other.beginDirectWrites(marker(harness))
        _ = try other.apply(write(harness, "a"))
        await #expect(throws: (any Error).self) { try await harness.member() }
        #expect(marker(harness).exists)
        try other.endDirectWrites()
        #expect(try Database.rows(of: harness.directory.file("state")).contains { $0.contains(" a a=7 ") })
        other.close()
    }

    @Test func `a failed transaction is rolled back without a log`() async throws {
        let harness = try StateHarness()
        let store = try store(harness)
        try store.beginDirectWrites(marker(harness))
        _ = try store.apply(write(harness, "a"))
        #expect(throws: StateError.self) { try store.apply([write(harness, "b"), write(harness, "a")]) }
        try store.endDirectWrites()
        #expect(try Database.rows(of: harness.directory.file("state")).count == 2)
        store.close()
    }
}
