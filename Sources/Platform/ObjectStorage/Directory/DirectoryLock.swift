internal import Synchronization

/// A lock on a lock file. Releasing the lock does not delete the file, because two writers could otherwise lock two
/// different files.
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
            // Closing the descriptor is not enough, because a process that another thread is starting briefly has a
            // copy of it.
            calls.unlock(held.descriptor)
            file = nil
        }
    }
}
