import ArchiveLog
import Foundation
import KafkaModel
import ObjectStorage
import TestSupport
import Testing
import TransparencyLog

@Suite("Tampering with an archive") struct TamperingTests {
    static let count = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1" ? 10_000 : 300

    /// A way to change one object, or to swap it with another one of the same kind.
    enum Change: String, CaseIterable {
        case flipBit, cut, extend, remove, exchange, reorder, zero, empty
    }

    @Test func `each change of an object is detected, and the first bad position is reported`() async throws {
        let (archive, objects) = try await Self.archive()
        var generator = SeededGenerator(seed: 14)
        let names = Self.vital(objects)
        var found = 0
        while found < Self.count {
            guard let name = names.randomElement(using: &generator),
                let change = Change.allCases.randomElement(using: &generator),
                let changed = Self.apply(change, to: name, in: objects, &generator)
            else { continue }
            let report = try await archive.verify(MemoryStore(changed.objects))
            let first = try #require(report.findings.first, "\(change.rawValue) of \(name) was not detected")
            #expect(report.verdict != nil && report.verdict != .incomplete, "\(change.rawValue) of \(name)")
            #expect(
                changed.names.contains(first.object?.text ?? ""), "\(change.rawValue) of \(changed.names): \(first)")
            found += 1
        }
    }

    @Test func `an unmodified copy is intact at any moment of writing`() async throws {
        var generator = SeededGenerator(seed: 15)
        var copies = 0
        while copies < Self.count {
            let recorder = RecordingStore()
            let archive = try SampleArchive(store: recorder)
            let counts = (0..<6).map { _ in Int.random(in: 1...160, using: &generator) }
            try await archive.write(Array(counts[..<3]))
            // One writer that has ended, and one that continues.
            try await archive.write(Array(counts[3...]), at: 1_800_000_100)
            for _ in 0..<50 {
                let moment = Int.random(in: 1...recorder.history.count, using: &generator)
                let report = try await archive.verify(MemoryStore(recorder.objects(at: moment)))
                #expect(report.findings.isEmpty, "after \(moment) operations of \(counts)")
                copies += 1
            }
        }
    }

    /// Two logs with several checkpoints each. One spans more than one tile.
    static func archive() async throws -> (SampleArchive, [String: [UInt8]]) {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([1, 100, 30, 200, 20, 5, 3])
        try await archive.write([3, 1], to: archive.names("appstore.certificates"), kind: .certificate, step: 7)
        return (archive, store.objects)
    }

    /// Returns the names of all objects that a log needs, in ascending order.
    static func vital(_ objects: [String: [UInt8]]) -> [String] { objects.keys.sorted() }

    private static func isNewest(_ name: String, in objects: [String: [UInt8]]) -> Bool {
        let folder = name.prefix { $0 != "/" } + "/0/checkpoints/"
        return name == objects.keys.filter { $0.hasPrefix(folder) }.max()
    }

    static func apply(
        _ change: Change, to name: String, in objects: [String: [UInt8]], _ generator: inout SeededGenerator
    ) -> (objects: [String: [UInt8]], names: [String])? {
        guard let old = objects[name], !old.isEmpty else { return nil }
        var (changed, bytes, names) = (objects, old, [name])
        switch change {
        case .flipBit:
            bytes[Int.random(in: bytes.indices, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case .cut: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
        case .extend: bytes += (0..<Int.random(in: 1...40, using: &generator)).map { _ in .random(in: 0...255) }
        case .empty: bytes = []
        case .zero:
            let start = Int.random(in: bytes.indices, using: &generator)
            for place in start..<min(bytes.count, start + 16) { bytes[place] = 0 }
        case .reorder:
            guard bytes.count >= 64 else { return nil }
            let starts = [0, 32, 64, 96].filter { $0 + 32 <= bytes.count }
            let (first, second) = (
                starts.randomElement(using: &generator) ?? 0, starts.randomElement(using: &generator) ?? 0
            )
            for place in 0..<32 { bytes.swapAt(first + place, second + place) }
        case .remove:
            // The copy of the newest checkpoint has the same bytes as the checkpoint, and may not have been written
            // yet.
            guard !name.contains("/checkpoints/") || !isNewest(name, in: objects) else { return nil }
            changed[name] = nil
            return (changed, names)
        case .exchange:
            let folder = name.split(separator: "/").dropFirst(2).first ?? ""
            let others = objects.keys.sorted().filter {
                $0 != name && $0.split(separator: "/").dropFirst(2).first == folder
            }
            guard let other = others.randomElement(using: &generator), let theirs = objects[other] else { return nil }
            bytes = theirs
            changed[other] = old
            names.append(other)
        }
        guard bytes != old else { return nil }
        changed[name] = bytes
        return (changed, names)
    }
}

/// Records its contents after each operation.
final class RecordingStore: ObjectStore {
    var hasLocks: Bool { true }
    private let store = MemoryStore()
    private let states = RecordedStates()

    var history: [[String: [UInt8]]] { states.all }
    func objects(at moment: Int) -> [String: [UInt8]] { history[moment - 1] }

    func read(_ name: ObjectName) async throws(ObjectStoreError) -> StoredObject? { try await store.read(name) }
    func read(_ name: ObjectName, range: Range<Int>) async throws(ObjectStoreError) -> [UInt8]? {
        try await store.read(name, range: range)
    }
    func create(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError) {
        try await store.create(name, bytes)
        states.add(store.objects)
    }
    func replace(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?
    ) async throws(ObjectStoreError) -> ObjectVersion {
        defer { states.add(store.objects) }
        return try await store.replace(name, bytes, expected: expected)
    }
    func delete(_ name: ObjectName) async throws(ObjectStoreError) {
        try await store.delete(name)
        states.add(store.objects)
    }
    func list(_ prefix: ObjectName?, after: ObjectName?, limit: Int) async throws(ObjectStoreError) -> [ListedObject] {
        try await store.list(prefix, after: after, limit: limit)
    }
    func folders(in prefix: ObjectName?) async throws(ObjectStoreError) -> [ObjectName] {
        try await store.folders(in: prefix)
    }
    func synchronize() async throws(ObjectStoreError) { try await store.synchronize() }
    func lock(_ prefix: ObjectName) async throws(ObjectStoreError) -> any ObjectStoreLock {
        try await store.lock(prefix)
    }
}
