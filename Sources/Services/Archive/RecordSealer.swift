internal import ArchiveKeys
internal import ArchiveLog
internal import Kafka

/// Turns records into entries, each encrypted under the key of the record's subject.
struct RecordSealer: Sendable {
    /// Returns the protection for each request's record; see ``SharedKeys/dataKeys(for:)``.
    let dataKeys: @Sendable ([DataKeyRequest]) async throws -> [ArchiveProtection]
    let topics: ArchivedTopics
    let clusterId: String

    /// Returns one entry per record, once the keys of all records are durable in Kafka.
    ///
    /// - Parameter now: milliseconds since 1970.
    func seal(_ records: [KafkaRecord], at now: Int64) async throws -> [ArchiveEntry] {
        guard let first = records.first else { return [] }
        guard let topic = topics[first.topic] else { throw ArchiveServiceError.unknownTopic(first.topic) }
        let requests = records.compactMap { record in
            topic.subject(of: record).map {
                DataKeyRequest(subject: $0, eventTimeMilliseconds: topic.eventTime(of: record) ?? now)
            }
        }
        return try seal(records, of: topic, under: try await dataKeys(requests), at: now)
    }

    private func seal(
        _ records: [KafkaRecord], of topic: ArchivedTopic, under protections: [ArchiveProtection], at now: Int64
    ) throws -> [ArchiveEntry] {
        var protections = protections[...]
        return try records.map { record in
            let next = topic.kind.isPersonal ? protections.popFirst() : .plain
            // A record without protection waits; it is not treated as erased.
            guard let protection = next else {
                throw ArchiveError(
                    .keyStoreUnavailable, "there is no key for \(record.topicPartition)@\(record.offset)")
            }
            return try ArchiveEntry(
                record, kind: topic.kind, clusterId: clusterId, archivedAtMilliseconds: now, protection: protection)
        }
    }

    /// Returns an entry for a gap in the archived offsets.
    func gap(
        _ offsets: Range<KafkaOffset>, _ reason: ArchiveGap.Reason, in partition: KafkaTopicPartition, at now: Int64
    ) throws -> ArchiveEntry {
        try ArchiveEntry(
            gap: offsets.lowerBound.rawValue..<offsets.upperBound.rawValue, reason: reason, of: partition,
            clusterId: clusterId, archivedAtMilliseconds: now)
    }
}
