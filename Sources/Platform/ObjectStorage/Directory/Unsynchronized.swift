internal import Synchronization

/// What was written and is not known to be durable: files with their descriptors, and folders whose entries changed.
///
/// The descriptor under which a file was written is kept until it is synchronised: one that is opened later might not be
/// told of an earlier failure to write (fsync(2), "errors").
final class Unsynchronized: Sendable {
    struct Batch {
        var files: [ObjectName: OpenFile] = [:]
        var folders: Set<Folder> = []
    }

    private struct State {
        var next = Batch()
        /// Files of the batch that is being synchronised.
        var current: Set<ObjectName> = []
        var failed: [ObjectName: ObjectStoreError] = [:]
    }

    private let state = Mutex(State())

    var fileCount: Int { state.withLock { $0.next.files.count } }

    /// Whether the next synchronisation tells of the file: it is its turn, or it could not be made durable before.
    func contains(_ name: ObjectName) -> Bool {
        state.withLock { $0.next.files[name] != nil || $0.failed[name] != nil }
    }

    func add(_ name: ObjectName, _ file: OpenFile, in folder: Folder) {
        state.withLock { state in
            state.next.files[name] = file
            state.next.folders.insert(folder)
        }
    }

    func add(_ folder: Folder) {
        state.withLock { _ = $0.next.folders.insert(folder) }
    }

    /// Nothing is left of the file that could be lost.
    func remove(_ name: ObjectName) {
        // Closes the file outside the lock.
        let file = state.withLock { state in
            state.current.remove(name)
            state.failed[name] = nil
            return state.next.files.removeValue(forKey: name)
        }
        _ = file
    }

    /// The batch to synchronise; one at a time.
    func take() -> Batch {
        state.withLock { state in
            defer { state.next = Batch() }
            state.current = Set(state.next.files.keys)
            return state.next
        }
    }

    /// A file cannot be made durable. It counts no more when it was removed meanwhile.
    func failed(_ name: ObjectName, _ error: ObjectStoreError) {
        state.withLock { state in
            if state.current.contains(name) { state.failed[name] = error }
        }
    }

    /// Whoever wrote below a prefix does so no more. The next writer removes or writes again what no checkpoint covers.
    func forgetFailures(below prefix: ObjectName) {
        state.withLock { state in
            state.failed = state.failed.filter { !$0.key.isBelow(prefix) }
            state.current = state.current.filter { !$0.isBelow(prefix) }
        }
    }

    /// The first, by its name, of the files that could not be made durable.
    var failure: ObjectStoreError? {
        state.withLock { state in state.failed.min { $0.key < $1.key }?.value }
    }
}
