internal import CRdKafka
internal import Primitives

/// The position at which reading a partition starts.
struct StartPosition: Sendable {
    let place: KafkaTopicPartition
    let offset: KafkaOffset
    /// Whether `offset` is already committed or cannot be committed. If false, the group should commit it.
    let isCommitted: Bool

    /// The maximum time for each of two steps: querying all committed offsets, and querying the first offsets of the
    /// partitions without a committed offset.
    static let requestTimeout: Duration = .seconds(5)

    /// Returns the committed offset of each partition, or its beginning if there is none. Blocks.
    ///
    /// If the first offset of a partition cannot be queried, the partition starts at ``KafkaOffset/beginning``. That
    /// offset cannot be committed, so the group commits nothing for the partition before its first record.
    static func find(
        for places: [KafkaTopicPartition], handle: KafkaHandle
    ) -> Result<[StartPosition], KafkaError> {
        let list = PartitionList(places)
        let code = rd_kafka_committed(
            handle.client.raw, list.pointer, Int32(clamping: requestTimeout.clampedMilliseconds))
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            return .failure(KafkaError(code, during: "fetching committed offsets"))
        }
        var positions: [StartPosition] = []
        var unread: [KafkaTopicPartition] = []
        for element in list.elements {
            if let code = element.code {
                return .failure(KafkaError(code, "failed to fetch the committed offset of \(element.topicPartition)"))
            }
            guard element.offset >= 0 else {
                unread.append(element.topicPartition)
                continue
            }
            positions.append(StartPosition(place: element.topicPartition, offset: element.offset, isCommitted: true))
        }
        let ends = KafkaWatermarks.query(unread, within: requestTimeout, handle: handle)
        for place in unread {
            let low = try? ends[place]?.get().low
            positions.append(StartPosition(place: place, offset: low ?? .beginning, isCommitted: low == nil))
        }
        return .success(positions)
    }
}
