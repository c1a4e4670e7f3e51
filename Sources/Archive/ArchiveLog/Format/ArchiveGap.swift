package import KafkaModel

/// A range of offsets without archived records: from the leaf's offset up to, but not including, `nextOffset`.
package struct ArchiveGap: Hashable, Sendable {
    /// The reason for a gap.
    package enum Reason: UInt8, Sendable, CaseIterable {
        /// The records were deleted from Kafka, by retention or by an operator, before they were archived: the archive
        /// is incomplete.
        case deleted = 1
        /// Kafka has no records in the range, only transaction markers or aborted transactions.
        case noRecord = 2
        /// The archive could not handle the records. They are in its dead letter topic, and the archive is incomplete.
        /// Releases before 2026-12 cannot read this reason.
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
        else { throw ArchiveError(.malformedContent, "malformed gap, or unknown gap version") }
        nextOffset = KafkaOffset(rawValue: next)
        self.reason = reason
    }
}
