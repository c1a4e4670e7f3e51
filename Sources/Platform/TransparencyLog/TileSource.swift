/// A source of a log's tiles.
package protocol TileSource: Sendable {
    /// Returns the hashes of a tile: as many as the path's width, or more if the full tile has replaced the partial
    /// one.
    func hashes(of tile: TilePath) async throws -> [MerkleHash]
}

/// Computes subtree hashes from a tree's tiles. Reads each tile only once.
struct TreeReader<Source: TileSource>: ~Copyable {
    private let size: Int
    private let source: Source
    private var tiles: [TilePath: [MerkleHash]] = [:]
    private var hasher = MerkleHasher()

    init(size: Int, source: Source) {
        self.size = size
        self.source = source
    }

    /// Returns the hash over the leaves in `range`, which must be within the tree.
    mutating func hash(of range: Range<Int>) async throws -> MerkleHash {
        var hash: MerkleHash?
        for node in TreeNode.covering(range).reversed() {
            let left = try await self.hash(of: node)
            hash = hash.map { hasher.node(left, $0) } ?? left
        }
        return hash ?? .ofEmptyTree
    }

    private mutating func hash(of node: TreeNode) async throws -> MerkleHash {
        let level = node.height >> 3
        let height = node.height & 7
        let first = node.index << height
        let index = first >> 8
        let count = size >> (8 * level)
        let path = TilePath.hashes(level: level, index: index, width: min(TilePath.fullWidth, count - index << 8))
        let hashes = try await tile(path)
        let start = first & 255
        let end = start + 1 << height
        guard end <= hashes.count else {
            throw TransparencyLogError(.malformedTile, "\(path.text) has only \(hashes.count) hashes")
        }
        return hasher.root(ofPerfect: hashes[start..<end])
    }

    private mutating func tile(_ path: TilePath) async throws -> [MerkleHash] {
        if let known = tiles[path] { return known }
        let hashes = try await source.hashes(of: path)
        tiles[path] = hashes
        return hashes
    }
}
