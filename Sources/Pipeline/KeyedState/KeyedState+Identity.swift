internal import Kafka

extension KeyedState {
    /// Whether a partition of the state's topic is another one than the file has applied: shorter, or with another record
    /// in front of the position. One that was compacted away since tells nothing.
    ///
    /// - Throws: a `KafkaError` when the record cannot be had.
    func isRecreated(
        _ place: KafkaTopicPartition, _ ends: KafkaWatermarks, _ parts: Parts
    ) async throws -> Bool {
        guard let known = try parts.store.position(of: place) else { return false }
        if known.next > ends.high.rawValue { return true }
        guard let last = known.last, last.offset >= ends.low.rawValue, last.offset < ends.high.rawValue else {
            return false
        }
        let found = try await parts.queries.firstRecord(of: place, at: KafkaOffset(rawValue: last.offset))
        guard let found, found.offset == last.offset else { return false }
        return found.digest != last.digest
    }
}
