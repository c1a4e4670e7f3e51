import Foundation
import TestSupport
import Testing

@testable import KeyedState

/// Held index entries in sorted runs.
struct EntryRunsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private struct Written: Hashable {
        let name: String
        let value: String
        let row: Int64
        let isPresent: Bool

        init(_ name: String, _ value: String, _ row: Int64, isPresent: Bool = true) {
            (self.name, self.value, self.row, self.isPresent) = (name, value, row, isPresent)
        }
    }

    private func written(_ held: inout HeldEntries) throws -> [Written] {
        let merge = try #require(try held.merged())
        var written: [Written] = []
        while let entry = try merge.next() {
            written.append(
                Written(
                    String(decoding: held.names[entry.name], as: UTF8.self),
                    String(decoding: entry.value, as: UTF8.self), entry.row, isPresent: entry.isPresent))
        }
        return written
    }

    private func append(_ entries: [Written], to held: inout HeldEntries) {
        for entry in entries {
            held.append(IndexEntry(entry.name, entry.value), of: entry.row, isPresent: entry.isPresent)
        }
    }

    @Test func `runs are merged in the order of names, values and rows`() throws {
        var held = HeldEntries(path: directory.file("entries"))
        append([Written("n", "b", 1), Written("n", "a", 2), Written("n", "a", 1)], to: &held)
        try held.moveToRun()
        #expect(held.count == 0 && !held.isEmpty)
        append([Written("m", "c", 3), Written("n", "ab", 1), Written("n", "", 9)], to: &held)
        try held.moveToRun()
        append([Written("z", "", 1), Written("n", "a", 3)], to: &held)
        #expect(
            try written(&held) == [
                Written("m", "c", 3), Written("n", "", 9), Written("n", "a", 1), Written("n", "a", 2),
                Written("n", "a", 3), Written("n", "ab", 1), Written("n", "b", 1), Written("z", "", 1),
            ])
    }

    @Test func `changes to the same entry keep their order across runs`() throws {
        var held = HeldEntries(path: directory.file("entries"))
        let changes = [true, false, true, false, false, true].map { Written("n", "v", 1, isPresent: $0) }
        for first in stride(from: 0, to: changes.count, by: 2) {
            append(Array(changes[first..<first + 2]), to: &held)
            if first < 4 { try held.moveToRun() }
        }
        #expect(try written(&held) == changes)
    }

    @Test func `values of any length are read back`() throws {
        var held = HeldEntries(path: directory.file("entries"))
        let lengths = [0, 1, 16, 17, 65_512, 65_536, 300_000]
        let entries = lengths.map { Written("n", String(repeating: "a", count: $0), 1) }
        append(entries.reversed(), to: &held)
        try held.moveToRun()
        append(entries, to: &held)
        #expect(try written(&held) == entries.flatMap { [$0, $0] })
    }

    @Test func `random entries come out sorted from many runs`() throws {
        var generator = SeededGenerator(seed: 3)
        var held = HeldEntries(path: directory.file("entries"))
        var all: [Written] = []
        for _ in 0..<20 {
            let entries = (0..<500).map { _ in
                let value = String(Int.random(in: 0..<1_000_000, using: &generator), radix: 36)
                return Written(["x", "y"].randomElement(using: &generator) ?? "x", value, Int64(all.count))
            }
            append(entries, to: &held)
            all += entries
            try held.moveToRun()
        }
        let expected = all.sorted { one, other in
            if one.name != other.name { return one.name < other.name }
            if one.value != other.value { return one.value.utf8.lexicographicallyPrecedes(other.value.utf8) }
            return one.row < other.row
        }
        let merged = try written(&held)
        #expect(merged.map(\.name) == expected.map(\.name) && merged.map(\.value) == expected.map(\.value))
        #expect(Set(merged) == Set(all))
    }

    @Test func `entries stay in memory if the file cannot be written`() throws {
        var held = HeldEntries(path: directory.file("missing/entries"))
        append([Written("n", "v", 1)], to: &held)
        #expect(throws: StateError.self) { try held.moveToRun() }
        #expect(held.count == 1)
    }

    @Test func `no file is left behind`() throws {
        var held = HeldEntries(path: directory.file("entries"))
        append([Written("n", "v", 1)], to: &held)
        try held.moveToRun()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }
}
