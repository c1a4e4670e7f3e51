internal import Cryptography
package import KafkaModel

/// How an object is stored.
package enum ArchiveProtection: Sendable {
    /// Unencrypted, because the object contains no personal data.
    case plain
    case encrypted(ArchiveDataKey)
    /// Omitted: the subject was erased, and the record is older than the erasure.
    case erased
}

/// A leaf and its object, ready for writing.
package struct ArchiveEntry: Sendable {
    package let leaf: ArchiveLeaf
    /// The bytes stored in a segment. They are not part of the tree.
    package let object: [UInt8]

    /// Creates an entry from an existing leaf and object, for example ones from an earlier release.
    package init(leaf: ArchiveLeaf, object: [UInt8]) {
        self.leaf = leaf
        self.object = object
    }

    /// Creates the entry for a record.
    ///
    /// - Parameter archivedAtMilliseconds: the time of archiving, in milliseconds since 1970.
    /// - Throws: ``ArchiveError``: `tooLong` for a record that exceeds the limits of the format, or `cryptography`
    ///   if libcrypto fails.
    package init(
        _ record: KafkaRecord, kind: ArchiveKind, clusterId: String, archivedAtMilliseconds: Int64,
        protection: ArchiveProtection
    ) throws(ArchiveError) {
        let position = try ArchivePosition(
            kind: kind, clusterId: clusterId, topic: record.topic, partition: record.partition, offset: record.offset)
        let archived = ArchivedRecord(record)
        var text: [UInt8] = []
        if case .erased = protection {
        } else {
            text.reserveCapacity(archived.byteCount)
            try archived.append(to: &text)
        }
        try self.init(
            position, text, timestampMilliseconds: record.timestampMilliseconds,
            archivedAtMilliseconds: archivedAtMilliseconds, protection: protection)
    }

    /// Creates the entry for a range of missing offsets, starting at `missing.lowerBound`.
    ///
    /// - Throws: ``ArchiveError`` with the same codes as for a record.
    package init(
        gap missing: Range<Int64>, reason: ArchiveGap.Reason, of place: KafkaTopicPartition, clusterId: String,
        archivedAtMilliseconds: Int64
    ) throws(ArchiveError) {
        let position = try ArchivePosition(
            kind: .gap, clusterId: clusterId, topic: place.topic, partition: place.partition,
            offset: KafkaOffset(rawValue: missing.lowerBound))
        let gap = ArchiveGap(nextOffset: KafkaOffset(rawValue: missing.upperBound), reason: reason)
        try self.init(
            position, gap.bytes, timestampMilliseconds: nil, archivedAtMilliseconds: archivedAtMilliseconds,
            protection: .plain)
    }

    private init(
        _ position: ArchivePosition, _ text: [UInt8], timestampMilliseconds: Int64?, archivedAtMilliseconds: Int64,
        protection: ArchiveProtection
    ) throws(ArchiveError) {
        var dataKey: ArchiveDataKey?
        switch protection {
        case .plain: object = [ArchiveObject.Form.plain.rawValue] + text
        case .encrypted(let key):
            object = try ArchiveObject.seal(text, position: position, key: key.secret)
            dataKey = key
        case .erased: object = []
        }
        let digest = SHA256.digest(of: object)
        let reference = try dataKey.map { (key) throws(ArchiveError) in try key.reference(for: digest) }
        leaf = try ArchiveLeaf(
            position: position, timestampMilliseconds: timestampMilliseconds,
            archivedAtMilliseconds: archivedAtMilliseconds, key: reference,
            objectLength: object.count, objectDigest: digest)
    }
}
