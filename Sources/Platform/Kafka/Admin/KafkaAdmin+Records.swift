internal import CRdKafka

extension KafkaAdmin {
    /// Deletes the records before the given offset in each partition. Deleted records cannot be restored.
    ///
    /// - Throws: `notOnEmbeddedBroker` on the embedded broker; the leader's error, such as
    ///   `TOPIC_AUTHORIZATION_FAILED`.
    public func deleteRecords(
        before offsets: [KafkaTopicPartition: KafkaOffset], within limit: Duration = .seconds(10)
    ) async throws(KafkaError) {
        guard !offsets.isEmpty else { return }
        try await requireKafka("delete records", within: limit)
        let request = AdminRequest(
            attempt: "delete records", operation: RD_KAFKA_ADMIN_OP_DELETERECORDS, limit: limit)
        try await run { handle throws(KafkaError) in
            let list = PartitionList(capacity: offsets.count)
            for (partition, offset) in offsets { list.append(partition, offset: offset) }
            var deletion: OpaquePointer? = rd_kafka_DeleteRecords_new(list.pointer)
            defer { rd_kafka_DeleteRecords_destroy(deletion) }
            try request.run(on: handle) { options, queue in
                rd_kafka_DeleteRecords(handle.client.raw, &deletion, 1, options, queue)
            } read: { event throws(KafkaError) in
                guard
                    let partitions = rd_kafka_DeleteRecords_result_offsets(
                        rd_kafka_event_DeleteRecords_result(event))
                else { throw KafkaError(.timedOut, "\(request.attempt): no result") }
                for element in PartitionList.Element.all(in: partitions) {
                    if let code = element.code {
                        throw KafkaError(code, "\(request.attempt): \(element.topicPartition) \(code)")
                    }
                }
            }
        }
    }
}
