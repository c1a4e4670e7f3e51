internal import TransparencyLog

/// The sizes of the checkpoint copies, in ascending order.
struct PastSizes: Sendable {
    let sizes: [Int]

    init(_ sizes: [Int]) { self.sizes = sizes }

    /// Returns the sizes of the checkpoints that end in a bundle.
    func within(bundle index: Int) -> [Int] {
        let first = index * TilePath.fullWidth
        return Array(sizes[partition(first + 1)..<partition(first + TilePath.fullWidth + 1)])
    }

    /// Returns the largest size below `size`, or 0 if there is none.
    func last(before size: Int) -> Int {
        let count = partition(size)
        return count > 0 ? sizes[count - 1] : 0
    }

    /// Returns whether any of the sizes is in the range.
    func hasAny(in range: Range<Int>) -> Bool { partition(range.lowerBound) < partition(range.upperBound) }

    /// Returns the number of sizes smaller than `size`.
    private func partition(_ size: Int) -> Int {
        var (low, high) = (0, sizes.count)
        while low < high {
            let middle = (low + high) / 2
            if sizes[middle] < size { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
