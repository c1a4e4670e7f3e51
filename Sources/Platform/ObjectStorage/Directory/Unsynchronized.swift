internal import Synchronization

/// Changes that might not be durable yet: written files with their descriptors, and folders with changed entries.
///
/// A written file's descriptor remains open until the file is synchronized, because a descriptor opened later might not
/// report an earlier write error (fsync(2), "errors").
final class Unsynchronized: Sendable {
    struct Batch {
        var files: [ObjectName: OpenFile] = [:]
        var folders: Set<Folder> = []
    }

    private struct State {
        var next = Batch()
        /// Files in the batch that is being synchronized.
        var current: Set<ObjectName> = []
        var failed: [ObjectName: ObjectStoreError] = [:]
    }

    private let state = Mutex(State())

    var fileCount: Int { state.withLock { $0.next.files.count } }

    /// Whether the next synchronization reports a result for this file: the file is pending, or an earlier attempt
    /// failed.
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

    /// Stops tracking the file, because its content no longer needs to be synchronized.
    func remove(_ name: ObjectName) {
        // Close the file outside the lock.
        let file = state.withLock { state in
            state.current.remove(name)
            state.failed[name] = nil
            return state.next.files.removeValue(forKey: name)
        }
        _ = file
    }

    /// Removes and returns the batch to synchronize. Only one batch may be in progress.
    func take() -> Batch {
        state.withLock { state in
            defer { state.next = Batch() }
            state.current = Set(state.next.files.keys)
            return state.next
        }
    }

    /// If the file was not removed in the meantime, notes that it could not be made durable.
    func failed(_ name: ObjectName, _ error: ObjectStoreError) {
        state.withLock { state in
            if state.current.contains(name) { state.failed[name] = error }
        }
    }

    /// Discards failures below a prefix when its writer releases the lock. The failures no longer matter, because the
    /// next writer removes or rewrites every object that the log's latest checkpoint does not cover.
    func forgetFailures(below prefix: ObjectName) {
        state.withLock { state in
            state.failed = state.failed.filter { !$0.key.isBelow(prefix) }
            state.current = state.current.filter { !$0.isBelow(prefix) }
        }
    }

    /// The error for the first file, in name order, that could not be made durable.
    var failure: ObjectStoreError? {
        state.withLock { state in state.failed.min { $0.key < $1.key }?.value }
    }
}
