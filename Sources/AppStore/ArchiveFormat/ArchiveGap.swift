package import KafkaModel

/// Offsets of a partition under which the archive got no record: from the leaf's offset to before `nextOffset`.
package struct ArchiveGap: Hashable, Sendable {
    /// Why.
    package enum Reason: UInt8, Sendable, CaseIterable {
        /// Kafka had deleted them, by retention or by an operator: the archive is incomplete.
        case deleted = 1
        /// Kafka has the range, and no record in it: the marks of transactions, or transactions that were aborted.
        case noRecord = 2
        /// Kafka has records there that the archive could not take: they are in its dead letter topic, and the archive is
        /// incomplete. Releases before 2026-12 did not know it.
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

    init(_ bytes: UnsafeRawBufferPointer) throws(ArchiveFormatError) {
        var reader = BigEndianReader(bytes)
        guard reader.integer(UInt8.self) == Self.formatVersion, let next = reader.integer(Int64.self), next >= 0,
            let reason = reader.integer(UInt8.self).flatMap(Reason.init), reader.remaining == 0
        else { throw ArchiveFormatError(.malformedObject, "not a gap of a version that is known") }
        nextOffset = KafkaOffset(rawValue: next)
        self.reason = reason
    }
}
