/// The right edge of a growing tree: enough to append leaves, to say the root, and to give each tile as it fills up.
///
/// It holds one hash for each subtree that is complete, and the hashes of the tiles that are not: at most 255 for each of
/// the levels, of which ten million leaves have three.
package struct MerkleFrontier: Sendable {
    /// How many leaves the tree has.
    package private(set) var size = 0

    /// The roots of the complete subtrees that the tree consists of, the greatest first; one for each bit of `size`.
    private var subtrees: [MerkleHash] = []
    /// The hashes of the partial tile of each level, which may be empty.
    private var partial: [[MerkleHash]] = []
    private var finished: [HashTile] = []
    private let givesTiles: Bool

    /// An empty tree.
    ///
    /// - Parameter givesTiles: false when no one takes the tiles.
    package init(givesTiles: Bool = true) {
        self.givesTiles = givesTiles
    }

    /// The edge of an existing tree.
    ///
    /// - Parameter tiles: those that ``TilePath/partialTiles(ofSize:)`` names, in that order.
    /// - Throws: ``TransparencyLogError`` with code `malformedTile` when they are others.
    package init(size: Int, tiles: [HashTile], givesTiles: Bool = true) throws(TransparencyLogError) {
        guard tiles.map(\.path) == TilePath.partialTiles(ofSize: size) else {
            throw TransparencyLogError(.malformedTile, "these are not the partial tiles of \(size) leaves")
        }
        self.init(givesTiles: givesTiles)
        self.size = size
        var hasher = MerkleHasher()
        for tile in tiles {
            guard case .hashes(let level) = tile.path.content else { continue }
            while partial.count < level { partial.append([]) }
            partial.append(tile.hashes)
        }
        for tile in tiles.reversed() {
            var start = 0
            for node in TreeNode.covering(0..<tile.hashes.count) {
                let end = start + 1 << node.height
                subtrees.append(hasher.root(ofPerfect: tile.hashes[start..<end]))
                start = end
            }
        }
    }

    /// Appends a leaf by its hash.
    package mutating func append(_ leaf: MerkleHash) {
        var hasher = MerkleHasher()
        append(leaf, using: &hasher)
    }

    /// Appends a leaf by its hash.
    package mutating func append(_ leaf: MerkleHash, using hasher: inout MerkleHasher) {
        var hash = leaf
        var height = 0
        if givesTiles { add(hash, level: 0) }
        // Each bit that the sum carries joins two subtrees of equal height.
        while size >> height & 1 == 1, let left = subtrees.popLast() {
            hash = hasher.node(left, hash)
            height += 1
            if givesTiles, height & 7 == 0 { add(hash, level: height >> 3) }
        }
        subtrees.append(hash)
        size += 1
    }

    /// The root of the tree.
    package var root: MerkleHash {
        var hasher = MerkleHasher()
        return root(using: &hasher)
    }

    /// The root of the tree.
    package func root(using hasher: inout MerkleHasher) -> MerkleHash {
        guard var root = subtrees.last else { return .ofEmptyTree }
        for subtree in subtrees.dropLast().reversed() { root = hasher.node(subtree, root) }
        return root
    }

    /// The full tiles since the last call, in the order in which they filled up.
    package mutating func takeFinishedTiles() -> [HashTile] {
        defer { finished.removeAll(keepingCapacity: true) }
        return finished
    }

    /// The tiles of the right edge that are not full, lowest level first, as ``TilePath/partialTiles(ofSize:)`` names them.
    /// Empty when the frontier was made not to give tiles.
    package func partialTiles() -> [HashTile] {
        guard givesTiles else { return [] }
        return TilePath.partialTiles(ofSize: size).compactMap { path in
            guard case .hashes(let level) = path.content, level < partial.count else { return nil }
            return HashTile(path: path, hashes: partial[level])
        }
    }

    private mutating func add(_ hash: MerkleHash, level: Int) {
        while partial.count <= level { partial.append([]) }
        partial[level].append(hash)
        guard partial[level].count == TilePath.fullWidth else { return }
        let index = size >> (8 * (level + 1))
        finished.append(HashTile(path: .hashes(level: level, index: index), hashes: partial[level]))
        partial[level].removeAll(keepingCapacity: true)
    }
}
