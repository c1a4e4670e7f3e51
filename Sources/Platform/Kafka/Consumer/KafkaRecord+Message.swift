internal import CRdKafka
internal import Glibc

extension KafkaRecord {
    /// Copies a record from librdkafka's memory, because a message keeps its whole fetch response alive.
    init(copying message: UnsafePointer<rd_kafka_message_t>, of partition: KafkaTopicPartition) {
        var type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        let timestamp = rd_kafka_message_timestamp(message, &type)
        self.init(
            topic: partition.topic, partition: partition.partition,
            offset: KafkaOffset(rawValue: message.pointee.offset),
            timestampMilliseconds: type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE || timestamp < 0 ? nil : timestamp,
            key: Self.bytes(message.pointee.key, message.pointee.key_len),
            value: Self.bytes(message.pointee.payload, message.pointee.len), packedHeaders: Self.headers(of: message))
    }

    /// Returns nil for a null pointer, and an empty array for a pointer with length 0.
    private static func bytes(_ pointer: UnsafeRawPointer?, _ count: Int) -> [UInt8]? {
        pointer.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) }
    }

    private static func headers(of message: UnsafePointer<rd_kafka_message_t>) -> PackedHeaders {
        var list: OpaquePointer?
        // The message owns the headers. If headers are missing or librdkafka cannot parse them, the list is empty.
        guard rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list else {
            return PackedHeaders(expecting: 0)
        }
        var headers = PackedHeaders(expecting: rd_kafka_header_cnt(list))
        var name: UnsafePointer<CChar>?
        var value: UnsafeRawPointer?
        var size = 0
        while rd_kafka_header_get_all(list, headers.count, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR {
            guard let name else { break }
            headers.append(
                name: UnsafeRawBufferPointer(start: name, count: strlen(name)),
                value: value.map { UnsafeRawBufferPointer(start: $0, count: size) })
        }
        return headers
    }
}
