internal import CRdKafka
internal import Primitives

extension KafkaAdmin {
    /// Creates topics.
    ///
    /// - Returns: an error, such as `topicAlreadyExists`, for each topic that was not created.
    /// - Throws: a `KafkaError` if the whole request fails; `notOnEmbeddedBroker` on the embedded broker, where the
    ///   host process creates topics.
    public func createTopics(
        _ topics: [KafkaNewTopic], within limit: Duration = .seconds(20)
    ) async throws(KafkaError) -> [KafkaTopic: KafkaError] {
        try await requireKafka("create topics", within: limit)
        guard !topics.isEmpty else { return [:] }
        let request = AdminRequest(attempt: "create topics", operation: RD_KAFKA_ADMIN_OP_CREATETOPICS, limit: limit)
        return try await run { handle throws(KafkaError) in
            var pointers: [OpaquePointer?] = []
            defer { for pointer in pointers { rd_kafka_NewTopic_destroy(pointer) } }
            for topic in topics { pointers.append(try topic.makePointer()) }
            return try request.run(on: handle) { options, queue in
                rd_kafka_CreateTopics(handle.client.raw, &pointers, pointers.count, options, queue)
            } read: { event throws(KafkaError) in
                var count = 0
                let results = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count)
                var errors: [KafkaTopic: KafkaError] = [:]
                for result in UnsafeBufferPointer(start: results, count: count) {
                    let code = rd_kafka_topic_result_error(result)
                    guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { continue }
                    let name = KafkaTopic(rawValue: String(cString: rd_kafka_topic_result_name(result)))
                    let reason = rd_kafka_topic_result_error_string(result).map { String(cString: $0) } ?? ""
                    errors[name] = KafkaError(KafkaError.Code(rawValue: code.rawValue), "create \(name): \(reason)")
                }
                return errors
            }
        }
    }

    /// Whether to read topic settings, which requires a separate permission (`DescribeConfigs`).
    public enum TopicSettings: Sendable {
        case required
        /// A topic's settings are omitted if this user is not authorized to read them.
        case whereAllowed
        case none
    }

    /// Describes these topics, or all topics if `topics` is nil. Topics that do not exist are omitted.
    ///
    /// - Throws: `topicAuthorizationFailed` if settings are required but this user is not authorized to read them.
    public func describeTopics(
        _ topics: [KafkaTopic]? = nil, settings: TopicSettings = .required, within limit: Duration = .seconds(10)
    ) async throws(KafkaError) -> [KafkaTopicDescription] {
        let isEmbedded = try await isEmbeddedBroker(within: limit)
        let wanted = topics.map(Set.init)
        return try await run { handle throws(KafkaError) in
            // Request all topics, because the embedded broker creates any topic requested by name.
            let layouts = try Self.layouts(of: wanted, on: handle, within: limit)
            guard !isEmbedded, !layouts.isEmpty, settings != .none else {
                return layouts.map { KafkaTopicDescription(topic: $0, partitions: $1, configuration: nil) }
            }
            let configurations = try Self.configurations(
                of: layouts.map(\.0), areRequired: settings == .required, on: handle, within: limit)
            return layouts.map {
                KafkaTopicDescription(topic: $0, partitions: $1, configuration: configurations[$0])
            }
        }
    }

    /// Compares topics with expectations. A topic that meets its expectation has no findings.
    public func checkTopics(
        _ expectations: [KafkaTopicExpectation], within limit: Duration = .seconds(10)
    ) async throws(KafkaError) -> [KafkaTopicFinding] {
        let descriptions = try await describeTopics(expectations.map(\.topic), within: limit)
        return expectations.flatMap { expectation in
            expectation.findings(in: descriptions.first { $0.topic == expectation.topic })
        }
    }

    typealias Layout = (KafkaTopic, [KafkaTopicDescription.Partition])

    static func layouts(
        of wanted: Set<KafkaTopic>?, on handle: KafkaHandle, within limit: Duration
    ) throws(KafkaError) -> [Layout] {
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let code = rd_kafka_metadata(handle.client.raw, 1, nil, &metadata, Int32(clamping: limit.clampedMilliseconds))
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata else {
            throw KafkaError(code, during: "describe topics")
        }
        defer { rd_kafka_metadata_destroy(metadata) }
        var layouts: [Layout] = []
        for topic in UnsafeBufferPointer(start: metadata.pointee.topics, count: Int(metadata.pointee.topic_cnt)) {
            let name = KafkaTopic(rawValue: String(cString: topic.topic))
            guard wanted?.contains(name) ?? true, topic.err == RD_KAFKA_RESP_ERR_NO_ERROR else { continue }
            let partitions = UnsafeBufferPointer(start: topic.partitions, count: Int(topic.partition_cnt)).map {
                KafkaTopicDescription.Partition(
                    partition: KafkaPartition(rawValue: $0.id), leader: $0.leader < 0 ? nil : $0.leader,
                    replicas: Array(UnsafeBufferPointer(start: $0.replicas, count: Int($0.replica_cnt))),
                    inSyncReplicas: Array(UnsafeBufferPointer(start: $0.isrs, count: Int($0.isr_cnt))))
            }
            layouts.append((name, partitions.sorted { $0.partition < $1.partition }))
        }
        return layouts.sorted { $0.0.rawValue < $1.0.rawValue }
    }

    private static func configurations(
        of topics: [KafkaTopic], areRequired: Bool, on handle: KafkaHandle, within limit: Duration
    ) throws(KafkaError) -> [KafkaTopic: [String: String]] {
        var resources: [OpaquePointer?] = topics.map {
            rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, $0.rawValue)
        }
        defer { for resource in resources { rd_kafka_ConfigResource_destroy(resource) } }
        let request = AdminRequest(
            attempt: "describe topic settings", operation: RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, limit: limit)
        return try request.run(on: handle) { options, queue in
            rd_kafka_DescribeConfigs(handle.client.raw, &resources, resources.count, options, queue)
        } read: { event throws(KafkaError) in
            var count = 0
            let results = rd_kafka_DescribeConfigs_result_resources(
                rd_kafka_event_DescribeConfigs_result(event), &count)
            var configurations: [KafkaTopic: [String: String]] = [:]
            for resource in UnsafeBufferPointer(start: results, count: count) {
                let name = KafkaTopic(rawValue: String(cString: rd_kafka_ConfigResource_name(resource)))
                let code = rd_kafka_ConfigResource_error(resource)
                if code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, !areRequired { continue }
                guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
                    throw KafkaError(code, during: "describe settings of \(name)")
                }
                configurations[name] = settings(of: resource)
            }
            return configurations
        }
    }

    private static func settings(of resource: OpaquePointer?) -> [String: String] {
        var count = 0
        let entries = rd_kafka_ConfigResource_configs(resource, &count)
        var settings: [String: String] = [:]
        for entry in UnsafeBufferPointer(start: entries, count: count)
        where rd_kafka_ConfigEntry_is_sensitive(entry) == 0 {
            guard let value = rd_kafka_ConfigEntry_value(entry) else { continue }
            settings[String(cString: rd_kafka_ConfigEntry_name(entry))] = String(cString: value)
        }
        return settings
    }
}
