/// The right edge of a growing tree. It can append leaves, compute the root, and return each tile that becomes full.
///
/// It stores one hash per complete subtree and the hashes of the partial tiles, at most 255 per level. A tree with ten
/// million leaves has three levels.
package struct MerkleFrontier: Sendable {
    /// The number of leaves in the tree.
    package private(set) var size = 0

    /// The roots of the complete subtrees of the tree, largest first. There is one for each set bit of `size`.
    private var subtrees: [MerkleHash] = []
    /// The hashes in the partial tile at each level. A level may be empty.
    private var partial: [[MerkleHash]] = []
    private var finished: [HashTile] = []
    private let givesTiles: Bool

    /// Creates an empty tree.
    ///
    /// - Parameter givesTiles: whether to collect full and partial tiles.
    package init(givesTiles: Bool = true) {
        self.givesTiles = givesTiles
    }

    /// Restores the right edge of an existing tree.
    ///
    /// - Parameter tiles: the tiles at the paths ``TilePath/partialTiles(ofSize:)``, in that order.
    /// - Throws: ``TransparencyLogError`` with code `malformedTile` if the paths differ.
    package init(size: Int, tiles: [HashTile], givesTiles: Bool = true) throws(TransparencyLogError) {
        guard tiles.map(\.path) == TilePath.partialTiles(ofSize: size) else {
            throw TransparencyLogError(.malformedTile, "the tiles are not the partial tiles of \(size) leaves")
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

    /// Appends a leaf with this hash.
    package mutating func append(_ leaf: MerkleHash) {
        var hasher = MerkleHasher()
        append(leaf, using: &hasher)
    }

    /// Appends a leaf with this hash.
    package mutating func append(_ leaf: MerkleHash, using hasher: inout MerkleHasher) {
        var hash = leaf
        var height = 0
        if givesTiles { add(hash, level: 0) }
        // Each carry in the binary increment of `size` joins two subtrees of equal height.
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

    /// Returns the root of the tree.
    package func root(using hasher: inout MerkleHasher) -> MerkleHash {
        guard var root = subtrees.last else { return .ofEmptyTree }
        for subtree in subtrees.dropLast().reversed() { root = hasher.node(subtree, root) }
        return root
    }

    /// Removes and returns the tiles that have become full since the last call, in order.
    package mutating func takeFinishedTiles() -> [HashTile] {
        defer { finished.removeAll(keepingCapacity: true) }
        return finished
    }

    /// Returns the partial tiles on the right edge, lowest level first, at the paths
    /// ``TilePath/partialTiles(ofSize:)``. The result is empty if the frontier was created with `givesTiles: false`.
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
