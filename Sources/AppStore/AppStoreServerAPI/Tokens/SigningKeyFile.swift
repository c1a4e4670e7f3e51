internal import Cryptography
internal import Foundation

/// The key of a `.p8` file, read again when the file changes, so that a key is rotated by replacing its file.
///
/// The key is in OpenSSL's memory alone, which is wiped when the last reference goes.
struct SigningKeyFile: Sendable {
    let path: String
    private(set) var key: PrivateKey?
    private var version: FileVersion?

    init(path: String) { self.path = path }

    enum Outcome: Sendable, Equatable {
        case unchanged
        case read
        /// With what is wrong; the key read before is kept.
        case unusable(String)
    }

    /// Looks at the file, and reads it when it is another one than before. A file and not a network: this does not wait.
    mutating func refresh() -> Outcome {
        guard let current = FileVersion(path: path) else {
            // Reported once, and again when it comes back and goes.
            let isNews = version != nil || key == nil
            version = nil
            return isNews ? .unusable("\(path) is no file that can be read") : .unchanged
        }
        guard current != version else { return .unchanged }
        version = current
        do throws(CryptographyError) {
            key = try PrivateKey(contentsOf: path)
            return .read
        } catch {
            return .unusable("\(path) holds no key that can be used: \(error.message)")
        }
    }
}

/// What tells one content of a file from the next: also when a symbolic link changes, as in a mounted secret.
private struct FileVersion: Sendable, Equatable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    /// Nil when there is no regular file. A named pipe would block whoever opens it.
    init?(path: String) {
        var status = stat()
        guard !path.utf8.contains(0), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(truncatingIfNeeded: status.st_size)
        seconds = Int(status.st_mtim.tv_sec)
        nanoseconds = Int(status.st_mtim.tv_nsec)
    }
}
