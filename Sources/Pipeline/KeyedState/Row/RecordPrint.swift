internal import Kafka
internal import Primitives

/// Identifies a record by more than its offset: a topic that was deleted and recreated has different records at the
/// same offsets.
struct RecordPrint: Sendable, Equatable {
    var offset: Int64
    /// FNV-1a hash of the record's timestamp, mark, key and value.
    var digest: Int64
    /// Timestamp of the record as read, milliseconds since 1970; not stored in the database.
    var timestamp: Int64?

    init(offset: Int64, digest: Int64) {
        self.offset = offset
        self.digest = digest
    }

    init(_ record: KafkaRecord) {
        var hash = FNV1a.hash([])
        /// The length prefix delimits the parts and distinguishes an absent part from an empty one.
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
