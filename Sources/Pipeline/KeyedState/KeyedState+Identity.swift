internal import Kafka
internal import Time

extension KeyedState {
    /// Whether a partition of the state's topic was recreated after the file applied it: it is shorter; or its last
    /// record before the position differs; or, if that record was compacted away, all records before the position were
    /// written after the file.
    ///
    /// - Throws: a `KafkaError` when a record cannot be read.
    func isRecreated(
        _ place: KafkaTopicPartition, _ ends: KafkaWatermarks, _ parts: Parts
    ) async throws -> Bool {
        guard let known = try parts.store.position(of: place) else { return false }
        if known.next > ends.high.rawValue { return true }
        if let last = known.last, last.offset >= ends.low.rawValue, last.offset < ends.high.rawValue {
            let found = try await parts.queries.firstRecord(of: place, at: KafkaOffset(rawValue: last.offset))
            if let found, found.offset == last.offset { return found.digest != last.digest }
        }
        // A file that missed more than the retention of tombstones is discarded anyway (`startOffset`).
        let now = clocks.wallMilliseconds()
        guard now - known.seen <= parts.retention[place.topic] ?? 0, known.next > ends.low.rawValue,
            ends.low < ends.high, let oldest = try await parts.queries.firstRecord(of: place, at: ends.low),
            oldest.offset < known.next, let timestamp = oldest.timestamp, timestamp <= now + Self.clockDifference
        else { return false }
        // A file that had read the oldest record would have a later time.
        return timestamp > known.seen + Self.clockDifference
    }

    /// Milliseconds by which the clock of a record's writer may be ahead of this machine's.
    static var clockDifference: Int64 { 300_000 }
}
