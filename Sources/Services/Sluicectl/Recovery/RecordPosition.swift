internal import Configuration
internal import Kafka

/// The position of a record in its topic, as operators type it: `3-17` is offset 17 of partition 3.
struct RecordPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    let partition: KafkaPartition
    let offset: KafkaOffset

    init(partition: KafkaPartition, offset: KafkaOffset) {
        self.partition = partition
        self.offset = offset
    }

    init(_ record: KafkaRecord) { self.init(partition: record.partition, offset: record.offset) }

    /// Parses `PARTITION-OFFSET`; returns nil if the text has a different format.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let partition = Int32(parts[0]), let offset = Int64(parts[1]), partition >= 0,
            offset >= 0,
            offset < .max
        else { return nil }
        self.init(partition: KafkaPartition(rawValue: partition), offset: KafkaOffset(rawValue: offset))
    }

    var description: String { "\(partition.rawValue)-\(offset.rawValue)" }

    static func < (left: RecordPosition, right: RecordPosition) -> Bool {
        (left.partition.rawValue, left.offset.rawValue) < (right.partition.rawValue, right.offset.rawValue)
    }
}

extension ValueKind where Value == RecordPosition {
    static var position: ValueKind {
        ValueKind(
            name: "PARTITION-OFFSET", expected: "a partition and an offset, separated by a hyphen", example: "0-17",
            text: \.description
        ) { text throws(SettingError) in
            guard let position = RecordPosition(text) else {
                throw SettingError("must be a partition and an offset, such as 0-17")
            }
            return position
        }
    }
}
