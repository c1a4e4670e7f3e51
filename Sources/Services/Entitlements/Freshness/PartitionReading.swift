/// How far the group has read one partition of the input, as a moment: everything that was received until then was read.
///
/// The moments at which the end of the log was seen are remembered; when the group has passed an end, everything that was
/// received until that moment was read. Where the group passed none of them yet, the timestamp of its next record tells.
struct PartitionReading: Sendable, Equatable {
    private struct End: Equatable {
        /// Milliseconds since 1970.
        var moment: Int64
        var offset: Int64
    }

    private static let maximumEnds = 512
    /// Milliseconds by which the moment may be earlier than the first end before the next record is looked at.
    private static let tolerance: Int64 = 30_000

    /// Milliseconds since 1970; nil while nothing is known.
    private(set) var receivedUntil: Int64?
    /// Ends that the group has not passed, ascending by moment and offset.
    private var ends: [End] = []
    /// The offset whose record's timestamp was asked for last.
    private var asked: Int64?

    /// - Parameters:
    ///   - end: of the log, one past its newest record, as it was at `moment`.
    ///   - next: the first offset that the group has not read, as asked after `moment`.
    ///   - moment: milliseconds since 1970.
    mutating func observe(end: Int64, next: Int64, at moment: Int64) {
        // The topic was recreated: its former ends say nothing.
        if let last = ends.last, last.offset > end { ends = [] }
        if ends.last?.offset == end { ends.removeLast() }
        ends.append(End(moment: moment, offset: end))
        while let first = ends.first, first.offset <= next {
            advance(to: first.moment)
            ends.removeFirst()
        }
        if ends.count > Self.maximumEnds { ends = ends.indices.filter { $0 % 2 == 1 }.map { ends[$0] } }
    }

    /// Whether the timestamp of the next record would tell more; asked once for each offset.
    mutating func needsTimestamp(at next: Int64) -> Bool {
        guard let first = ends.first, asked != next, first.moment - (receivedUntil ?? .min / 2) > Self.tolerance else {
            return false
        }
        asked = next
        return true
    }

    /// - Parameter timestamp: of the first record that the group has not read, in milliseconds since 1970.
    mutating func observe(nextRecordAt timestamp: Int64) { advance(to: timestamp) }

    private mutating func advance(to moment: Int64) { receivedUntil = max(receivedUntil ?? moment, moment) }
}
