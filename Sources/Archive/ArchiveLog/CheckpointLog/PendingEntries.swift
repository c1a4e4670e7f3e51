internal import ObjectStorage
internal import Primitives
internal import TransparencyLog

/// A signed checkpoint of the checkpoint log and the entries of the last bundles: everything needed to write the
/// checkpoint's objects.
///
/// ```
/// sluice-archive/pending@v1
/// first <index of the first entry; a multiple of 256>
/// <each entry in base64, one per line>
///
/// <the signed checkpoint>
/// ```
struct PendingEntries: Sendable {
    private static let header = "sluice-archive/pending@v1"
    /// The upper bound of `first`. No log has that many leaves, and adding the number of entries cannot overflow `Int`.
    private static let greatestFirst = 1 << 53

    let first: Int
    let entries: [[UInt8]]
    let note: SignedNote

    init(first: Int, entries: [[UInt8]], note: SignedNote) {
        self.first = first
        self.entries = entries
        self.note = note
    }

    /// Returns nil for bytes in any other format.
    init?(bytes: [UInt8]) {
        var rest = bytes[...]
        func line() -> ArraySlice<UInt8>? {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { rest = rest[(end + 1)...] }
            return rest[..<end]
        }
        guard line()?.elementsEqual(Self.header.utf8) == true, let second = line(),
            second.starts(with: "first ".utf8), let first = Int(String(decoding: second.dropFirst(6), as: UTF8.self)),
            (0...Self.greatestFirst).contains(first), first % TilePath.fullWidth == 0
        else { return nil }
        var entries: [[UInt8]] = []
        while let text = line(), !text.isEmpty {
            guard let entry = try? Base64.decode(Array(text)) else { return nil }
            entries.append(entry)
        }
        guard let note = try? SignedNote(bytes: Array(rest)) else { return nil }
        self.init(first: first, entries: entries, note: note)
    }

    var bytes: [UInt8] {
        let lines = entries.map { String(decoding: Base64.encode($0), as: UTF8.self) + "\n" }.joined()
        return Array("\(Self.header)\nfirst \(first)\n\(lines)\n".utf8) + note.bytes
    }
}
