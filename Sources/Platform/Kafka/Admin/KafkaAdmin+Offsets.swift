internal import CRdKafka

extension KafkaAdmin {
    /// A consumer group as listed by the cluster.
    public struct Group: Hashable, Sendable {
        /// The group's id.
        public let group: KafkaConsumerGroup
        /// The state, as Kafka's tools print it: `Stable`, `Empty`, `PreparingRebalance` and so on.
        public let state: String
    }

    /// Returns all consumer groups, sorted by id.
    ///
    /// - Throws: `notOnEmbeddedBroker` on the embedded broker.
    public func consumerGroups(within limit: Duration = .seconds(10)) async throws(KafkaError) -> [Group] {
        try await requireKafka("list groups", within: limit)
        let request = AdminRequest(
            attempt: "list groups", operation: RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS, limit: limit)
        return try await run { handle throws(KafkaError) in
            try request.run(on: handle) { options, queue in
                rd_kafka_ListConsumerGroups(handle.client.raw, options, queue)
            } read: { event throws(KafkaError) in
                let result = rd_kafka_event_ListConsumerGroups_result(event)
                var count = 0
                if let errors = rd_kafka_ListConsumerGroups_result_errors(result, &count), count > 0 {
                    // The event owns the errors. Any error means that the list is incomplete, because a broker did not
                    // answer.
                    let code = rd_kafka_error_code(errors[0])
                    throw KafkaError(code, during: "list groups")
                }
                let groups = rd_kafka_ListConsumerGroups_result_valid(result, &count)
                return UnsafeBufferPointer(start: groups, count: count).map { group in
                    let state = rd_kafka_ConsumerGroupListing_state(group)
                    return Group(
                        group: KafkaConsumerGroup(
                            rawValue: String(cString: rd_kafka_ConsumerGroupListing_group_id(group))),
                        state: String(cString: rd_kafka_consumer_group_state_name(state)))
                }
                .sorted { $0.group.rawValue < $1.group.rawValue }
            }
        }
    }

    /// Returns a group's committed offsets for these partitions, which are the next ones to read. Partitions without a
    /// commit are omitted.
    public func committedOffsets(
        of group: KafkaConsumerGroup, partitions: [KafkaTopicPartition], within limit: Duration = .seconds(10)
    ) async throws(KafkaError) -> [KafkaTopicPartition: KafkaOffset] {
        // The embedded broker never answers a request without partitions.
        guard !partitions.isEmpty else { return [:] }
        return try await run(asking: group, within: limit) { handle, left throws(KafkaError) in
            let request = AdminRequest(
                attempt: "committed offsets of \(group)", operation: RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS,
                limit: left)
            let list = PartitionList(partitions)
            var query: OpaquePointer? = rd_kafka_ListConsumerGroupOffsets_new(group.rawValue, list.pointer)
            defer { rd_kafka_ListConsumerGroupOffsets_destroy(query) }
            return try request.run(on: handle) { options, queue in
                rd_kafka_ListConsumerGroupOffsets(handle.client.raw, &query, 1, options, queue)
            } read: { event throws(KafkaError) in
                try Self.committedOffsets(in: event, attempt: request.attempt)
            }
        }
    }

    private static func committedOffsets(
        in event: OpaquePointer, attempt: String
    ) throws(KafkaError) -> [KafkaTopicPartition: KafkaOffset] {
        var count = 0
        let results = rd_kafka_ListConsumerGroupOffsets_result_groups(
            rd_kafka_event_ListConsumerGroupOffsets_result(event), &count)
        guard let results, count == 1 else { throw KafkaError(.timedOut, "\(attempt): no result") }
        if let error = rd_kafka_group_result_error(results[0]) {
            // The event owns the error.
            throw KafkaError(rd_kafka_error_code(error), during: attempt)
        }
        guard let partitions = rd_kafka_group_result_partitions(results[0]) else { return [:] }
        var offsets: [KafkaTopicPartition: KafkaOffset] = [:]
        for element in PartitionList.Element.all(in: partitions) {
            if let code = element.code {
                throw KafkaError(code, "\(attempt): \(element.topicPartition) \(code)")
            }
            if element.offset.rawValue >= 0 { offsets[element.topicPartition] = element.offset }
        }
        return offsets
    }

    /// Returns the oldest and the next offset of a partition, according to its leader.
    ///
    /// - Throws: `timedOut` if the leader does not answer within `limit`.
    public func watermarks(
        of partition: KafkaTopicPartition, within limit: Duration = .seconds(10)
    ) async throws(KafkaError) -> KafkaWatermarks {
        try await retrying(within: limit) { left throws(KafkaError) in
            try await run { handle throws(KafkaError) in
                try KafkaWatermarks.query(partition, within: left, handle: handle).get()
            }
        }
    }
}
