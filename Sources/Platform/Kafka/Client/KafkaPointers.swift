internal import CRdKafka

// librdkafka's types are incomplete in its header, so Swift sees each of them as the same OpaquePointer, and a queue
// would fit where a client is expected. One type for each kind; who frees it is said where it is stored.

/// `rd_kafka_t`: a client.
package struct ClientPointer: @unchecked Sendable {
    // @unchecked Sendable because librdkafka's client may be used from any thread.
    package let raw: OpaquePointer
}

/// `rd_kafka_queue_t`: a reference to a queue.
struct QueuePointer: @unchecked Sendable {
    // @unchecked Sendable because librdkafka's queues may be used from any thread.
    let raw: OpaquePointer
}

/// `rd_kafka_topic_t`: a client's handle of one topic.
struct TopicPointer: @unchecked Sendable {
    // @unchecked Sendable because librdkafka's topic handles may be used from any thread.
    let raw: OpaquePointer
}

/// `rd_kafka_event_t`: one entry of a queue, valid until it is destroyed by the one who polled it.
package struct EventPointer {
    let raw: OpaquePointer

    /// The next entry, or `nil` when the queue has none (`rd_kafka_queue_poll`).
    init?(pollingFrom queue: QueuePointer, timeoutMilliseconds: Int32 = 0) {
        guard let raw = rd_kafka_queue_poll(queue.raw, timeoutMilliseconds) else { return nil }
        self.raw = raw
    }

    var type: Int32 { rd_kafka_event_type(raw) }

    func destroy() { rd_kafka_event_destroy(raw) }
}
