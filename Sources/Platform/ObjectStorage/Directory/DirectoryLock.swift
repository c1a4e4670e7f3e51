internal import Synchronization

/// A lock file that is locked. The file is not removed on release, because two writers could then lock two different
/// files.
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
            // Closing the descriptor is not enough: a process that another thread is starting briefly holds a copy of
            // it.
            calls.unlock(held.descriptor)
            file = nil
        }
    }
}
