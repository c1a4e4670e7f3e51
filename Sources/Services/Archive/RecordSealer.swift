internal import ArchiveFormat
internal import ArchiveKeys
internal import Kafka
internal import Time

/// Makes the entries of records: encrypted under the key of the person that they are about.
struct RecordSealer: Sendable {
    let keys: KeyStore
    let topics: ArchivedTopics
    let clusterId: String
    let clocks: Clocks

    /// One entry for each record. The keys that they need are durable in the key store before this returns.
    func seal(_ records: [KafkaRecord]) throws -> [ArchiveEntry] {
        guard let first = records.first else { return [] }
        guard let topic = topics[first.topic] else { throw UnknownTopic(topic: first.topic) }
        let now = clocks.wallMilliseconds()
        var protections = try keys.dataKeys(
            for: records.compactMap { record in
                topic.subject(of: record).map {
                    DataKeyRequest(subject: $0, eventTimeMilliseconds: topic.eventTime(of: record) ?? now)
                }
            }
        )[...]
        var entries: [ArchiveEntry] = []
        entries.reserveCapacity(records.count)
        for record in records {
            let protection = topic.kind.isPersonal ? protections.popFirst() ?? .erased : .plain
            entries.append(
                try ArchiveEntry(
                    record, kind: topic.kind, clusterId: clusterId, archivedAtMilliseconds: now,
                    protection: protection))
        }
        return entries
    }

    /// The entry of offsets under which there is no record.
    func gap(
        _ offsets: Range<KafkaOffset>, _ reason: ArchiveGap.Reason, in partition: KafkaTopicPartition
    ) throws -> ArchiveEntry {
        try ArchiveEntry(
            gap: offsets.lowerBound.rawValue..<offsets.upperBound.rawValue, reason: reason, of: partition,
            clusterId: clusterId, archivedAtMilliseconds: clocks.wallMilliseconds())
    }
}

/// Our bug, met gently: the pipeline reads a topic that the archive does not know.
struct UnknownTopic: Error, CustomStringConvertible {
    let topic: KafkaTopic

    var description: String { "\(topic) is not archived" }
}
