internal import Cryptography
internal import FoundationEssentials
internal import Glibc

/// The key of a `.p8` file, read again when the file changes, so that a key is rotated by replacing its file.
///
/// The key is in OpenSSL's memory alone, which is wiped when the last reference goes.
struct SigningKeyFile: Sendable {
    let path: String
    private(set) var key: PrivateKey?
    /// The key id in the file's name, links followed, where Apple named it: a link that is changed to another file
    /// changes the id with the key.
    private(set) var keyId: String?
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
            keyId = Self.keyId(inNameOf: URL(fileURLWithPath: path).resolvingSymlinksInPath().lastPathComponent)
            return .read
        } catch {
            return .unusable("\(path) holds no key that can be used: \(error.message)")
        }
    }
}

extension SigningKeyFile {
    /// `2X9R4HXF34` in `SubscriptionKey_2X9R4HXF34.p8`; nil for another name.
    static func keyId(inNameOf file: String) -> String? {
        for prefix in ["SubscriptionKey_", "AuthKey_"] where file.hasPrefix(prefix) && file.hasSuffix(".p8") {
            let id = file.dropFirst(prefix.count).dropLast(3)
            let isId =
                id.utf8.count == 10
                && id.utf8.allSatisfy { byte in
                    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                }
            return isId ? String(id) : nil
        }
        return nil
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
