internal import CRdKafka

// librdkafka's types are incomplete in its header, so Swift imports all of them as OpaquePointer, and a queue could be
// passed where a client is expected. These wrappers tell them apart. The property that stores a wrapper documents which
// code frees it.

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

/// `rd_kafka_event_t`: one entry of a queue. The caller that polled it must destroy it.
package struct EventPointer {
    let raw: OpaquePointer

    /// Polls the next entry; returns nil if the queue is empty (`rd_kafka_queue_poll`).
    init?(pollingFrom queue: QueuePointer, timeoutMilliseconds: Int32 = 0) {
        guard let raw = rd_kafka_queue_poll(queue.raw, timeoutMilliseconds) else { return nil }
        self.raw = raw
    }

    var type: Int32 { rd_kafka_event_type(raw) }

    func destroy() { rd_kafka_event_destroy(raw) }
}
