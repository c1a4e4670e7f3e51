internal import Synchronization

/// A held lock file. The file stays when the lock is released: removing it would let two writers lock two files.
final class DirectoryLock: ObjectStoreLock {
    private let file: Mutex<OpenFile?>
    private let calls: any FileCalls

    init(_ file: OpenFile, _ calls: any FileCalls) {
        self.file = Mutex(file)
        self.calls = calls
    }

    deinit { release() }

    func release() {
        file.withLock { file in
            // Closing would not do: a process that another thread starts has a copy of the descriptor for a moment.
            if let file { calls.unlock(file.descriptor) }
            file = nil
        }
    }
}
