internal import Glibc

/// Error messages for a directory: the failed operation, the system's reason, and the fix for an operator.
enum DirectoryProblem {
    /// - Parameter action: the failed operation with its path, such as `write /archive/a`.
    static func error(_ failure: SystemError, _ action: String) -> ObjectStoreError {
        let reason = String(cString: strerror(failure.number))
        let (code, fix) = meaning(of: failure.number)
        return ObjectStoreError(code, "cannot \(action): \(reason)" + (fix.map { "; \($0)" } ?? ""))
    }

    private static func meaning(of number: Int32) -> (ObjectStoreError.Code, String?) {
        switch number {
        case ENOSPC: (.full, "free up space on the file system, or enlarge it")
        case EDQUOT: (.full, "raise the user's quota")
        case EFBIG: (.tooLarge, "raise the file size limit (ulimit -f)")
        case EACCES, EPERM: (.denied, "grant this process's user access to it")
        case EROFS: (.denied, "the file system is mounted read-only: check the kernel log, and remount it read-write")
        case ELOOP, ENOTDIR: (.unsafePath, "symbolic links are not followed: use the folder itself")
        case EMFILE, ENFILE: (.failed, "raise the open file limit (ulimit -n)")
        case EIO: (.failed, "check the kernel log and the disk")
        default: (.failed, nil)
        }
    }
}
