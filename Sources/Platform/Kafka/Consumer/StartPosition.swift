internal import CRdKafka
internal import Time

/// Where reading a partition starts.
struct StartPosition: Sendable {
    let place: KafkaTopicPartition
    let offset: KafkaOffset
    /// False when the group has no offset for it yet.
    let isCommitted: Bool

    /// How long one question to a broker may take.
    static let patience: Duration = .seconds(5)

    /// The committed offset of each partition, or its beginning when there is none. Waits for brokers.
    static func find(
        for places: [KafkaTopicPartition], handle: KafkaHandle
    ) -> Result<[StartPosition], KafkaError> {
        let list = PartitionList(places)
        let code = rd_kafka_committed(handle.client.raw, list.pointer, Int32(clamping: patience.clampedMilliseconds))
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            return .failure(KafkaError(code, during: "asking for committed offsets"))
        }
        var positions: [StartPosition] = []
        for element in list.elements {
            if let code = element.code {
                return .failure(KafkaError(code, "asking for the committed offset of \(element.topicPartition)"))
            }
            if element.offset >= 0 {
                positions.append(
                    StartPosition(place: element.topicPartition, offset: element.offset, isCommitted: true))
                continue
            }
            switch KafkaWatermarks.query(element.topicPartition, within: patience, handle: handle) {
            case .success(let watermarks):
                positions.append(
                    StartPosition(place: element.topicPartition, offset: watermarks.low, isCommitted: false))
            case .failure(let error):
                return .failure(error)
            }
        }
        return .success(positions)
    }
}
