internal import CRdKafka

// librdkafka's types are incomplete in its header, so Swift imports all of them as OpaquePointer and would accept a
// queue in place of a client. These wrappers distinguish them. Ownership is documented at the property that stores a
// wrapper.

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

/// `rd_kafka_topic_t`: a client's handle for one topic.
struct TopicPointer: @unchecked Sendable {
    // @unchecked Sendable because librdkafka's topic handles may be used from any thread.
    let raw: OpaquePointer
}

/// `rd_kafka_event_t`: one entry of a queue. The code that polls it must destroy it.
package struct EventPointer {
    let raw: OpaquePointer

    /// Polls the next entry (`rd_kafka_queue_poll`). Returns nil if the queue is still empty after the timeout.
    init?(pollingFrom queue: QueuePointer, timeoutMilliseconds: Int32 = 0) {
        guard let raw = rd_kafka_queue_poll(queue.raw, timeoutMilliseconds) else { return nil }
        self.raw = raw
    }

    var type: Int32 { rd_kafka_event_type(raw) }

    func destroy() { rd_kafka_event_destroy(raw) }
}
