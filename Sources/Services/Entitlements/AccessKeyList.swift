internal import Bytes
internal import Configuration
internal import Cryptography

/// Keys that clients present as `Authorization: Bearer KEY` (RFC 6750), as a file lists them: one a line, its name, what
/// it may do (`read` or `full`), and the key, with spaces between them. Lines that are empty or begin with `#` do not
/// count.
struct AccessKeyList: Sendable {
    enum Permission: String, Sendable, CaseIterable {
        /// Questions.
        case read
        /// Claims, erasures and transactions too.
        case full
    }

    /// Whose a key is.
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

    /// - Throws: why it holds no keys, which are not repeated.
    init(lines text: [UInt8]) throws(FileProblem) {
        var keys: [Key] = []
        var names: Set<String> = []
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let parts = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
            guard let first = parts.first, first.first != UInt8(ascii: "#") else { continue }
            func problem(_ message: String) -> FileProblem { FileProblem(message: "line \(index + 1) \(message)") }
            guard parts.count == 3 else { throw problem("is not a name, read or full, and a key") }
            let name = String(decoding: first, as: UTF8.self)
            guard Self.nameBytes.contains(first.count), names.insert(name).inserted else {
                throw problem("has a name that is there already, or of more than \(Self.nameBytes.upperBound) bytes")
            }
            guard let permission = Permission(rawValue: String(decoding: parts[1], as: UTF8.self)) else {
                throw problem("has neither read nor full after the name")
            }
            guard Self.keyBytes.contains(parts[2].count), parts[2].allSatisfy(Self.isKeyByte) else {
                throw problem(
                    """
                    has a key that is not \(Self.keyBytes.lowerBound) to \(Self.keyBytes.upperBound) letters, digits \
                    and -._~+/=
                    """)
            }
            keys.append(
                Key(
                    client: Client(name: name, permission: permission),
                    digest: SHA256.digest(of: Array(parts[2])).bytes))
        }
        guard !keys.isEmpty else { throw FileProblem(message: "the file holds no key") }
        guard keys.count <= Self.maximumKeys else {
            throw FileProblem(message: "the file holds \(keys.count) keys; \(Self.maximumKeys) are allowed")
        }
        self.keys = keys
    }

    /// Whose a presented key is; nil for one that is not listed. It compares digests with every key, so that neither
    /// content nor length of a key follows from the time it takes. Of one key under two names the one that may do more
    /// counts.
    func client(of presented: [UInt8]) -> Client? {
        let digest = SHA256.digest(of: presented).bytes
        var match: Client?
        for key in keys where constantTimeEquals(key.digest, digest) {
            match = match?.permission == .full ? match : key.client
        }
        return match
    }

    /// RFC 6750, section 2.1: `b64token`.
    private static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~+/=".utf8.contains(byte)
        }
    }
}
