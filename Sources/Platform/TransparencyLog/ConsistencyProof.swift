/// A proof that a tree begins with all leaves of a smaller tree (RFC 6962 section 2.1.2).
package struct ConsistencyProof: Equatable, Sendable {
    /// The hashes, in the RFC's order.
    package let hashes: [MerkleHash]

    package init(hashes: [MerkleHash]) {
        self.hashes = hashes
    }

    /// Creates the proof between the trees of the first `old` and the first `new` leaves of a log. The proof is empty
    /// if `old` is 0 or the sizes are equal.
    ///
    /// - Throws: ``TransparencyLogError``: `invalidArgument` if `old` is negative or greater than `new`,
    ///   `malformedTile` if a tile is too short; any error from the source.
    package static func make(old: Int, new: Int, from source: some TileSource) async throws -> ConsistencyProof {
        guard old >= 0, old <= new else {
            throw TransparencyLogError(.invalidArgument, "a tree of \(new) leaves cannot begin with a tree of \(old)")
        }
        guard old > 0 else { return ConsistencyProof(hashes: []) }
        var needed: [Range<Int>] = []
        var range = 0..<new
        while range.upperBound != old {
            let middle = range.lowerBound + TreeNode.split(range.count)
            let (left, right) = (range.lowerBound..<middle, middle..<range.upperBound)
            needed.append(old <= middle ? right : left)
            range = old <= middle ? left : right
        }
        // The verifier knows the old root, so a subtree that is the whole old tree is omitted.
        if range.lowerBound != 0 { needed.append(range) }
        var tree = TreeReader(size: new, source: source)
        var hashes: [MerkleHash] = []
        for range in needed.reversed() { hashes.append(try await tree.hash(of: range)) }
        return ConsistencyProof(hashes: hashes)
    }

    /// Whether this proof shows that the new tree begins with the leaves of the old tree (RFC 9162 section 2.1.4.2).
    /// Every tree begins with the empty tree, which has the root ``MerkleHash/ofEmptyTree``.
    package func proves(
        oldSize: Int, oldRoot: MerkleHash, newSize: Int, newRoot: MerkleHash
    ) -> Bool {
        guard oldSize >= 0, oldSize <= newSize else { return false }
        if oldSize == 0 {
            return hashes.isEmpty && oldRoot == .ofEmptyTree && (newSize > 0 || newRoot == .ofEmptyTree)
        }
        if oldSize == newSize { return hashes.isEmpty && oldRoot == newRoot }
        var rest = hashes[...]
        var (place, last) = (oldSize - 1, newSize - 1)
        while place & 1 == 1 {
            place >>= 1
            last >>= 1
        }
        var hasher = MerkleHasher()
        // If the old size is a power of two, the old tree is a complete subtree of the new tree, so the proof omits its
        // root.
        guard let start = place == 0 ? oldRoot : rest.popFirst() else { return false }
        var (old, new) = (start, start)
        for hash in rest {
            guard last > 0 else { return false }
            if place & 1 == 1 || place == last {
                old = hasher.node(hash, old)
                new = hasher.node(hash, new)
                while place & 1 == 0, place != 0 {
                    place >>= 1
                    last >>= 1
                }
            } else {
                new = hasher.node(new, hash)
            }
            place >>= 1
            last >>= 1
        }
        return last == 0 && old == oldRoot && new == newRoot
    }
}
