internal import Kafka

/// The form in which a dead letter is written: at first identical to the record, then adapted if the dead letter topic
/// rejects it.
struct DeadLetterForm: Sendable {
    private(set) var content = DeadLetter.Content.everything
    /// Whether a dead letter that would have no key gets a generated one. Compacted topics reject records without a
    /// key.
    private(set) var needsKey = false

    /// Switches to the next form after the topic rejected the current one.
    ///
    /// - Returns: false if no other form can avoid the error.
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
        // The generated key is unique, so compaction does not remove the dead letter.
        let place = "\(record.topic.rawValue) \(record.partition.rawValue) \(record.offset.rawValue)"
        return recordKey(of: record) ?? (needsKey ? Array(place.utf8) : nil)
    }

    private func recordKey(of record: KafkaRecord) -> [UInt8]? {
        content == .headersOfLetter ? nil : record.key
    }
}
