import Kafka

@testable import PipelineRuntime

/// The dead letters of the input. Each must be a copy of its record.
struct DeadLetterChecks {
    /// The values of the records with a dead letter.
    private(set) var values: Set<[UInt8]> = []

    /// Adds a dead letter.
    ///
    /// - Returns: the difference from the record at the offset in its headers; nil if there is none.
    mutating func add(_ letter: KafkaRecord, _ broker: SimulatedBroker) -> String? {
        guard let record = record(of: letter, broker) else { return "a dead letter of no record" }
        if let value = record.value { values.insert(value) }
        let name = "the dead letter of \(record.topic)[\(record.partition)]@\(record.offset)"
        if letter.value != record.value { return "\(name) has another value" }
        if record.key != nil, letter.key != record.key { return "\(name) has another key" }
        if !letter.headers.starts(with: record.headers) { return "\(name) lacks headers" }
        let timestamp = record.timestampMilliseconds.map(String.init)
        if text(DeadLetterHeader.originalTimestamp, of: letter) != timestamp { return "\(name) has another timestamp" }
        return nil
    }

    private func record(of letter: KafkaRecord, _ broker: SimulatedBroker) -> KafkaRecord? {
        guard let topic = text(DeadLetterHeader.topic, of: letter),
            let partition = text(DeadLetterHeader.partition, of: letter).flatMap({ Int32($0) }),
            let offset = text(DeadLetterHeader.offset, of: letter).flatMap({ Int64($0) })
        else { return nil }
        let place = KafkaTopicPartition(
            topic: KafkaTopic(rawValue: topic), partition: KafkaPartition(rawValue: partition))
        return broker.records(of: place).first { $0.offset.rawValue == offset }
    }

    private func text(_ name: String, of letter: KafkaRecord) -> String? { letter.header(name)?.text }
}
