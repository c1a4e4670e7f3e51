import Foundation
package import ObjectStorage
import Synchronization
package import TestSupport

/// An in-memory file system that simulates power loss.
///
/// POSIX guarantees little: the bytes of a file are durable after the file is synchronized, and an entry of a folder
/// after the folder is synchronized. Any other change may be lost independently of the rest. A file may keep any prefix
/// of its bytes, with zeros in place of missing ones.
package final class SimulatedDisk: FileCalls {
    struct Node {
        var kind: FileStatus.Kind
        var bytes: [UInt8] = []
        var durableBytes: [UInt8] = []
        var entries: [String: Int] = [:]
        var durableEntries: [String: Int] = [:]
        /// The changes to entries since the folder was last synchronized. All changes made by one call are atomic.
        var changes: [[String: Int?]] = []
        /// Whether the folder was removed, so that nothing can be created in it. A power loss may restore the folder.
        var isRemoved = false
    }

    struct State {
        /// The root of the file system has id 0.
        var nodes: [Int: Node] = [0: Node(kind: .folder)]
        var lastNode = 0
        var descriptors: [Int32: Int] = [:]
        var lastDescriptor: Int32 = 2
        /// The descriptor that holds the lock of each node.
        var locks: [Int: Int32] = [:]
    }

    private let state: Mutex<State>

    package convenience init() { self.init(State()) }

    private init(_ state: State) { self.state = Mutex(state) }

    /// The number of open descriptors.
    package var openCount: Int { state.withLock { $0.descriptors.count } }

    /// Returns the disk as a new process sees it after the writer has died, with all changes and without locks.
    package func afterDeath() -> SimulatedDisk {
        var copy = state.withLock { $0 }
        copy.descriptors = [:]
        copy.locks = [:]
        return SimulatedDisk(copy)
    }

    /// Returns the disk after a power loss.
    package func afterPowerLoss(_ generator: inout SeededGenerator) -> SimulatedDisk {
        var copy = state.withLock { $0 }
        copy.descriptors = [:]
        copy.locks = [:]
        // One in four power losses loses every unsynchronized change, and one in four loses none.
        let chances: [Double] = [0, 0.3, 0.7, 1]
        let chance = chances.randomElement(using: &generator) ?? 0
        for id in copy.nodes.keys.sorted() {
            copy.nodes[id]?.losePower(chance, &generator)
        }
        return SimulatedDisk(copy)
    }

    /// All files by path, including files that are not objects.
    package var files: [String: [UInt8]] {
        state.withLock { state in
            var files: [String: [UInt8]] = [:]
            var rest = [(path: "", node: 0)]
            while let (path, number) = rest.popLast() {
                guard let node = state.nodes[number] else { continue }
                if node.kind == .file { files[path] = node.bytes }
                for (name, child) in node.entries { rest.append(("\(path)/\(name)", child)) }
            }
            return files
        }
    }

    // MARK: FileCalls

    package func openFolder(path: String) throws(SystemError) -> Int32 {
        try change { (state) throws(SystemError) in state.opened(try state.walk(path)) }
    }

    package func makeFolder(path: String) throws(SystemError) {
        try change { (state) throws(SystemError) in
            var components = path.split(separator: "/").map(String.init)
            guard let last = components.popLast() else { throw SystemError(number: EEXIST) }
            _ = try state.make(last, in: try state.walk("/" + components.joined(separator: "/")), .folder)
        }
    }

    package func open(_ name: String, in folder: Int32, _ opening: FileOpening) throws(SystemError) -> Int32 {
        try change { (state) throws(SystemError) in
            let parent = try state.node(folder)
            if name == "." { return state.opened(parent) }
            let found = state.nodes[parent]?.entries[name]
            switch opening {
            case .creating:
                return state.opened(try state.make(name, in: parent, .file))
            case .locking:
                if let found { return state.opened(found) }
                return state.opened(try state.make(name, in: parent, .file))
            case .reading, .folder:
                guard let found else { throw SystemError(number: ENOENT) }
                if opening == .folder, state.nodes[found]?.kind != .folder { throw SystemError(number: ENOTDIR) }
                return state.opened(found)
            }
        }
    }

    package func close(_ file: Int32) {
        state.withLock { state in
            guard let node = state.descriptors.removeValue(forKey: file) else { return }
            if state.locks[node] == file { state.locks[node] = nil }
        }
    }

    package func status(_ file: Int32) throws(SystemError) -> FileStatus {
        try change { (state) throws(SystemError) in try state.status(try state.node(file)) }
    }

    package func status(_ name: String, in folder: Int32) throws(SystemError) -> FileStatus {
        try change { (state) throws(SystemError) in
            guard let found = state.nodes[try state.node(folder)]?.entries[name] else {
                throw SystemError(number: ENOENT)
            }
            return try state.status(found)
        }
    }

    package func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemError) -> Int {
        let bytes = try change { (state) throws(SystemError) in state.nodes[try state.node(file)]?.bytes ?? [] }
        let part = bytes.dropFirst(offset).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    package func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        let bytes = Array(bytes)
        return try change { (state) throws(SystemError) in
            state.nodes[try state.node(file)]?.bytes.append(contentsOf: bytes)
            return bytes.count
        }
    }

    package func synchronize(_ file: Int32) throws(SystemError) {
        try change { (state) throws(SystemError) in state.nodes[try state.node(file)]?.synchronize() }
    }

    package func lock(_ file: Int32, waiting: Bool) throws(SystemError) {
        try change { (state) throws(SystemError) in
            let node = try state.node(file)
            if let holder = state.locks[node], holder != file {
                throw SystemError(number: waiting ? EDEADLK : EWOULDBLOCK)
            }
            state.locks[node] = file
        }
    }

    package func unlock(_ file: Int32) {
        state.withLock { state in
            if let node = state.descriptors[file], state.locks[node] == file { state.locks[node] = nil }
        }
    }

    package func makeFolder(_ name: String, in folder: Int32) throws(SystemError) {
        try change { (state) throws(SystemError) in
            _ = try state.make(name, in: try state.node(folder), .folder)
        }
    }

    package func rename(_ name: String, to newName: String, in folder: Int32) throws(SystemError) {
        try change { (state) throws(SystemError) in
            let parent = try state.node(folder)
            guard let moved = state.nodes[parent]?.entries[name] else { throw SystemError(number: ENOENT) }
            state.nodes[parent]?.change([name: nil, newName: moved])
        }
    }

    package func remove(_ name: String, in folder: Int32) throws(SystemError) {
        try change { (state) throws(SystemError) in
            let parent = try state.node(folder)
            guard let found = state.nodes[parent]?.entries[name] else { throw SystemError(number: ENOENT) }
            guard state.nodes[found]?.kind != .folder else { throw SystemError(number: EISDIR) }
            state.nodes[parent]?.change([name: nil])
        }
    }

    package func removeFolder(_ name: String, in folder: Int32) throws(SystemError) {
        try change { (state) throws(SystemError) in
            let parent = try state.node(folder)
            guard let found = state.nodes[parent]?.entries[name] else { throw SystemError(number: ENOENT) }
            guard let node = state.nodes[found], node.kind == .folder else { throw SystemError(number: ENOTDIR) }
            guard node.entries.isEmpty else { throw SystemError(number: ENOTEMPTY) }
            state.nodes[parent]?.change([name: nil])
            state.nodes[found]?.isRemoved = true
        }
    }

    package func entries(of folder: Int32) throws(SystemError) -> [FolderEntry] {
        try change { (state) throws(SystemError) in
            (state.nodes[try state.node(folder)]?.entries ?? [:]).map { name, node in
                FolderEntry(name: name, kind: state.nodes[node]?.kind ?? .other)
            }
        }
    }

    private func change<Value: Sendable>(
        _ body: (inout State) throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        let result = state.withLock { state in
            do throws(SystemError) {
                return Result<Value, SystemError>.success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

extension SimulatedDisk.State {
    func node(_ descriptor: Int32) throws(SystemError) -> Int {
        guard let node = descriptors[descriptor] else { throw SystemError(number: EBADF) }
        return node
    }

    func walk(_ path: String) throws(SystemError) -> Int {
        var node = 0
        for component in path.split(separator: "/") {
            guard let next = nodes[node]?.entries[String(component)] else { throw SystemError(number: ENOENT) }
            node = next
        }
        guard nodes[node]?.kind == .folder else { throw SystemError(number: ENOTDIR) }
        return node
    }

    mutating func opened(_ node: Int) -> Int32 {
        lastDescriptor += 1
        descriptors[lastDescriptor] = node
        return lastDescriptor
    }

    mutating func make(_ name: String, in parent: Int, _ kind: FileStatus.Kind) throws(SystemError) -> Int {
        guard nodes[parent]?.isRemoved == false else { throw SystemError(number: ENOENT) }
        guard nodes[parent]?.entries[name] == nil else { throw SystemError(number: EEXIST) }
        lastNode += 1
        nodes[lastNode] = SimulatedDisk.Node(kind: kind)
        nodes[parent]?.change([name: lastNode])
        return lastNode
    }

    func status(_ node: Int) throws(SystemError) -> FileStatus {
        guard let node = nodes[node] else { throw SystemError(number: EBADF) }
        return FileStatus(kind: node.kind, byteCount: node.bytes.count)
    }
}

extension SimulatedDisk.Node {
    mutating func change(_ change: [String: Int?]) {
        apply(change)
        changes.append(change)
    }

    private mutating func apply(_ change: [String: Int?]) {
        for (name, node) in change { entries[name] = node }
    }

    mutating func synchronize() {
        durableBytes = bytes
        durableEntries = entries
        changes = []
    }

    /// - Parameter chance: the probability that an unsynchronized change survives.
    mutating func losePower(_ chance: Double, _ generator: inout SeededGenerator) {
        func lasts() -> Bool { Double.random(in: 0..<1, using: &generator) < chance }
        entries = durableEntries
        for change in changes where lasts() { apply(change) }
        if bytes != durableBytes, !lasts() {
            let kept =
                lasts()
                ? Int.random(in: durableBytes.count...max(durableBytes.count, bytes.count), using: &generator)
                : durableBytes.count
            let zeros = lasts() ? bytes.count - kept : 0
            bytes = durableBytes + bytes[durableBytes.count..<kept] + [UInt8](repeating: 0, count: zeros)
        }
        isRemoved = false
        synchronize()
    }
}
