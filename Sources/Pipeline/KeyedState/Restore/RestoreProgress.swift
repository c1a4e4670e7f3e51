/// Schedules the progress log lines of a long restore: one per interval. Times are monotonic milliseconds.
struct RestoreProgress: Sendable {
    /// Time at which the first record was applied.
    private(set) var start: Int64?
    private var last: Int64 = 0

    /// Updates the schedule after records have been applied.
    ///
    /// - Returns: the duration of the restore if a line is due now; nil otherwise.
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
