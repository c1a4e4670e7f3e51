/// A subtree of two to the power of `height` leaves, all of them present. Such nodes never change once written.
struct TreeNode: Hashable, Sendable {
    /// 0 is a leaf.
    let height: Int
    /// Counted from the left among the nodes of this height.
    let index: Int

    /// The fewest nodes that cover the leaves of `range`, from left to right. As every range in a proof, it begins at a
    /// multiple of the greatest power of two below its length.
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

    /// How many leaves the left subtree of a tree with so many leaves has: the greatest power of two below it.
    static func split(_ count: Int) -> Int {
        count < 2 ? count : 1 << (Int.bitWidth - 1 - (count - 1).leadingZeroBitCount)
    }
}
