internal import Kafka

/// The form of a dead letter: at first identical to the record, then changed if the dead letter topic refuses it.
struct DeadLetterForm: Sendable {
    private(set) var content = DeadLetter.Content.everything
    /// Whether a record without a key gets its position as a key, because compacted topics refuse records without a
    /// key.
    private(set) var needsKey = false

    /// Switches to the form for the next attempt after a refusal.
    ///
    /// - Returns: false if no other form could avoid the error.
    mutating func change(after error: any Error, of record: KafkaRecord) -> Bool {
        guard let code = (error as? KafkaError)?.code else { return false }
        if code.isTooLarge, let smaller = content.smaller {
            content = smaller
            return true
        }
        guard code == .recordRejected, !needsKey, recordKey(of: record) == nil else { return false }
        needsKey = true
        return true
    }

    func hasPlaceAsKey(_ record: KafkaRecord) -> Bool { needsKey && recordKey(of: record) == nil }

    func key(of record: KafkaRecord) -> [UInt8]? {
        // A unique key, so that compaction does not remove any dead letters.
        let place = "\(record.topic.rawValue) \(record.partition.rawValue) \(record.offset.rawValue)"
        return recordKey(of: record) ?? (needsKey ? Array(place.utf8) : nil)
    }

    private func recordKey(of record: KafkaRecord) -> [UInt8]? {
        content == .headersOfLetter ? nil : record.key
    }
}
