internal import Kafka
internal import Primitives

extension KeyedState {
    /// Returns whether a partition of the state's topic was recreated after its records were applied to the file. True
    /// if the partition ends before the applied position, or if the last record before the position differs. If that
    /// record was compacted away, true if all records before the position are newer than the file's last write.
    ///
    /// - Throws: a `KafkaError` if a record cannot be read.
    func isRecreated(
        _ place: KafkaTopicPartition, _ ends: KafkaWatermarks, _ parts: Parts
    ) async throws -> Bool {
        guard let known = try parts.database.store.position(of: place) else { return false }
        if known.next > ends.high.rawValue { return true }
        if let last = known.last, last.offset >= ends.low.rawValue, last.offset < ends.high.rawValue {
            let found = try await parts.changelog.queries.firstRecord(of: place, at: KafkaOffset(rawValue: last.offset))
            if let found, found.offset == last.offset { return found.digest != last.digest }
        }
        // If the file has been out of date for longer than the tombstone retention, no check is needed: `startOffset`
        // discards its rows.
        let now = clocks.wallMilliseconds()
        guard now - known.seen <= parts.changelog.retention[place.topic] ?? 0, known.next > ends.low.rawValue,
            ends.low < ends.high, let oldest = try await parts.changelog.queries.firstRecord(of: place, at: ends.low),
            oldest.offset < known.next, let timestamp = oldest.timestamp, timestamp <= now + Self.clockDifference
        else { return false }
        // The file cannot have applied a record that was written after the file's last write, so such a record belongs
        // to a recreated topic.
        return timestamp > known.seen + Self.clockDifference
    }

    /// How far the clock of a record's writer, or this machine's own clock earlier on, may be ahead of this machine's
    /// clock, in milliseconds.
    static var clockDifference: Int64 { 300_000 }
}
