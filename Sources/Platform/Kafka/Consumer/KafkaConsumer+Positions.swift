internal import CRdKafka
internal import Dispatch
internal import Primitives

extension KafkaConsumer {
    /// Commits the stored offsets of these partitions synchronously within a limit, then calls `completion`. A failure
    /// is only reported, because the next owner reads the records again.
    func commit(
        _ states: [PartitionState], within limit: Duration,
        then completion: @escaping @Sendable (isolated KafkaConsumer) -> Void
    ) {
        let offsets = states.compactMap { state -> (KafkaTopicPartition, KafkaOffset)? in
            guard let stored = state.stored, stored != state.committed else { return nil }
            return (state.assigned.topicPartition, stored)
        }
        guard case .group = source, !offsets.isEmpty, handle != nil else { return completion(self) }
        block({ Self.commit(offsets, within: limit, handle: $0) }) { consumer, error in
            if let error {
                consumer.emit(.commitFailed(error))
            } else {
                for (place, offset) in offsets { consumer.partitions[place]?.committed = offset }
            }
            completion(consumer)
        }
    }

    private static func commit(
        _ offsets: [(KafkaTopicPartition, KafkaOffset)], within limit: Duration, handle: KafkaHandle
    ) -> KafkaError? {
        let attempt = "committing offsets before partitions are revoked"
        let list = PartitionList(capacity: offsets.count)
        for (place, offset) in offsets { list.append(place, offset: offset) }
        guard let queue = rd_kafka_queue_new(handle.client.raw) else { return nil }
        defer { rd_kafka_queue_destroy(queue) }
        let code = rd_kafka_commit_queue(handle.client.raw, list.pointer, queue, nil, nil)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { return KafkaError(code, during: attempt) }
        guard
            let event = EventPointer(
                pollingFrom: QueuePointer(raw: queue), timeoutMilliseconds: Int32(clamping: limit.clampedMilliseconds))
        else { return KafkaError(.timedOut, "\(attempt): no response") }
        defer { event.destroy() }
        let answer = rd_kafka_event_error(event.raw)
        if answer != RD_KAFKA_RESP_ERR_NO_ERROR, answer != RD_KAFKA_RESP_ERR__NO_OFFSET {
            return KafkaError(answer, during: attempt)
        }
        let refused = rd_kafka_event_topic_partition_list(event.raw).flatMap { list in
            PartitionList.Element.all(in: list).first { $0.code != nil }
        }
        return refused.flatMap { element in
            element.code.map { KafkaError($0, "\(attempt): \(element.topicPartition)") }
        }
    }
}
