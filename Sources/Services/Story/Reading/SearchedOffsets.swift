/// The offsets read from a partition, as ascending ranges that do not touch.
struct SearchedOffsets: Hashable, Sendable {
    private(set) var ranges: [Range<Int64>] = []

    /// The number of offsets.
    var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

    /// Adds a range, which may overlap existing ones. An empty range changes nothing.
    mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        var merged = range
        ranges.removeAll { other in
            guard other.lowerBound <= merged.upperBound, merged.lowerBound <= other.upperBound else { return false }
            merged = min(merged.lowerBound, other.lowerBound)..<max(merged.upperBound, other.upperBound)
            return true
        }
        ranges.append(merged)
        ranges.sort { $0.lowerBound < $1.lowerBound }
    }

    /// Returns the ranges in `whole` that were not read, in ascending order.
    func gaps(in whole: Range<Int64>) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var next = whole.lowerBound
        for range in ranges where range.upperBound > next {
            guard range.lowerBound < whole.upperBound else { break }
            if next < range.lowerBound { gaps.append(next..<range.lowerBound) }
            next = range.upperBound
        }
        if next < whole.upperBound { gaps.append(next..<whole.upperBound) }
        return gaps
    }

    /// The ranges in the form `first-last`, joined by `+`, or `none` if there are none.
    var text: String {
        ranges.isEmpty ? "none" : ranges.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: "+")
    }
}
