/// A proof that a leaf is in a tree: the hashes of the sibling subtrees on its path, from the leaf's sibling to the
/// root's child (RFC 6962 section 2.1.1).
package struct InclusionProof: Equatable, Sendable {
    /// The zero-based index of the leaf.
    package let index: Int
    package let hashes: [MerkleHash]

    package init(index: Int, hashes: [MerkleHash]) {
        self.index = index
        self.hashes = hashes
    }

    /// Creates the proof for a leaf in the tree of the first `size` leaves of a log.
    ///
    /// - Throws: ``TransparencyLogError``: `invalidArgument` if the tree has no such leaf, `malformedTile` if a tile is
    ///   too short; any error from the source.
    package static func make(index: Int, size: Int, from source: some TileSource) async throws -> InclusionProof {
        guard index >= 0, index < size else {
            throw TransparencyLogError(.invalidArgument, "a tree of \(size) leaves has no leaf \(index)")
        }
        var beside: [Range<Int>] = []
        var range = 0..<size
        while range.count > 1 {
            let middle = range.lowerBound + TreeNode.split(range.count)
            let (left, right) = (range.lowerBound..<middle, middle..<range.upperBound)
            beside.append(index < middle ? right : left)
            range = index < middle ? left : right
        }
        var tree = TreeReader(size: size, source: source)
        var hashes: [MerkleHash] = []
        for range in beside.reversed() { hashes.append(try await tree.hash(of: range)) }
        return InclusionProof(index: index, hashes: hashes)
    }

    /// Whether this proof shows that the tree with `size` leaves and this root has this leaf at ``index`` (RFC 9162
    /// section 2.1.3.2).
    package func proves(_ leaf: MerkleHash, size: Int, root: MerkleHash) -> Bool {
        guard index >= 0, index < size else { return false }
        var hasher = MerkleHasher()
        var (place, last) = (index, size - 1)
        var hash = leaf
        for beside in hashes {
            guard last > 0 else { return false }
            if place & 1 == 1 || place == last {
                hash = hasher.node(beside, hash)
                while place & 1 == 0, place != 0 {
                    place >>= 1
                    last >>= 1
                }
            } else {
                hash = hasher.node(hash, beside)
            }
            place >>= 1
            last >>= 1
        }
        return last == 0 && hash == root
    }
}
