package import KafkaModel

/// Offsets of a partition for which the archive has no record: from the leaf's offset up to, but not including,
/// `nextOffset`.
package struct ArchiveGap: Hashable, Sendable {
    /// The reason for a gap.
    package enum Reason: UInt8, Sendable, CaseIterable {
        /// Kafka had already deleted the records, because of retention or an operator: the archive is incomplete.
        case deleted = 1
        /// Kafka has the range but no records in it, only transaction markers or aborted transactions.
        case noRecord = 2
        /// Kafka has records in the range that the archive could not handle. They are in its dead letter topic, and the
        /// archive is incomplete. Releases before 2026-12 cannot read this reason.
        case deadLettered = 3
    }

    static let formatVersion: UInt8 = 1

    /// The first offset after the gap.
    package let nextOffset: KafkaOffset
    package let reason: Reason

    package init(nextOffset: KafkaOffset, reason: Reason) {
        self.nextOffset = nextOffset
        self.reason = reason
    }

    var bytes: [UInt8] {
        var bytes = [Self.formatVersion]
        bytes.append(bigEndian: nextOffset.rawValue)
        bytes.append(reason.rawValue)
        return bytes
    }

    init(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        var reader = BigEndianReader(bytes)
        guard reader.integer(UInt8.self) == Self.formatVersion, let next = reader.integer(Int64.self), next >= 0,
            let reason = reader.integer(UInt8.self).flatMap(Reason.init), reader.remaining == 0
        else { throw ArchiveError(.malformedContent, "not a gap of a known version") }
        nextOffset = KafkaOffset(rawValue: next)
        self.reason = reason
    }
}
