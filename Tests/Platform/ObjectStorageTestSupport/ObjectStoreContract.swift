package import ObjectStorage
import TestSupport
import Testing

/// The contract that every store must satisfy. Each case uses names with a separate prefix, so that cases can share a
/// store.
package enum ObjectStoreContract: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case whatIsCreatedIsReadBack = "what is created is read back, whole and in ranges"
    case anObjectIsCreatedOnce = "an object is created once, and the second attempt changes nothing"
    case oneOfManyCreatesIt = "of many that create the same object at once, one does"
    case anExchangeNeedsTheVersion = "an exchange needs the current version"
    case oneOfManyExchangesIt = "of many that exchange the same version at once, one does"
    case aDeletedObjectIsGone = "a deleted object is gone, may be deleted again and created again"
    case listingsAreInOrder = "listings are in the order of the bytes, page by page"
    case foldersAreNamed = "the folders below a prefix are named"
    case emptyAndLargeObjects = "empty and large objects are kept"

    package var testDescription: String { rawValue }

    /// - Parameter store: the store, which may be shared by several cases.
    package func check(_ store: any ObjectStore, seed: UInt64 = 1) async throws {
        var generator = SeededGenerator(seed: seed)
        let base = try ObjectName("case-\(self)-\(generator.next())")
        switch self {
        case .whatIsCreatedIsReadBack: try await Self.reading(store, base)
        case .anObjectIsCreatedOnce: try await Self.creatingTwice(store, base)
        case .oneOfManyCreatesIt: try await Self.creatingAtOnce(store, base)
        case .anExchangeNeedsTheVersion: try await Self.exchanging(store, base)
        case .oneOfManyExchangesIt: try await Self.exchangingAtOnce(store, base)
        case .aDeletedObjectIsGone: try await Self.deleting(store, base)
        case .listingsAreInOrder: try await Self.listing(store, base)
        case .foldersAreNamed: try await Self.folders(store, base)
        case .emptyAndLargeObjects: try await Self.sizes(store, base, &generator)
        }
    }

    private static func reading(_ store: any ObjectStore, _ base: ObjectName) async throws {
        let name = try base.appending("tile/0/x001/234.p/17")
        #expect(try await store.read(name) == nil)
        #expect(try await store.read(name, range: 0..<4) == nil)
        try await store.create(name, Array("0123456789".utf8))
        try await store.synchronize()
        #expect(try await store.read(name)?.bytes == Array("0123456789".utf8))
        #expect(try await store.read(name, range: 2..<5) == Array("234".utf8))
        #expect(try await store.read(name, range: 8..<20) == Array("89".utf8))
        #expect(try await store.read(name, range: 10..<20) == [])
        #expect(try await store.read(name, range: 3..<3) == [])
        // A folder is not an object, and there is nothing below an object.
        #expect(try await store.read(try base.appending("tile/0")) == nil)
        #expect(try await store.read(try name.appending("below")) == nil)
    }

    private static func creatingTwice(_ store: any ObjectStore, _ base: ObjectName) async throws {
        let name = try base.appending("once")
        try await store.create(name, [1])
        let error = await #expect(throws: ObjectStoreError.self) { try await store.create(name, [2]) }
        #expect(error?.code == .exists)
        #expect(try await store.read(name)?.bytes == [1])
    }

    private static func creatingAtOnce(_ store: any ObjectStore, _ base: ObjectName) async throws {
        let name = try base.appending("raced")
        let winners = await withTaskGroup(of: UInt8?.self) { group in
            for writer in UInt8(0)..<8 {
                group.addTask { (try? await store.create(name, [writer])) == nil ? nil : writer }
            }
            return await group.compactMap { $0 }.reduce(into: []) { $0.append($1) }
        }
        #expect(winners.count == 1)
        #expect(try await store.read(name)?.bytes == winners)
    }

    private static func exchanging(_ store: any ObjectStore, _ base: ObjectName) async throws {
        let name = try base.appending("checkpoint")
        let first = try await store.replace(name, Array("first".utf8), expected: nil)
        #expect(try await store.read(name) == StoredObject(bytes: Array("first".utf8), version: first))
        await expectChanged { _ = try await store.replace(name, [0], expected: nil) }
        let second = try await store.replace(name, Array("second".utf8), expected: first)
        #expect(second != first)
        await expectChanged { _ = try await store.replace(name, [0], expected: first) }
        #expect(try await store.read(name) == StoredObject(bytes: Array("second".utf8), version: second))
        await expectChanged { _ = try await store.replace(try base.appending("none"), [0], expected: first) }
        #expect(try await store.read(try base.appending("none")) == nil)
        #expect(try await store.list(base, after: nil, limit: 10).map(\.name) == [name])
    }

    private static func exchangingAtOnce(_ store: any ObjectStore, _ base: ObjectName) async throws {
        let name = try base.appending("checkpoint")
        let first = try await store.replace(name, [255], expected: nil)
        let winners = await withTaskGroup(of: (UInt8, ObjectVersion)?.self) { group in
            for writer in UInt8(0)..<8 {
                group.addTask {
                    (try? await store.replace(name, [writer], expected: first)).map { (writer, $0) }
                }
            }
            return await group.compactMap { $0 }.reduce(into: []) { $0.append($1) }
        }
        #expect(winners.count == 1)
        let stored = try #require(try await store.read(name))
        #expect(stored.bytes == winners.map(\.0))
        #expect([stored.version] == winners.map(\.1))
    }

    private static func deleting(_ store: any ObjectStore, _ base: ObjectName) async throws {
        let name = try base.appending("a/b/c.p/1")
        try await store.create(name, [1])
        try await store.delete(name)
        #expect(try await store.read(name) == nil)
        #expect(try await store.list(base, after: nil, limit: 10).isEmpty)
        try await store.delete(name)
        try await store.delete(try base.appending("never/there"))
        try await store.create(name, [2])
        try await store.synchronize()
        #expect(try await store.read(name)?.bytes == [2])
    }

    private static func listing(_ store: any ObjectStore, _ base: ObjectName) async throws {
        // '-' and '.' sort before '/', and digits after it, so a folder sorts differently from an object of the same
        // name.
        let names = try ["a-b", "a.p/1", "a.p/2", "a/1", "a/1.x", "a0", "b/c/d", "b/c0", "c"].map(base.appending)
        for (index, name) in names.enumerated().reversed() {
            try await store.create(name, [UInt8](repeating: 0, count: index))
        }
        try await store.synchronize()
        let sorted = names.sorted()
        for limit in [1, 3, 100] {
            var found: [ListedObject] = []
            while true {
                let page = try await store.list(base, after: found.last?.name, limit: limit)
                found += page
                #expect(page.count <= limit)
                if page.count < limit { break }
            }
            #expect(found.map(\.name) == sorted)
            #expect(found.map(\.byteCount) == sorted.map { names.firstIndex(of: $0) ?? -1 })
        }
        #expect(
            try await store.list(try base.appending("a"), after: nil, limit: 10).map(\.name.text)
                == ["\(base)/a/1", "\(base)/a/1.x"])
        #expect(try await store.list(try base.appending("none"), after: nil, limit: 10).isEmpty)
        #expect(try await store.list(base, after: nil, limit: 0).isEmpty)
    }

    private static func folders(_ store: any ObjectStore, _ base: ObjectName) async throws {
        for name in ["orders/0/checkpoint", "orders/10/checkpoint", "orders/2/tile/0/000", "orders/note", "z"] {
            try await store.create(try base.appending(name), [1])
        }
        #expect(try await store.folders(in: base).map(\.text) == ["\(base)/orders"])
        #expect(
            try await store.folders(in: try base.appending("orders")).map(\.text)
                == ["\(base)/orders/0", "\(base)/orders/10", "\(base)/orders/2"])
        #expect(try await store.folders(in: try base.appending("none")).isEmpty)
        #expect(try await store.folders(in: nil).contains(base))
    }

    private static func sizes(
        _ store: any ObjectStore, _ base: ObjectName, _ generator: inout SeededGenerator
    ) async throws {
        let empty = try base.appending("empty")
        try await store.create(empty, [])
        #expect(try await store.read(empty)?.bytes == [])
        #expect(try await store.read(empty, range: 0..<1) == [])
        let large = try base.appending("large")
        let words = (0..<37_500).map { _ in generator.next() }
        let bytes = words.withUnsafeBytes { Array($0) }
        try await store.create(large, bytes)
        try await store.synchronize()
        #expect(try await store.read(large)?.bytes == bytes)
        #expect(try await store.read(large, range: 299_990..<300_000) == Array(bytes.suffix(10)))
    }

    private static func expectChanged(_ body: () async throws -> Void) async {
        let error = await #expect(throws: ObjectStoreError.self) { try await body() }
        #expect(error?.code == .changed)
    }
}
