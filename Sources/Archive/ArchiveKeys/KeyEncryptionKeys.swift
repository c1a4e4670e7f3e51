package import ArchiveLog
internal import Cryptography
internal import Glibc
internal import Primitives

/// The key-encryption keys of an installation: the first key wraps, and all keys unwrap.
package struct KeyEncryptionKeys: Sendable {
    package let keys: [KeyEncryptionKey]

    /// The key used for wrapping.
    package let current: KeyEncryptionKey
    /// The key from which a new key store derives its pseudonym key. It is the last key, so that key stores created
    /// after a rotation have the same pseudonyms as earlier ones.
    let oldest: KeyEncryptionKey

    /// - Throws: ``ArchiveError`` with code `unreadableEncryptionKey` for an empty list.
    package init(_ keys: [KeyEncryptionKey]) throws(ArchiveError) {
        guard let first = keys.first, let last = keys.last else {
            throw ArchiveError(.unreadableEncryptionKey, "no key-encryption key was given")
        }
        self.keys = keys
        current = first
        oldest = last
    }

    /// Reads one key from each file: 32 raw bytes, 64 hexadecimal digits, or base64. White space around digits or
    /// base64 is ignored. The read buffer is wiped afterwards.
    ///
    /// - Throws: ``ArchiveError`` with code `unreadableEncryptionKey`.
    package init(files: [String]) throws(ArchiveError) {
        var keys: [KeyEncryptionKey] = []
        for file in files { keys.append(try KeyEncryptionKey(try Self.read(file), source: file)) }
        try self.init(keys)
    }

    func key(idBytes: [UInt8]) -> KeyEncryptionKey? { keys.first { $0.idBytes == idBytes } }

    /// The ids and sources of all keys, for messages.
    var summary: String { keys.map { "\($0.id) (\($0.source))" }.joined(separator: ", ") }

    private static func read(_ path: String) throws(ArchiveError) -> SecretKey {
        let refused = { (reason: String) in
            ArchiveError(.unreadableEncryptionKey, "key-encryption key \(path): \(reason)")
        }
        guard !path.utf8.contains(0) else { throw refused("the path contains a NUL byte") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw refused(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        // Read into a single buffer, so that wiping it leaves no copy. A key file has at most about 66 bytes.
        var buffer = [UInt8](repeating: 0, count: 1024)
        defer { buffer.wipe() }
        var count = 0
        while count < buffer.count {
            let got = buffer.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw refused(String(cString: strerror(errno))) }
            if got == 0 { break }
            count += got
        }
        guard let key = buffer.withUnsafeBytes({ decode(UnsafeRawBufferPointer(rebasing: $0[..<count])) }) else {
            throw refused("the file contains no key; expected 32 bytes, 64 hexadecimal digits or base64")
        }
        return key
    }

    static func decode(_ bytes: UnsafeRawBufferPointer) -> SecretKey? {
        if bytes.count == KeyEncryptionKey.byteCount { return SecretKey(copying: bytes) }
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[first...last])
        guard var secret = hexadecimal(text) ?? (try? Base64.decode(text)), secret.count == KeyEncryptionKey.byteCount
        else { return nil }
        defer { wipe(&secret) }
        return SecretKey(copying: secret)
    }

    private static func hexadecimal(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count == 2 * KeyEncryptionKey.byteCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(KeyEncryptionKey.byteCount)
        for at in stride(from: 0, to: text.count, by: 2) {
            guard let high = text[at].hexadecimalValue, let low = text[at + 1].hexadecimalValue else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

/// Overwrites an array that contained a secret.
func wipe(_ bytes: inout [UInt8]) { bytes.wipe() }
