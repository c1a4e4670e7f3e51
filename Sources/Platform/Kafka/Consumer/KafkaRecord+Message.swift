internal import CRdKafka
internal import Glibc

extension PackedRecords {
    /// Appends a copy of a record from librdkafka's memory.
    ///
    /// - Parameter headers: memory for the headers, reused for each record.
    /// - Returns: the number of bytes in the key, the value and the headers.
    mutating func append(
        copying message: UnsafePointer<rd_kafka_message_t>, headers: inout PackedHeaders
    ) -> Int {
        headers.removeAll()
        KafkaRecord.appendHeaders(of: message, to: &headers)
        return append(
            offset: KafkaOffset(rawValue: message.pointee.offset),
            timestampMilliseconds: KafkaRecord.timestamp(of: message),
            key: message.pointee.key.map { UnsafeRawBufferPointer(start: $0, count: message.pointee.key_len) },
            value: message.pointee.payload.map { UnsafeRawBufferPointer(start: $0, count: message.pointee.len) },
            headers: headers)
    }
}

extension KafkaRecord {
    /// Copies a record from librdkafka's memory. A copy is necessary because a message keeps its whole fetch response
    /// alive.
    init(copying message: UnsafePointer<rd_kafka_message_t>, of partition: KafkaTopicPartition) {
        self.init(
            topic: partition.topic, partition: partition.partition,
            offset: KafkaOffset(rawValue: message.pointee.offset),
            timestampMilliseconds: Self.timestamp(of: message),
            key: Self.bytes(message.pointee.key, message.pointee.key_len),
            value: Self.bytes(message.pointee.payload, message.pointee.len), packedHeaders: Self.headers(of: message))
    }

    /// Returns nil for a null pointer, and an empty array for a pointer with length 0.
    private static func bytes(_ pointer: UnsafeRawPointer?, _ count: Int) -> [UInt8]? {
        pointer.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) }
    }

    fileprivate static func timestamp(of message: UnsafePointer<rd_kafka_message_t>) -> Int64? {
        var type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        let timestamp = rd_kafka_message_timestamp(message, &type)
        return type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE || timestamp < 0 ? nil : timestamp
    }

    private static func headers(of message: UnsafePointer<rd_kafka_message_t>) -> PackedHeaders {
        var headers = PackedHeaders(expecting: 0)
        appendHeaders(of: message, to: &headers)
        return headers
    }

    fileprivate static func appendHeaders(
        of message: UnsafePointer<rd_kafka_message_t>, to headers: inout PackedHeaders
    ) {
        var list: OpaquePointer?
        // The message owns the headers. If headers are missing or librdkafka cannot parse them, the list is empty.
        guard rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list else { return }
        headers.reserve(rd_kafka_header_cnt(list))
        var name: UnsafePointer<CChar>?
        var value: UnsafeRawPointer?
        var size = 0
        while rd_kafka_header_get_all(list, headers.count, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR {
            guard let name else { break }
            headers.append(
                name: UnsafeRawBufferPointer(start: name, count: strlen(name)),
                value: value.map { UnsafeRawBufferPointer(start: $0, count: size) })
        }
    }
}
