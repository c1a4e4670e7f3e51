/// The entries under one level-0 tile. Each is prefixed with its length as two big-endian bytes (c2sp.org/tlog-tiles).
package struct EntryBundle: Sendable {
    /// The maximum length of an entry in bytes; the length is a two-byte number.
    package static let maximumEntryByteCount = 65_535

    /// The content of the bundle's file.
    package let bytes: [UInt8]
    /// The end offset of each entry. The length of the next entry follows.
    private let ends: [Int]

    /// Creates a bundle from its entries.
    ///
    /// - Throws: ``TransparencyLogError`` with code `invalidArgument` if there are no entries or more than 256, or an
    ///   entry is longer than 65,535 bytes.
    package init(entries: [[UInt8]]) throws(TransparencyLogError) {
        guard (1...TilePath.fullWidth).contains(entries.count) else {
            throw TransparencyLogError(.invalidArgument, "a bundle has 1 to 256 entries, not \(entries.count)")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.reduce(0) { $0 + 2 + $1.count })
        var ends: [Int] = []
        for entry in entries {
            guard entry.count <= Self.maximumEntryByteCount else {
                throw TransparencyLogError(.invalidArgument, "an entry has at most 65535 bytes, not \(entry.count)")
            }
            bytes.append(UInt8(truncatingIfNeeded: entry.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: entry.count))
            bytes.append(contentsOf: entry)
            ends.append(bytes.count)
        }
        self.bytes = bytes
        self.ends = ends
    }

    /// Parses the content of a bundle's file.
    ///
    /// - Parameter count: the number of entries from the file's path, or nil if unknown.
    /// - Throws: ``TransparencyLogError`` with code `malformedBundle`.
    package init(bytes: [UInt8], count: Int? = nil) throws(TransparencyLogError) {
        var ends: [Int] = []
        ends.reserveCapacity(TilePath.fullWidth)
        var at = 0
        while at < bytes.count {
            guard bytes.count - at >= 2, ends.count < TilePath.fullWidth else {
                throw TransparencyLogError(.malformedBundle, "the bundle has extra bytes after \(ends.count) entries")
            }
            let length = Int(bytes[at]) << 8 | Int(bytes[at + 1])
            guard bytes.count - at - 2 >= length else {
                throw TransparencyLogError(.malformedBundle, "entry \(ends.count) of the bundle is truncated")
            }
            at += 2 + length
            ends.append(at)
        }
        guard !ends.isEmpty, ends.count == count ?? ends.count else {
            throw TransparencyLogError(
                .malformedBundle, "the bundle has \(ends.count) entries, not \(count.map(String.init) ?? "1 to 256")")
        }
        self.bytes = bytes
        self.ends = ends
    }

    package var count: Int { ends.count }

    /// The bytes of the entry at a position in 0 ..< ``count``.
    package subscript(position: Int) -> ArraySlice<UInt8> { bytes[range(position)] }

    /// Returns the leaf hashes, in order.
    package func leafHashes(_ hasher: inout MerkleHasher) -> [MerkleHash] {
        var hashes: [MerkleHash] = []
        hashes.reserveCapacity(count)
        bytes.withUnsafeBytes { bytes in
            for position in ends.indices {
                hashes.append(hasher.leaf(UnsafeRawBufferPointer(rebasing: bytes[range(position)])))
            }
        }
        return hashes
    }

    private func range(_ position: Int) -> Range<Int> {
        (position == 0 ? 2 : ends[position - 1] + 2)..<ends[position]
    }
}
