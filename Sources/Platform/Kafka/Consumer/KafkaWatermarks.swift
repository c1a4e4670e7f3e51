internal import CRdKafka
internal import Time

/// The ends of a partition's log.
public struct KafkaWatermarks: Sendable, Hashable {
    /// The offset of the oldest record, or `high` when the log is empty.
    public let low: KafkaOffset
    /// One past the offset of the newest record.
    public let high: KafkaOffset

    /// Asks the partition's leader. Waits for it.
    static func query(
        _ place: KafkaTopicPartition, within limit: Duration, handle: KafkaHandle
    ) -> Result<KafkaWatermarks, KafkaError> {
        var low: Int64 = -1
        var high: Int64 = -1
        let code = rd_kafka_query_watermark_offsets(
            handle.client.raw, place.topic.rawValue, place.partition.rawValue, &low, &high,
            Int32(clamping: limit.clampedMilliseconds))
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            return .failure(KafkaError(code, during: "asking for the ends of \(place)"))
        }
        return .success(KafkaWatermarks(low: KafkaOffset(rawValue: low), high: KafkaOffset(rawValue: high)))
    }
}
