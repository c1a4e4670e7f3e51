/// The content of a tile: consecutive hashes at one level (c2sp.org/tlog-tiles).
package struct HashTile: Equatable, Sendable {
    package let path: TilePath
    /// The hashes. Their number is the width in the path.
    package let hashes: [MerkleHash]

    /// - Precondition: the width in the path equals the number of hashes.
    package init(path: TilePath, hashes: [MerkleHash]) {
        precondition(path.width == hashes.count)
        self.path = path
        self.hashes = hashes
    }

    /// - Throws: ``TransparencyLogError`` with code `malformedTile` if the length is not 32 bytes per hash.
    package init(path: TilePath, bytes: [UInt8]) throws(TransparencyLogError) {
        guard bytes.count == path.width * MerkleHash.byteCount else {
            throw TransparencyLogError(
                .malformedTile, "\(path.text) has \(bytes.count) bytes, not \(path.width * MerkleHash.byteCount)")
        }
        let hashes = bytes.withUnsafeBytes { bytes in
            (0..<path.width).map { bytes.loadUnaligned(fromByteOffset: $0 * MerkleHash.byteCount, as: MerkleHash.self) }
        }
        self.path = path
        self.hashes = hashes
    }

    /// The content of the tile's file.
    package var bytes: [UInt8] { hashes.withUnsafeBytes { Array($0) } }
}
