internal import Synchronization

/// A lock on a lock file. Releasing it does not delete the file; otherwise, two writers could lock two different files.
final class DirectoryLock: ObjectStoreLock {
    private let file: Mutex<OpenFile?>
    private let calls: any FileCalls
    /// Called once, before another writer can acquire the lock.
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
            // Closing the descriptor is not enough, because a child process started by another thread may briefly have
            // a copy of it.
            calls.unlock(held.descriptor)
            file = nil
        }
    }
}
