internal import CRdKafka

/// Selects records by their bytes before they are copied out of librdkafka's memory. Copying costs several times as
/// much as searching the bytes.
package struct KafkaRecordFilter: Sendable {
    private let isWanted: @Sendable (_ key: UnsafeRawBufferPointer?, _ value: UnsafeRawBufferPointer?) -> Bool

    /// - Parameter isWanted: called with a record's key and value, which are nil if null. It runs on the consumer's
    ///   queue and must not block. The buffers are valid only during the call.
    package init(
        _ isWanted: @escaping @Sendable (_ key: UnsafeRawBufferPointer?, _ value: UnsafeRawBufferPointer?) -> Bool
    ) {
        self.isWanted = isWanted
    }

    func accepts(_ message: UnsafePointer<rd_kafka_message_t>) -> Bool {
        isWanted(
            Self.bytes(message.pointee.key, message.pointee.key_len),
            Self.bytes(message.pointee.payload, message.pointee.len))
    }

    private static func bytes(_ pointer: UnsafeRawPointer?, _ count: Int) -> UnsafeRawBufferPointer? {
        pointer.map { UnsafeRawBufferPointer(start: $0, count: count) }
    }
}
