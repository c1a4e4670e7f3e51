internal import TransparencyLog

/// The sizes of the copies of checkpoints, in ascending order.
struct PastSizes: Sendable {
    let sizes: [Int]

    init(_ sizes: [Int]) { self.sizes = sizes }

    /// The sizes that end inside a bundle, or at its end.
    func within(bundle index: Int) -> [Int] {
        let first = index * TilePath.fullWidth
        return Array(sizes[partition(first + 1)..<partition(first + TilePath.fullWidth + 1)])
    }

    /// The largest smaller size; 0 when there is none.
    func last(before size: Int) -> Int {
        let count = partition(size)
        return count > 0 ? sizes[count - 1] : 0
    }

    /// Whether one of the sizes is in the range.
    func hasAny(in range: Range<Int>) -> Bool { partition(range.lowerBound) < partition(range.upperBound) }

    /// Number of sizes smaller than `size`.
    private func partition(_ size: Int) -> Int {
        var (low, high) = (0, sizes.count)
        while low < high {
            let middle = (low + high) / 2
            if sizes[middle] < size { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
