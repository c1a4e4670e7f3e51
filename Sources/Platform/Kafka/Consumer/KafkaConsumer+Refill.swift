internal import CRdKafka
internal import Dispatch
internal import Time

/// Has librdkafka fetch again as soon as a full queue was read.
///
/// Up to version 2.2 it compares a queue with its limit only when something happens on the connection, else once a
/// second: a reader that empties all queues within that second waits for the rest of it. A question to the leader is
/// such an event. Later versions have `fetch.queue.backoff.ms`.
extension KafkaConsumer {
    /// How long one question may take, and the time between two.
    private static let limit: Duration = .milliseconds(100)
    private static let interval: Duration = .milliseconds(20)

    /// Notes that the queue of a partition was read to its end.
    ///
    /// - Parameter bytes: of key, value and headers of the records that were there.
    func noteEmptied(_ state: PartitionState, bytes: Int) {
        state.bytesSinceRefill += bytes
        guard state.bytesSinceRefill >= refillBytes, !state.isAtEnd else { return }
        state.bytesSinceRefill = 0
        emptied.insert(state.assigned.topicPartition)
        refill()
    }

    private func refill() {
        let places = emptied.filter { partitions[$0] != nil }
        guard !isRefilling, !places.isEmpty, let handle else { return }
        emptied = []
        isRefilling = true
        let home = home
        refilling.async {
            let list = PartitionList(capacity: places.count)
            for place in places { list.append(place, offset: .end) }
            // The answer does not matter.
            _ = rd_kafka_offsets_for_times(
                handle.client.raw, list.pointer, Int32(clamping: Self.limit.clampedMilliseconds))
            home.async { self.assumeIsolated { $0.refilled() } }
        }
    }

    private func refilled() {
        after(Self.interval) { consumer in
            consumer.isRefilling = false
            consumer.refill()
        }
    }
}
