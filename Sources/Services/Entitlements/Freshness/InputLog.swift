internal import Kafka

/// The ends of a partition's log: the offset of its oldest record, and the offset after its newest one.
struct LogEnds: Sendable, Equatable {
    var low: Int64
    var high: Int64
}

/// Provides the brokers' offsets and timestamps for the input and its consumer group.
protocol InputLog: Sendable {
    /// Returns both ends of each partition's log, in partition order.
    func ends(of topic: KafkaTopic) async throws -> [LogEnds]
    /// Returns the group's committed offsets, which are the next ones to read. Partitions without a commit are omitted.
    func committedOffsets(of partitions: [KafkaTopicPartition]) async throws -> [KafkaTopicPartition: KafkaOffset]
    /// Returns the timestamps of the first records at or after the given offsets, in milliseconds since 1970. Omits
    /// partitions without such a record, and records without a timestamp.
    func timestamps(at offsets: [KafkaTopicPartition: KafkaOffset]) async throws -> [KafkaTopicPartition: Int64]
}

/// The input in Kafka.
struct KafkaInputLog: InputLog {
    private static let limit = Duration.seconds(4)

    let kafka: KafkaConfiguration
    let admin: KafkaAdmin
    let group: KafkaConsumerGroup

    func ends(of topic: KafkaTopic) async throws -> [LogEnds] {
        let ends = try await admin.watermarks(of: topic, within: Self.limit)
        return ends.sorted { $0.key.partition.rawValue < $1.key.partition.rawValue }
            .map { LogEnds(low: $0.value.low.rawValue, high: $0.value.high.rawValue) }
    }

    func committedOffsets(of partitions: [KafkaTopicPartition]) async throws -> [KafkaTopicPartition: KafkaOffset] {
        try await admin.committedOffsets(of: group, partitions: partitions, within: Self.limit)
    }

    func timestamps(at offsets: [KafkaTopicPartition: KafkaOffset]) async throws -> [KafkaTopicPartition: Int64] {
        let consumer = KafkaConsumer(kafka, source: .partitions(offsets)) { _ in }
        try await consumer.start()
        var timestamps: [KafkaTopicPartition: Int64] = [:]
        for partition in await consumer.assignedPartitions {
            let records = await partition.next(maxRecords: 1, within: Self.limit)
            timestamps[partition.topicPartition] = records?.first?.timestampMilliseconds
        }
        await consumer.close(within: .seconds(2))
        return timestamps
    }
}
