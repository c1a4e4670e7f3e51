internal import Synchronization

/// A held lock file. The file stays when the lock is released: removing it would let two writers lock two files.
final class DirectoryLock: ObjectStoreLock {
    private let file: Mutex<OpenFile?>
    private let calls: any FileCalls
    /// Called once, before another writer can hold the lock.
    private let onRelease: @Sendable () -> Void

    init(_ file: OpenFile, _ calls: any FileCalls, onRelease: @escaping @Sendable () -> Void) {
        self.file = Mutex(file)
        self.calls = calls
        self.onRelease = onRelease
    }

    deinit { release() }

    func release() {
        file.withLock { file in
            guard let held = file else { return }
            onRelease()
            // Closing would not do: a process that another thread starts has a copy of the descriptor for a moment.
            calls.unlock(held.descriptor)
            file = nil
        }
    }
}
