internal import CRdKafka
internal import Primitives

/// The oldest and the next offset of a partition's log.
public struct KafkaWatermarks: Sendable, Hashable {
    /// The offset of the oldest record, or `high` if the log is empty.
    public let low: KafkaOffset
    /// One past the newest record's offset.
    public let high: KafkaOffset

    /// Queries the partition's leader. Blocks.
    static func query(
        _ place: KafkaTopicPartition, within limit: Duration, handle: KafkaHandle
    ) -> Result<KafkaWatermarks, KafkaError> {
        var low: Int64 = -1
        var high: Int64 = -1
        let code = rd_kafka_query_watermark_offsets(
            handle.client.raw, place.topic.rawValue, place.partition.rawValue, &low, &high,
            Int32(clamping: limit.clampedMilliseconds))
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            return .failure(KafkaError(code, during: "querying the watermarks of \(place)"))
        }
        return .success(KafkaWatermarks(low: KafkaOffset(rawValue: low), high: KafkaOffset(rawValue: high)))
    }

    /// Queries the leaders of several partitions, with two requests to each leader. Blocks.
    ///
    /// If a leader rejects one partition, librdkafka may drop the results for others, so every partition without a
    /// result is then queried separately.
    static func query(
        _ places: [KafkaTopicPartition], within limit: Duration, handle: KafkaHandle
    ) -> [KafkaTopicPartition: Result<KafkaWatermarks, KafkaError>] {
        let deadline = ContinuousClock.now + limit
        guard places.count > 1,
            let lows = offsets(of: places, .beginning, until: deadline, handle),
            let highs = offsets(of: places, .end, until: deadline, handle)
        else { return eachAlone(places, until: deadline, handle) }
        var results: [KafkaTopicPartition: Result<KafkaWatermarks, KafkaError>] = [:]
        var missing: [KafkaTopicPartition] = []
        for place in places {
            if let low = lows[place], let high = highs[place] {
                results[place] = .success(KafkaWatermarks(low: min(low, high), high: high))
            } else {
                missing.append(place)
            }
        }
        return results.merging(eachAlone(missing, until: deadline, handle)) { known, _ in known }
    }

    private static func eachAlone(
        _ places: [KafkaTopicPartition], until deadline: ContinuousClock.Instant, _ handle: KafkaHandle
    ) -> [KafkaTopicPartition: Result<KafkaWatermarks, KafkaError>] {
        var results: [KafkaTopicPartition: Result<KafkaWatermarks, KafkaError>] = [:]
        for place in places {
            let left = max(.milliseconds(1), deadline - .now)
            results[place] = query(place, within: left, handle: handle)
        }
        return results
    }

    /// Returns the low or high watermark of each partition, depending on `end`. Omits partitions missing from the
    /// leader's response. Returns nil if the request fails.
    private static func offsets(
        of places: [KafkaTopicPartition], _ end: KafkaOffset, until deadline: ContinuousClock.Instant,
        _ handle: KafkaHandle
    ) -> [KafkaTopicPartition: KafkaOffset]? {
        // The protocol has no request for watermarks. They are the offsets at two reserved timestamps.
        let list = PartitionList(capacity: places.count)
        for place in places { list.append(place, offset: end) }
        let left = max(.milliseconds(1), deadline - .now)
        let code = rd_kafka_offsets_for_times(
            handle.client.raw, list.pointer, Int32(clamping: left.clampedMilliseconds))
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
        var offsets: [KafkaTopicPartition: KafkaOffset] = [:]
        // The offset of an element without a response is still the negative number from the request.
        for element in list.elements where element.code == nil && element.offset.rawValue >= 0 {
            offsets[element.topicPartition] = element.offset
        }
        return offsets
    }
}
