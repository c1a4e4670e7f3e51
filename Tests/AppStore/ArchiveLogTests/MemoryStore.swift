import Cryptography
import ObjectStorage
import Synchronization

/// A store in memory. Tests can read and change its objects.
final class MemoryStore: ObjectStore {
    private struct Lock: ObjectStoreLock {
        func release() {}
    }

    var hasLocks: Bool { true }
    private let state: Mutex<[String: [UInt8]]>
    private let failures = Mutex<[String: Int]>([:])

    init(_ objects: [String: [UInt8]] = [:]) { state = Mutex(objects) }

    var objects: [String: [UInt8]] {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Makes the next replacements of an object fail without effect.
    func fail(replacing name: ObjectName, times: Int = 1) {
        failures.withLock { $0[name.text] = times }
    }

    func read(_ name: ObjectName) async throws(ObjectStoreError) -> StoredObject? {
        guard let bytes = objects[name.text] else { return nil }
        return StoredObject(bytes: bytes, version: Self.version(bytes))
    }

    func read(_ name: ObjectName, range: Range<Int>) async throws(ObjectStoreError) -> [UInt8]? {
        objects[name.text].map { Array($0[range.clamped(to: 0..<$0.count)]) }
    }

    func create(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError) {
        let isNew = state.withLock { objects in
            guard objects[name.text] == nil else { return false }
            objects[name.text] = bytes
            return true
        }
        guard isNew else { throw ObjectStoreError(.exists, "\(name) exists") }
    }

    func replace(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?
    ) async throws(ObjectStoreError) -> ObjectVersion {
        let fails = failures.withLock { failures in
            guard let left = failures[name.text], left > 0 else { return false }
            failures[name.text] = left - 1
            return true
        }
        guard !fails else { throw ObjectStoreError(.failed, "\(name) cannot be written") }
        let isExpected = state.withLock { objects in
            guard objects[name.text].map(Self.version) == expected else { return false }
            objects[name.text] = bytes
            return true
        }
        guard isExpected else { throw ObjectStoreError(.changed, "\(name) has another version") }
        return Self.version(bytes)
    }

    func delete(_ name: ObjectName) async throws(ObjectStoreError) {
        _ = state.withLock { $0.removeValue(forKey: name.text) }
    }

    func list(_ prefix: ObjectName?, after: ObjectName?, limit: Int) async throws(ObjectStoreError) -> [ListedObject] {
        var names: [ListedObject] = []
        for (text, bytes) in objects {
            if let prefix, !text.hasPrefix(prefix.text) { continue }
            let name = try ObjectName(text)
            guard prefix.map(name.isBelow) ?? true, after.map({ $0 < name }) ?? true else { continue }
            names.append(ListedObject(name: name, byteCount: bytes.count))
        }
        return Array(names.sorted { $0.name < $1.name }.prefix(limit))
    }

    func folders(in prefix: ObjectName?) async throws(ObjectStoreError) -> [ObjectName] {
        let depth = prefix?.components.count ?? 0
        var folders: Set<ObjectName> = []
        for text in objects.keys {
            if let prefix, !text.hasPrefix(prefix.text) { continue }
            let name = try ObjectName(text)
            guard prefix.map(name.isBelow) ?? true, name.components.count > depth + 1 else { continue }
            folders.insert(try ObjectName(name.components.prefix(depth + 1).joined(separator: "/")))
        }
        return folders.sorted()
    }

    func synchronize() async throws(ObjectStoreError) {}

    func lock(_ prefix: ObjectName) async throws(ObjectStoreError) -> any ObjectStoreLock { Lock() }

    private static func version(_ bytes: [UInt8]) -> ObjectVersion { ObjectVersion(text: SHA256.digest(of: bytes).hex) }
}

/// Returns the contents of a store after each operation, in order.
final class RecordedStates: Sendable {
    private let state = Mutex<[[String: [UInt8]]]>([])

    var all: [[String: [UInt8]]] { state.withLock { $0 } }

    func add(_ objects: [String: [UInt8]]) { state.withLock { $0.append(objects) } }
}

/// Runs an action once before an operation, as another process might.
final class InterruptedStore: ObjectStore {
    private let store: any ObjectStore
    private let isDue: @Sendable (Int, ObjectName?) -> Bool
    private let action: @Sendable () async -> Void
    private let state = Mutex((operations: 0, isDone: false))

    /// - Parameter operation: zero-based number of the operation.
    init(_ store: any ObjectStore, at operation: Int, action: @escaping @Sendable () async -> Void) {
        self.store = store
        isDue = { number, _ in number == operation }
        self.action = action
    }

    /// - Parameter part: a part of the object's name.
    init(_ store: any ObjectStore, reading part: String, action: @escaping @Sendable () async -> Void) {
        self.store = store
        isDue = { _, name in name?.text.contains(part) ?? false }
        self.action = action
    }

    var wasInterrupted: Bool { state.withLock { $0.isDone } }

    private func operate(on name: ObjectName? = nil) async {
        let isNow = state.withLock { state in
            defer { state.operations += 1 }
            guard !state.isDone, isDue(state.operations, name) else { return false }
            state.isDone = true
            return true
        }
        if isNow { await action() }
    }

    func read(_ name: ObjectName) async throws(ObjectStoreError) -> StoredObject? {
        await operate(on: name)
        return try await store.read(name)
    }

    func read(_ name: ObjectName, range: Range<Int>) async throws(ObjectStoreError) -> [UInt8]? {
        try await store.read(name, range: range)
    }

    func create(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError) {
        await operate(on: name)
        try await store.create(name, bytes)
    }

    func replace(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?
    ) async throws(ObjectStoreError) -> ObjectVersion {
        await operate(on: name)
        return try await store.replace(name, bytes, expected: expected)
    }

    func delete(_ name: ObjectName) async throws(ObjectStoreError) {
        await operate(on: name)
        try await store.delete(name)
    }

    func list(_ prefix: ObjectName?, after: ObjectName?, limit: Int) async throws(ObjectStoreError) -> [ListedObject] {
        await operate()
        return try await store.list(prefix, after: after, limit: limit)
    }

    func folders(in prefix: ObjectName?) async throws(ObjectStoreError) -> [ObjectName] {
        try await store.folders(in: prefix)
    }

    func synchronize() async throws(ObjectStoreError) {
        await operate()
        try await store.synchronize()
    }

    func lock(_ prefix: ObjectName) async throws(ObjectStoreError) -> any ObjectStoreLock {
        try await store.lock(prefix)
    }
}
