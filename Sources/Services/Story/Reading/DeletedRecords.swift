internal import KafkaModel

/// The partitions of a topic whose oldest records Kafka has deleted.
struct DeletedRecords {
    /// The oldest remaining offsets, by partition.
    private let oldest: [(partition: KafkaPartition, offset: KafkaOffset)]

    /// - Parameter lows: the oldest offset in each partition.
    init(_ lows: [KafkaPartition: KafkaOffset]) {
        oldest = lows.filter { $0.value.rawValue > 0 }.sorted { $0.key < $1.key }
            .map { (partition: $0.key, offset: $0.value) }
    }

    /// Returns a gap that lists the partitions, or nil if Kafka has deleted nothing.
    ///
    /// - Parameter hasArchive: whether archived records were read.
    func gap(in topic: KafkaTopic, hasArchive: Bool) -> Story.Gap? {
        guard !oldest.isEmpty else { return nil }
        let list = oldest.map { "\($0.partition) before offset \($0.offset)" }.joined(separator: ", ")
        return Story.Gap(
            "Kafka has deleted records of \(topic), in partitions \(list)"
                + (hasArchive ? "; archived records were read" : ""),
            fix: hasArchive
                ? "Find more archived records with: sluicectl archive find"
                : "Set archive.url, archive.key.store and archive.key.encryption.key.file")
    }
}
