internal import Synchronization

/// A held lock file. The file stays when the lock is released: removing it would let two writers lock two files.
final class DirectoryLock: ObjectStoreLock {
    private let file: Mutex<OpenFile?>

    init(_ file: OpenFile) { self.file = Mutex(file) }

    func release() {
        file.withLock { $0 = nil }
    }
}
