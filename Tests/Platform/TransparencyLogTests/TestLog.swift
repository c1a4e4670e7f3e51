import TransparencyLog

/// An in-memory log with all entries, all tiles of the growing tree, and the root at each size.
struct TestLog: TileSource {
    private(set) var entries: [[UInt8]] = []
    private(set) var roots: [MerkleHash] = [.ofEmptyTree]
    private(set) var tiles: [String: HashTile] = [:]
    private(set) var frontier = MerkleFrontier()

    init(entries: [[UInt8]]) {
        for entry in entries { append(entry) }
    }

    /// Creates leaves of different lengths and contents.
    init(count: Int) {
        self.init(entries: (0..<count).map { leaf in (0..<(leaf % 5)).map { UInt8(truncatingIfNeeded: leaf + $0) } })
    }

    mutating func append(_ entry: [UInt8]) {
        entries.append(entry)
        frontier.append(.leaf(entry))
        for tile in frontier.takeFinishedTiles() + frontier.partialTiles() { tiles[tile.path.text] = tile }
        roots.append(frontier.root)
    }

    func hashes(of tile: TilePath) async throws -> [MerkleHash] {
        guard let found = tiles[tile.text] else {
            throw TransparencyLogError(.malformedTile, "\(tile.text) does not exist")
        }
        return found.hashes
    }

    /// Returns the root according to the recursive definition in RFC 6962 section 2.1.
    static func root(of entries: ArraySlice<[UInt8]>) -> MerkleHash {
        switch entries.count {
        case 0: return .ofEmptyTree
        case 1: return .leaf(entries[entries.startIndex])
        default:
            var split = 1
            while split * 2 < entries.count { split *= 2 }
            let middle = entries.startIndex + split
            return .node(root(of: entries[..<middle]), root(of: entries[middle...]))
        }
    }
}
