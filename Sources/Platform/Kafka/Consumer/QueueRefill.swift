/// Decides when to make librdkafka resume fetching for a partition: when a reader has emptied a queue that may have
/// been full.
struct QueueRefill {
    /// The number of bytes read since the last refill.
    private var bytes = 0

    /// Counts a batch.
    ///
    /// - Parameters:
    ///   - bytes: the size of the records read. It is counted even if the batch did not empty the queue, because
    ///     reading a full queue can take several batches.
    ///   - isEmptied: whether the queue was empty after the batch.
    ///   - threshold: the number of bytes read at which the queue may have been full.
    /// - Returns: whether a refill is due.
    mutating func noteRead(bytes batchBytes: Int, isEmptied: Bool, threshold: Int) -> Bool {
        bytes += batchBytes
        guard isEmptied, bytes >= threshold else { return false }
        bytes = 0
        return true
    }
}
