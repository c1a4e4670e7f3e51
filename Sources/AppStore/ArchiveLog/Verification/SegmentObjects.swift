/// Where the objects of a segment are, as far as its lengths lead: also of a segment that was cut off or extended, so that
/// the first bad object can be named.
struct SegmentObjects: Sendable {
    /// The ranges of the first objects, without their lengths.
    let ranges: [Range<Int>]
    /// Bytes after the last of them.
    let rest: Int

    /// - Parameter count: objects that the segment must have.
    init(_ bytes: [UInt8], count: Int) {
        var ranges: [Range<Int>] = []
        var position = 0
        while ranges.count < count, bytes.count - position >= 4 {
            let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= bytes.count - position - 4 else { break }
            ranges.append(position + 4..<position + 4 + length)
            position += 4 + length
        }
        self.ranges = ranges
        rest = bytes.count - position
    }
}
