import Cryptography
import ObjectStorage
import Synchronization

/// A store in memory. Tests can read and change its objects.
final class MemoryStore: ObjectStore {
    private struct Lock: ObjectStoreLock {
        func release() {}
    }

    private struct State {
        private(set) var objects: [String: [UInt8]]
        /// Names of the objects in ascending order; nil until they are needed.
        private var names: [ObjectName]?
        /// The folders below each listed folder. Cleared when a name is added.
        private var folders: [String: [ObjectName]] = [:]

        init(_ objects: [String: [UInt8]]) { self.objects = objects }

        /// Sets or removes an object.
        mutating func set(_ name: ObjectName, _ bytes: [UInt8]?) {
            let old = objects.updateValue(bytes ?? [], forKey: name.text)
            if bytes == nil { objects[name.text] = nil }
            guard (old == nil) != (bytes == nil) else { return }
            folders = [:]
            guard let index = names?.firstIndex(notBefore: name) else { return }
            if bytes == nil { names?.remove(at: index) } else { names?.insert(name, at: index) }
        }

        mutating func sortedNames() throws(ObjectStoreError) -> [ObjectName] {
            if let names { return names }
            var sorted: [ObjectName] = []
            for text in objects.keys { sorted.append(try MemoryStore.name(text)) }
            sorted.sort()
            names = sorted
            return sorted
        }

        mutating func folders(in prefix: ObjectName?) throws(ObjectStoreError) -> [ObjectName] {
            if let known = folders[prefix?.text ?? ""] { return known }
            let depth = prefix?.components.count ?? 0
            var texts: Set<String> = []
            for name in try sortedNames() {
                if let prefix, !name.text.hasPrefix(prefix.text) || !name.isBelow(prefix) { continue }
                let components = name.components
                guard components.count > depth + 1 else { continue }
                texts.insert(components.prefix(depth + 1).joined(separator: "/"))
            }
            var found: [ObjectName] = []
            for text in texts { found.append(try MemoryStore.name(text)) }
            found.sort()
            folders[prefix?.text ?? ""] = found
            return found
        }
    }

    /// Caches the parsed names of all stores, because parsing a name takes longer than reading a small object.
    private static let parsed = Mutex<[String: ObjectName]>([:])

    var hasLocks: Bool { true }
    private let state: Mutex<State>
    private let failures = Mutex<[String: Int]>([:])

    init(_ objects: [String: [UInt8]] = [:]) { state = Mutex(State(objects)) }

    var objects: [String: [UInt8]] {
        get { state.withLock { $0.objects } }
        set { state.withLock { $0 = State(newValue) } }
    }

    private static func name(_ text: String) throws(ObjectStoreError) -> ObjectName {
        if let name = parsed.withLock({ $0[text] }) { return name }
        let name = try ObjectName(text)
        parsed.withLock { $0[text] = name }
        return name
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
        let isNew = state.withLock { state in
            guard state.objects[name.text] == nil else { return false }
            state.set(name, bytes)
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
        let isExpected = state.withLock { state in
            guard state.objects[name.text].map(Self.version) == expected else { return false }
            state.set(name, bytes)
            return true
        }
        guard isExpected else { throw ObjectStoreError(.changed, "\(name) has another version") }
        return Self.version(bytes)
    }

    func delete(_ name: ObjectName) async throws(ObjectStoreError) {
        state.withLock { state in
            if state.objects[name.text] != nil { state.set(name, nil) }
        }
    }

    func list(_ prefix: ObjectName?, after: ObjectName?, limit: Int) async throws(ObjectStoreError) -> [ListedObject] {
        let (names, objects) = try state.withLock { (state) throws(ObjectStoreError) in
            (try state.sortedNames(), state.objects)
        }
        var listed: [ListedObject] = []
        for name in names where listed.count < limit {
            if let prefix, !name.text.hasPrefix(prefix.text) || !name.isBelow(prefix) { continue }
            guard after.map({ $0 < name }) ?? true, let bytes = objects[name.text] else { continue }
            listed.append(ListedObject(name: name, byteCount: bytes.count))
        }
        return listed
    }

    func folders(in prefix: ObjectName?) async throws(ObjectStoreError) -> [ObjectName] {
        try state.withLock { (state) throws(ObjectStoreError) in try state.folders(in: prefix) }
    }

    func synchronize() async throws(ObjectStoreError) {}

    func lock(_ prefix: ObjectName) async throws(ObjectStoreError) -> any ObjectStoreLock { Lock() }

    private static func version(_ bytes: [UInt8]) -> ObjectVersion { ObjectVersion(text: SHA256.digest(of: bytes).hex) }
}

extension [ObjectName] {
    /// Returns the position of the first name that is not less than `name`, in an ascending list.
    fileprivate func firstIndex(notBefore name: ObjectName) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The contents of a store after each operation, in order.
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
