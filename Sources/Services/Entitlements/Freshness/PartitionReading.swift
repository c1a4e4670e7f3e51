/// Tracks the time up to which the group has read everything received in one input partition.
///
/// Remembers when each end of the log was observed. Once the group has passed an end, it has read everything received
/// up to that observation. Until then, the timestamp of the group's next record is used.
struct PartitionReading: Sendable, Equatable {
    private struct End: Equatable {
        /// The time at which the end was observed, in milliseconds since 1970.
        var moment: Int64
        var offset: Int64
    }

    private static let maximumEnds = 512
    /// Maximum gap in milliseconds between ``receivedUntil`` and the first remembered end. Beyond it, the next record's
    /// timestamp is requested.
    private static let tolerance: Int64 = 30_000

    /// The time up to which everything received has been read, in milliseconds since 1970, or nil while it is unknown.
    private(set) var receivedUntil: Int64?
    /// Ends that the group has not yet passed, sorted by time and offset.
    private var ends: [End] = []
    /// The last offset for which a timestamp was requested.
    private var asked: Int64?
    /// The time of the last observation, in milliseconds since 1970.
    private var observed: Int64?

    /// - Parameters:
    ///   - end: the end of the log at `moment`, which is the offset after its newest record.
    ///   - next: the first offset that the group has not read; requested after `moment`.
    ///   - moment: the time of observation, in milliseconds since 1970.
    mutating func observe(end: Int64, next: Int64, at moment: Int64) {
        // If the clock was set back, times from before may be in the future, and would hide the age of the facts.
        if let observed, observed - moment > Self.tolerance { self = PartitionReading() }
        observed = moment
        // If the end has moved back, the topic was recreated, and earlier ends are invalid.
        if let last = ends.last, last.offset > end { ends = [] }
        if ends.last?.offset == end { ends.removeLast() }
        ends.append(End(moment: moment, offset: end))
        while let first = ends.first, first.offset <= next {
            advance(to: first.moment)
            ends.removeFirst()
        }
        if ends.count > Self.maximumEnds { ends = ends.indices.filter { $0 % 2 == 1 }.map { ends[$0] } }
    }

    /// Returns whether the timestamp of the next record could advance ``receivedUntil``. Returns true at most once for
    /// each offset, unless the timestamp was in the future.
    mutating func needsTimestamp(at next: Int64) -> Bool {
        guard let first = ends.first, asked != next, first.moment - (receivedUntil ?? .min / 2) > Self.tolerance else {
            return false
        }
        asked = next
        return true
    }

    /// - Parameter timestamp: the timestamp of the first unread record, in milliseconds since 1970. If it is in
    ///   the future, because the writer's clock was ahead, it is ignored and requested again later.
    mutating func observe(nextRecordAt timestamp: Int64) {
        guard timestamp <= observed ?? timestamp else {
            asked = nil
            return
        }
        advance(to: timestamp)
    }

    private mutating func advance(to moment: Int64) { receivedUntil = max(receivedUntil ?? moment, moment) }
}
