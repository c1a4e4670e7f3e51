internal import Configuration
internal import Cryptography
internal import Primitives

/// The keys that clients send as `Authorization: Bearer KEY` (RFC 6750), parsed from a file. Each line contains a name,
/// a permission (`read`, `story` or `full`) and a key, separated by spaces or tabs. Empty lines and lines that begin
/// with `#` are ignored.
struct AccessKeyList: Sendable {
    enum Permission: String, Sendable, CaseIterable, Comparable {
        /// Read requests only.
        case read
        /// Read requests and stories.
        case story
        /// All requests, including claims, erasures and uploaded transactions.
        case full

        static func < (one: Permission, other: Permission) -> Bool { one.rank < other.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The client that owns a key.
    struct Client: Sendable, Equatable {
        let name: String
        let permission: Permission
    }

    private struct Key {
        let client: Client
        let digest: [UInt8]
    }

    static let maximumKeys = 100
    static let keyBytes = 24...256
    private static let nameBytes = 1...64

    private let keys: [Key]

    /// - Throws: a `FileError` that explains why the text is not a valid list; its message contains no key.
    init(lines text: [UInt8]) throws(FileError) {
        var keys: [Key] = []
        var names: Set<String> = []
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let parts = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
            guard let first = parts.first, first.first != UInt8(ascii: "#") else { continue }
            func problem(_ message: String) -> FileError { FileError(message: "line \(index + 1) \(message)") }
            guard parts.count == 3 else { throw problem("must contain a name, a permission and a key") }
            let name = String(decoding: first, as: UTF8.self)
            guard Self.nameBytes.contains(first.count), names.insert(name).inserted else {
                throw problem("has a duplicate name, or a name longer than \(Self.nameBytes.upperBound) bytes")
            }
            guard let permission = Permission(rawValue: String(decoding: parts[1], as: UTF8.self)) else {
                throw problem("has no permission (read, story or full) after the name")
            }
            guard Self.keyBytes.contains(parts[2].count), parts[2].allSatisfy(Self.isKeyByte) else {
                throw problem(
                    """
                    must have a key of \(Self.keyBytes.lowerBound) to \(Self.keyBytes.upperBound) letters, digits \
                    and -._~+/=
                    """)
            }
            keys.append(
                Key(
                    client: Client(name: name, permission: permission),
                    digest: SHA256.digest(of: Array(parts[2])).bytes))
        }
        guard !keys.isEmpty else { throw FileError(message: "the file contains no key") }
        guard keys.count <= Self.maximumKeys else {
            throw FileError(message: "the file contains \(keys.count) keys; at most \(Self.maximumKeys) are allowed")
        }
        self.keys = keys
    }

    /// Returns the client that a presented key belongs to, or nil if the key is not listed. Compares the digest of the
    /// presented key with the digest of every listed key, so that timing reveals neither the content nor the length of
    /// a key. If a key is listed under two names, the name with more permissions applies.
    func client(of presented: [UInt8]) -> Client? {
        let digest = SHA256.digest(of: presented).bytes
        var match: Client?
        for key in keys where constantTimeEquals(key.digest, digest) {
            guard let known = match else {
                match = key.client
                continue
            }
            match = key.client.permission > known.permission ? key.client : known
        }
        return match
    }

    /// Returns whether a byte is allowed in a key: `b64token` in RFC 6750, section 2.1.
    private static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~+/=".utf8.contains(byte)
        }
    }
}
