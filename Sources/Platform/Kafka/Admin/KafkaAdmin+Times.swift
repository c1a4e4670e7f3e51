internal import CRdKafka
internal import Primitives

extension KafkaAdmin {
    /// Returns, for each partition, the offset of the first record with this timestamp or a later one, or the next
    /// offset if there is no such record. Brokers perform the search.
    ///
    /// - Parameter milliseconds: milliseconds since 1970.
    /// - Throws: a leader's error; `timedOut` if a leader does not answer within `limit`.
    public func offsets(
        in topic: KafkaTopic, at milliseconds: Int64, within limit: Duration = .seconds(10)
    ) async throws(KafkaError) -> [KafkaTopicPartition: KafkaOffset] {
        let watermarks = try await watermarks(of: topic, within: limit)
        return try await run { handle throws(KafkaError) in
            let list = PartitionList(capacity: watermarks.count)
            // The request contains the timestamp in its offset field, where negative values have a special meaning.
            for place in watermarks.keys { list.append(place, offset: KafkaOffset(rawValue: max(0, milliseconds))) }
            let code = rd_kafka_offsets_for_times(
                handle.client.raw, list.pointer, Int32(clamping: limit.clampedMilliseconds))
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
                throw KafkaError(code, during: "failed to look up offsets of \(topic) by time")
            }
            var offsets: [KafkaTopicPartition: KafkaOffset] = [:]
            for element in list.elements {
                let place = element.topicPartition
                if let code = element.code {
                    throw KafkaError(code, "failed to look up an offset of \(place) by time: \(code)")
                }
                offsets[place] = element.offset.rawValue < 0 ? watermarks[place]?.high : element.offset
            }
            return offsets
        }
    }
}
