internal import ArchiveLog
internal import Kafka

/// Records before the group's committed offset that are missing from the archive.
struct MissedRecords: Sendable {
    let kafka: KafkaConfiguration
    let admin: KafkaAdmin

    /// Returns the range to archive before the first new record, from the end of the log to the group's committed
    /// offset, or nil if nothing is missing.
    ///
    /// - Parameters:
    ///   - archived: the offset after the last archived record, or nil for an empty log.
    ///   - start: the group's next offset.
    /// - Throws: ``ArchiveServiceError``: `recreatedTopic` if the topic ends before the archive does.
    func range(
        of partition: KafkaTopicPartition, archived: KafkaOffset?, start: KafkaOffset
    ) async throws -> Range<KafkaOffset>? {
        let ends = try await admin.watermarks(of: partition)
        if let archived, archived > ends.high {
            throw ArchiveServiceError.recreated(partition, archived: archived, end: ends.high)
        }
        let first = max(archived ?? ends.low, ends.low)
        let end = min(start, ends.high)
        return first < end ? first..<end : nil
    }

    /// Reads a range, in batches.
    func read(
        _ partition: KafkaTopicPartition, _ range: Range<KafkaOffset>, _ body: ([KafkaRecord]) async throws -> Void
    ) async throws {
        struct End: Error {}
        do {
            try await KafkaConsumer.readToEnd(kafka, from: [partition: range.lowerBound], within: .seconds(86_400)) {
                let wanted = $0.prefix { $0.offset < range.upperBound }
                if !wanted.isEmpty { try await body(Array(wanted)) }
                if wanted.count < $0.count { throw End() }
            }
        } catch is End {}
    }

    /// Returns the reason why offsets are missing: Kafka deleted the records or never had any at these offsets, or the
    /// pipeline dead-lettered them.
    func reason(
        ofMissing offsets: Range<KafkaOffset>, in partition: KafkaTopicPartition
    ) async throws -> ArchiveGap.Reason {
        if try await admin.watermarks(of: partition).low > offsets.lowerBound { return .deleted }
        var hasRecords = false
        try await read(partition, offsets) { _ in hasRecords = true }
        return hasRecords ? .deadLettered : .noRecord
    }
}
