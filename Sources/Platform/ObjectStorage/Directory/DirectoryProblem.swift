internal import Glibc

/// Error messages for a directory: the failed operation, the system's reason, and the fix for an operator.
enum DirectoryProblem {
    /// - Parameter action: the failed operation with its path, such as `write /archive/a`.
    static func error(_ failure: SystemFailure, _ action: String) -> ObjectStoreError {
        let reason = String(cString: strerror(failure.number))
        let (code, fix) = meaning(of: failure.number)
        return ObjectStoreError(code, "cannot \(action): \(reason)" + (fix.map { "; \($0)" } ?? ""))
    }

    private static func meaning(of number: Int32) -> (ObjectStoreError.Code, String?) {
        switch number {
        case ENOSPC: (.full, "free space on its file system, or enlarge it")
        case EDQUOT: (.full, "raise the quota of the user")
        case EFBIG: (.tooLarge, "raise the limit of file sizes (ulimit -f)")
        case EACCES, EPERM: (.denied, "give the user of this process the right to it")
        case EROFS: (.denied, "the file system is mounted read-only: look at the kernel's log, and mount it again")
        case ELOOP, ENOTDIR: (.unsafePath, "links are not followed: put the folder itself there")
        case EMFILE, ENFILE: (.failed, "raise the limit of open files (ulimit -n)")
        case EIO: (.failed, "look at the kernel's log and check the disk")
        default: (.failed, nil)
        }
    }
}
