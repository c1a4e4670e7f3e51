internal import CRdKafka

/// The records taken from a partition's queue for one reader, as a list or packed.
struct ReadBatch {
    let isPacked: Bool
    private(set) var records: [KafkaRecord] = []
    private(set) var packed: PackedRecords
    /// The number of records read, including records that the filter excludes.
    private(set) var count = 0
    private(set) var bytes = 0
    /// Reused memory for one record's headers.
    private var headers = PackedHeaders(expecting: 0)

    init(of partition: KafkaTopicPartition, isPacked: Bool) {
        self.isPacked = isPacked
        packed = PackedRecords(partition)
    }

    /// Counts a record of this size.
    mutating func add(bytes: Int) {
        count += 1
        self.bytes += bytes
    }

    mutating func append(_ record: KafkaRecord) {
        if isPacked { packed.append(record) } else { records.append(record) }
        add(bytes: record.payloadBytes)
    }

    /// Appends a copy of a record from librdkafka's memory.
    mutating func append(copying message: UnsafePointer<rd_kafka_message_t>) {
        guard isPacked else { return append(KafkaRecord(copying: message, of: packed.topicPartition)) }
        add(bytes: packed.append(copying: message, headers: &headers))
    }
}
