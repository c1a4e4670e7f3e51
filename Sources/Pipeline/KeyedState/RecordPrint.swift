internal import Bytes
internal import Kafka

/// Tells a record from another one at the same offset: a topic that was deleted and created again has other records
/// at the offsets of the former one.
struct RecordPrint: Sendable, Equatable {
    var offset: Int64
    /// Of timestamp, writer's mark, key and value (FNV-1a).
    var digest: Int64
    /// Milliseconds since 1970, of a record that was read; a database does not keep it.
    var timestamp: Int64?

    init(offset: Int64, digest: Int64) {
        self.offset = offset
        self.digest = digest
    }

    init(_ record: KafkaRecord) {
        var hash = FNV1a.hash([])
        /// A length in front keeps the parts apart, and an absent one from an empty one.
        func add(part bytes: [UInt8]?) {
            add(number: Int64(bytes?.count ?? -1))
            if let bytes { hash = FNV1a.hash(bytes, from: hash) }
        }
        func add(number: Int64) {
            hash = withUnsafeBytes(of: number.littleEndian) { FNV1a.hash($0, from: hash) }
        }
        timestamp = record.timestampMilliseconds
        add(number: record.timestampMilliseconds ?? -1)
        add(part: RecordMark(record)?.text)
        add(part: record.key)
        add(part: record.value)
        offset = record.offset.rawValue
        digest = Int64(bitPattern: hash)
    }
}
