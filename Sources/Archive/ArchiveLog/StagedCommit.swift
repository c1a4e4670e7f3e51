internal import Cryptography
internal import ObjectStorage
internal import TransparencyLog

/// A commit's objects, stored as a single object under `staging/` until they are written under their own names. In a
/// store without locks, no object is written under its own name before its checkpoint is published, so a superseded
/// writer has changed nothing.
///
/// ```
/// sluice-archive/staged@v1
/// <name below the log's prefix> <bytes>
/// …
///
/// <the objects, concatenated>
/// ```
struct StagedCommit: Sendable {
    private static let header = "sluice-archive/staged@v1"

    let objects: [NamedBytes]

    init(_ objects: [NamedBytes]) { self.objects = objects }

    func bytes(of names: LogNames) -> [UInt8] {
        var text = "\(Self.header)\n"
        let skipped = names.prefix.text.utf8.count + 1
        for object in objects {
            text +=
                "\(String(decoding: object.name.text.utf8.dropFirst(skipped), as: UTF8.self)) \(object.bytes.count)\n"
        }
        var bytes = Array("\(text)\n".utf8)
        for object in objects { bytes += object.bytes }
        return bytes
    }

    /// Parses a staged commit; returns nil for any other bytes.
    init?(bytes: [UInt8], of names: LogNames) {
        var rest = bytes[...]
        func line() -> String? {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { rest = rest[(end + 1)...] }
            return String(validating: rest[..<end], as: UTF8.self)
        }
        guard line() == Self.header else { return nil }
        var places: [(name: ObjectName, count: Int)] = []
        while let line = line(), !line.isEmpty {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let count = Int(parts[1]), count >= 0,
                let name = try? names.prefix.appending(String(parts[0])), names.isOfTree(name)
            else { return nil }
            places.append((name, count))
        }
        var objects: [NamedBytes] = []
        for place in places {
            guard rest.count >= place.count else { return nil }
            objects.append(NamedBytes(name: place.name, bytes: Array(rest.prefix(place.count))))
            rest = rest.dropFirst(place.count)
        }
        guard rest.isEmpty else { return nil }
        self.objects = objects
    }
}

/// The name of a staged commit: `<leaves>-<root>-<digest of the preceding checkpoint>`. A checkpoint is replaced only
/// once, so a commit that is not based on the newest checkpoint is never staged again, and its staged object can be
/// deleted.
package struct StagedName: Hashable, Sendable {
    package let size: Int
    /// The root in 64 hexadecimal digits.
    package let root: String
    /// The digest of the preceding checkpoint in 16 hexadecimal digits.
    package let base: String

    init(size: Int, root: MerkleHash, after base: SignedNote) {
        self.size = size
        self.root = HexText.encode(root.bytes)
        self.base = String(SHA256.digest(of: base.bytes).hex.prefix(16))
    }

    init?(text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let size = Int(parts[0]), size > 0, String(size) == parts[0],
            parts[1].utf8.count == 64, parts[2].utf8.count == 16,
            parts.dropFirst().allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) })
        else { return nil }
        self.size = size
        root = String(parts[1])
        base = String(parts[2])
    }

    var text: String { "\(size)-\(root)-\(base)" }

    func isOf(_ checkpoint: Checkpoint) -> Bool {
        size == checkpoint.size && root == HexText.encode(checkpoint.root.bytes)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
