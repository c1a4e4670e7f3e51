/// A complete subtree of 2^`height` leaves. Its hash never changes.
struct TreeNode: Hashable, Sendable {
    /// The height above the leaves, which have height 0.
    let height: Int
    /// The index among the nodes of this height, from the left.
    let index: Int

    /// Returns the smallest set of nodes that covers the leaves in `range`, from left to right. The range must begin at
    /// a multiple of the largest power of two below its length, like every range in a proof.
    static func covering(_ range: Range<Int>) -> [TreeNode] {
        var nodes: [TreeNode] = []
        var start = range.lowerBound
        while start < range.upperBound {
            let byLength = Int.bitWidth - 1 - (range.upperBound - start).leadingZeroBitCount
            let height = min(byLength, start == 0 ? byLength : start.trailingZeroBitCount)
            nodes.append(TreeNode(height: height, index: start >> height))
            start += 1 << height
        }
        return nodes
    }

    /// Returns the number of leaves in the left subtree of a tree with `count` leaves: the largest power of two below
    /// `count`.
    static func split(_ count: Int) -> Int {
        count < 2 ? count : 1 << (Int.bitWidth - 1 - (count - 1).leadingZeroBitCount)
    }
}
