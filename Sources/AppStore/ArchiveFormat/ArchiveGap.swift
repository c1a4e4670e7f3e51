package import KafkaModel

/// Offsets that a partition no longer had when the archive asked for them: from the leaf's offset to before `nextOffset`.
package struct ArchiveGap: Hashable, Sendable {
    static let formatVersion: UInt8 = 1

    /// The first offset after the gap.
    package let nextOffset: KafkaOffset

    package init(nextOffset: KafkaOffset) { self.nextOffset = nextOffset }

    var bytes: [UInt8] {
        var bytes = [Self.formatVersion]
        bytes.append(bigEndian: nextOffset.rawValue)
        return bytes
    }

    init(_ bytes: UnsafeRawBufferPointer) throws(ArchiveFormatError) {
        var reader = BigEndianReader(bytes)
        guard reader.integer(UInt8.self) == Self.formatVersion, let next = reader.integer(Int64.self), next >= 0,
            reader.remaining == 0
        else { throw ArchiveFormatError(.malformedObject, "not a gap of a version that is known") }
        nextOffset = KafkaOffset(rawValue: next)
    }
}
