internal import CRdKafka
internal import Dispatch
internal import Primitives

/// Makes librdkafka resume fetching as soon as a full queue has been read.
///
/// Up to version 2.2, librdkafka compares a queue with its limit whenever the connection to the leader is active, but
/// otherwise only once a second. A reader that has emptied all queues then waits for the rest of the second. A request
/// to the leader makes the connection active. Later versions have `fetch.queue.backoff.ms`.
extension KafkaConsumer {
    /// The maximum duration of a request.
    private static let limit: Duration = .milliseconds(100)
    /// The interval between two requests.
    private static let interval: Duration = .milliseconds(20)

    /// Notes that a reader received a batch.
    ///
    /// - Parameters:
    ///   - bytes: the total size of the keys, values and headers read.
    ///   - isEmptied: whether the reader emptied the partition's queue.
    func noteRead(_ state: PartitionState, bytes: Int, isEmptied: Bool) {
        let isDue = state.refill.noteRead(bytes: bytes, isEmptied: isEmptied && !state.isAtEnd, threshold: refillBytes)
        guard isDue else { return }
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
            // Ignore the response, because sending the request is enough to make the connection active.
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
