/// The ranges of the objects in a segment, up to the first invalid length. Truncated or extended segments are also
/// parsed, so that the first bad object can be identified.
struct SegmentObjects: Sendable {
    /// The ranges of the objects, without their length prefixes.
    let ranges: [Range<Int>]
    /// The number of bytes after the last object in ``ranges``.
    let rest: Int

    /// - Parameter count: the expected number of objects.
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
