internal import CRdKafka

extension KafkaAdmin {
    /// Commits these offsets, which are the next ones to read, on behalf of a group that has no members.
    ///
    /// - Throws: the coordinator's error, such as `UNKNOWN_MEMBER_ID` if the group has members.
    public func alterOffsets(
        of group: KafkaConsumerGroup, to offsets: [KafkaTopicPartition: KafkaOffset],
        within limit: Duration = .seconds(10)
    ) async throws(KafkaError) {
        guard !offsets.isEmpty else { return }
        try await run(asking: group, within: limit) { handle, left throws(KafkaError) in
            let request = AdminRequest(
                attempt: "offsets of \(group)", operation: RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS, limit: left)
            let list = PartitionList(capacity: offsets.count)
            for (partition, offset) in offsets { list.append(partition, offset: offset) }
            var change: OpaquePointer? = rd_kafka_AlterConsumerGroupOffsets_new(group.rawValue, list.pointer)
            defer { rd_kafka_AlterConsumerGroupOffsets_destroy(change) }
            try request.run(on: handle) { options, queue in
                rd_kafka_AlterConsumerGroupOffsets(handle.client.raw, &change, 1, options, queue)
            } read: { event throws(KafkaError) in
                try Self.check(event, attempt: request.attempt)
            }
        }
    }

    private static func check(_ event: OpaquePointer, attempt: String) throws(KafkaError) {
        var count = 0
        let results = rd_kafka_AlterConsumerGroupOffsets_result_groups(
            rd_kafka_event_AlterConsumerGroupOffsets_result(event), &count)
        guard let results, count == 1 else { throw KafkaError(.timedOut, "\(attempt): no result") }
        if let error = rd_kafka_group_result_error(results[0]) {
            // The event owns the error.
            throw KafkaError(rd_kafka_error_code(error), during: attempt)
        }
        guard let partitions = rd_kafka_group_result_partitions(results[0]) else { return }
        for element in PartitionList.Element.all(in: partitions) {
            if let code = element.code { throw KafkaError(code, "\(attempt): \(element.topicPartition) \(code)") }
        }
    }
}
