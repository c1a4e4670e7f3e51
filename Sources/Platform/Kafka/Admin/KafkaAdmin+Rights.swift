internal import CRdKafka
internal import Primitives

extension KafkaAdmin {
    /// Returns the topics that this user may not describe.
    ///
    /// Brokers omit these topics from the list of all topics. A request for one topic by name fails with an
    /// authorization error, whether or not the topic exists.
    ///
    /// - Throws: the error of the first request that fails, such as one that is not answered within `limit`.
    public func deniedTopics(
        among topics: [KafkaTopic], within limit: Duration = .seconds(10)
    ) async throws(KafkaError) -> Set<KafkaTopic> {
        // The embedded broker has no access control and creates any topic requested by name.
        if try await isEmbeddedBroker(within: limit) { return [] }
        return try await run { handle throws(KafkaError) in
            var denied: Set<KafkaTopic> = []
            for topic in topics where try Self.isDenied(topic, on: handle, within: limit) { denied.insert(topic) }
            return denied
        }
    }

    private static func isDenied(
        _ topic: KafkaTopic, on handle: KafkaHandle, within limit: Duration
    ) throws(KafkaError) -> Bool {
        guard let pointer = rd_kafka_topic_new(handle.client.raw, topic.rawValue, nil) else {
            throw KafkaError(rd_kafka_last_error(), during: "topic \(topic)")
        }
        defer { rd_kafka_topic_destroy(pointer) }
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let code = rd_kafka_metadata(
            handle.client.raw, 0, pointer, &metadata, Int32(clamping: limit.clampedMilliseconds))
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata else {
            throw KafkaError(code, during: "describe topic \(topic)")
        }
        defer { rd_kafka_metadata_destroy(metadata) }
        return metadata.pointee.topic_cnt > 0
            && metadata.pointee.topics[0].err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED
    }
}
