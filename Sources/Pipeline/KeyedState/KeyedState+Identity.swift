internal import Kafka
internal import Time

extension KeyedState {
    /// Whether a partition of the state's topic is another one than the file has applied: shorter, with another record in
    /// front of the position, or, where that one was compacted away, with records in front of it that were all written
    /// after the file was.
    ///
    /// - Throws: a `KafkaError` when the record cannot be had.
    func isRecreated(
        _ place: KafkaTopicPartition, _ ends: KafkaWatermarks, _ parts: Parts
    ) async throws -> Bool {
        guard let known = try parts.store.position(of: place) else { return false }
        if known.next > ends.high.rawValue { return true }
        if let last = known.last, last.offset >= ends.low.rawValue, last.offset < ends.high.rawValue {
            let found = try await parts.queries.firstRecord(of: place, at: KafkaOffset(rawValue: last.offset))
            if let found, found.offset == last.offset { return found.digest != last.digest }
        }
        // A file that missed more than tombstones are kept is not believed at all (`startOffset`).
        let now = clocks.wallMilliseconds()
        guard now - known.seen <= parts.retention[place.topic] ?? 0, known.next > ends.low.rawValue,
            ends.low < ends.high, let oldest = try await parts.queries.firstRecord(of: place, at: ends.low),
            oldest.offset < known.next, let timestamp = oldest.timestamp, timestamp <= now + Self.clockDifference
        else { return false }
        // The file would have been written after it had read the oldest record.
        return timestamp > known.seen + Self.clockDifference
    }

    /// Milliseconds by which the clock of a record's writer may be ahead of this machine's.
    static var clockDifference: Int64 { 300_000 }
}
