internal import Cryptography
internal import FoundationEssentials
internal import Glibc

/// The key in a `.p8` file. To rotate the key, replace the file; it is read again when it changes.
///
/// The key exists only in OpenSSL's memory, which is wiped when the last reference is released.
struct SigningKeyFile: Sendable {
    let path: String
    private(set) var key: PrivateKey?
    /// The key ID in the name of the file that the path resolves to, or nil if the name does not have Apple's form.
    /// Pointing a symbolic link at a different file therefore changes the ID along with the key.
    private(set) var keyId: String?
    private var version: FileVersion?

    init(path: String) { self.path = path }

    enum Outcome: Sendable, Equatable {
        case unchanged
        case read
        /// The file cannot be used; the string is the reason. A key read earlier remains in use.
        case unusable(String)
    }

    /// Checks the file, and reads it if it has changed. Only local files are accessed, so the call may block briefly.
    mutating func refresh() -> Outcome {
        guard let current = FileVersion(path: path) else {
            // Once a key has been read, a missing file is reported only once until it reappears.
            let isNews = version != nil || key == nil
            version = nil
            return isNews ? .unusable("\(path) cannot be read") : .unchanged
        }
        guard current != version else { return .unchanged }
        version = current
        do throws(CryptographyError) {
            key = try PrivateKey(contentsOf: path)
            keyId = Self.keyId(inNameOf: URL(fileURLWithPath: path).resolvingSymlinksInPath().lastPathComponent)
            return .read
        } catch {
            return .unusable("\(path) contains no usable key: \(error.message)")
        }
    }
}

extension SigningKeyFile {
    /// Returns `2X9R4HXF34` for `SubscriptionKey_2X9R4HXF34.p8`, or nil for other names.
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

/// The identity of a file's content. It also changes when a symbolic link is redirected, as in a mounted secret.
private struct FileVersion: Sendable, Equatable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    /// Returns nil if the path is not a regular file, because opening a named pipe would block.
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
