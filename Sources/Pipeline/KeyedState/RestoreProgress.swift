/// When a restore that takes long is told: each time that an interval has passed. Times are monotonic milliseconds.
struct RestoreProgress: Sendable {
    /// Time at which the first record was applied.
    private(set) var start: Int64?
    private var last: Int64 = 0

    /// Notes that records were applied.
    ///
    /// - Returns: how long the restore runs, when that is to be told now.
    mutating func applied(at now: Int64, interval: Int64) -> Int64? {
        guard let start else {
            start = now
            last = now
            return interval > 0 ? nil : 0
        }
        guard now - last >= interval else { return nil }
        last = now
        return now - start
    }
}
