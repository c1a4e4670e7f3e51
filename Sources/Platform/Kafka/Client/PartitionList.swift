internal import CRdKafka

/// An `rd_kafka_topic_partition_list_t` that is freed when its owner goes out of scope. After a list has been passed to
/// `rd_kafka_offsets_store`, `rd_kafka_destroy` blocks until the list is freed.
struct PartitionList: ~Copyable {
    /// Owned by this value and never stored elsewhere.
    let pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

    /// Creates an empty list with space for `capacity` partitions. The list grows automatically.
    init(capacity: Int = 1) {
        pointer = rd_kafka_topic_partition_list_new(Int32(clamping: capacity))
    }

    /// Creates a list of these partitions without offsets.
    init(_ partitions: some Collection<KafkaTopicPartition>) {
        self.init(capacity: partitions.count)
        for partition in partitions { append(partition) }
    }

    /// Takes ownership of a list that librdkafka returned.
    init(taking pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) {
        self.pointer = pointer
    }

    /// Copies a list owned by another object, such as an event.
    init(copying pointer: UnsafePointer<rd_kafka_topic_partition_list_t>) {
        self.pointer = rd_kafka_topic_partition_list_copy(pointer)
    }

    deinit { rd_kafka_topic_partition_list_destroy(pointer) }

    var count: Int { Int(pointer.pointee.cnt) }

    /// Appends a partition; `offset` is the next offset to read or commit.
    func append(_ partition: KafkaTopicPartition, offset: KafkaOffset = .none) {
        let element = rd_kafka_topic_partition_list_add(pointer, partition.topic.rawValue, partition.partition.rawValue)
        element?.pointee.offset = offset.rawValue
    }

    /// The partitions with their offsets and errors, as values.
    var elements: [Element] { Element.all(in: pointer) }

    /// One entry of a list as a value.
    struct Element {
        let topicPartition: KafkaTopicPartition
        let offset: KafkaOffset
        let code: KafkaError.Code?

        /// Returns the entries of a list without taking ownership.
        static func all(in pointer: UnsafePointer<rd_kafka_topic_partition_list_t>) -> [Element] {
            UnsafeBufferPointer(start: pointer.pointee.elems, count: Int(pointer.pointee.cnt)).map { element in
                Element(
                    topicPartition: KafkaTopicPartition(
                        topic: KafkaTopic(rawValue: String(cString: element.topic)),
                        partition: KafkaPartition(rawValue: element.partition)),
                    offset: KafkaOffset(rawValue: element.offset),
                    code: element.err == RD_KAFKA_RESP_ERR_NO_ERROR
                        ? nil : KafkaError.Code(rawValue: element.err.rawValue))
            }
        }
    }
}
