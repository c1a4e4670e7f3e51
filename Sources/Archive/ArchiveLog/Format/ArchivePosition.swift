package import KafkaModel

/// The origin of an archived record: cluster, topic, partition and offset. It is the first part of the leaf. Encryption
/// authenticates it, so an object cannot be passed off as another record's object.
package struct ArchivePosition: Hashable, Sendable {
    /// The version of newly written leaves, which mask the key reference (``ArchiveKeyReference``).
    package static let formatVersion: UInt8 = 2
    /// The version written by earlier releases, in which a leaf contains the key's id.
    package static let firstVersion: UInt8 = 1

    /// The version of the leaf.
    package let version: UInt8
    package let kind: ArchiveKind
    /// The cluster id as reported by Kafka.
    package let clusterId: String
    package let topic: KafkaTopic
    package let partition: KafkaPartition
    /// The offset of the record, or the first missing offset in a gap.
    package let offset: KafkaOffset

    /// - Throws: ``ArchiveError``: `tooLong` if the names would make a leaf longer than 512 bytes, or
    ///   `malformedLeaf` for a negative partition or offset or an unknown version.
    package init(
        kind: ArchiveKind, clusterId: String, topic: KafkaTopic, partition: KafkaPartition, offset: KafkaOffset,
        version: UInt8 = formatVersion
    ) throws(ArchiveError) {
        guard Self.firstVersion...Self.formatVersion ~= version else {
            throw Self.malformed("version \(version) is unknown")
        }
        let names = (clusterId.utf8.count, topic.rawValue.utf8.count)
        guard names.0 <= 255, names.1 <= 255, names.0 + names.1 <= ArchiveLeaf.maximumNameBytes else {
            throw ArchiveError(.tooLong, "cluster id and topic are too long: \(names.0 + names.1) bytes")
        }
        guard partition.rawValue >= 0, offset.rawValue >= 0 else {
            throw ArchiveError(.malformedLeaf, "\(topic)[\(partition)]@\(offset) is not a position")
        }
        self.version = version
        self.kind = kind
        self.clusterId = clusterId
        self.topic = topic
        self.partition = partition
        self.offset = offset
    }

    package var topicPartition: KafkaTopicPartition { KafkaTopicPartition(topic: topic, partition: partition) }

    /// The bytes of the leaf from version to offset, which are authenticated by encryption.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ArchiveLeaf.fixedByteCount + clusterId.utf8.count + topic.rawValue.utf8.count)
        bytes.append(version)
        bytes.append(kind.rawValue)
        for name in [clusterId, topic.rawValue] {
            bytes.append(UInt8(truncatingIfNeeded: name.utf8.count))
            bytes.append(contentsOf: name.utf8)
        }
        bytes.append(bigEndian: UInt32(bitPattern: partition.rawValue))
        bytes.append(bigEndian: UInt64(bitPattern: offset.rawValue))
        return bytes
    }

    init(_ reader: inout BigEndianReader) throws(ArchiveError) {
        guard let version = reader.integer(UInt8.self) else { throw Self.malformed("it is empty") }
        guard let number = reader.integer(UInt8.self), let kind = ArchiveKind(rawValue: number) else {
            throw Self.malformed("its kind is unknown")
        }
        guard let clusterId = Self.name(&reader), let topic = Self.name(&reader) else {
            throw Self.malformed("its cluster id or topic is truncated or not text")
        }
        guard let partition = reader.integer(UInt32.self), let offset = reader.integer(UInt64.self),
            let partition = Int32(exactly: partition), let offset = Int64(exactly: offset)
        else { throw Self.malformed("its partition or offset is truncated or too large") }
        try self.init(
            kind: kind, clusterId: clusterId, topic: KafkaTopic(rawValue: topic),
            partition: KafkaPartition(rawValue: partition), offset: KafkaOffset(rawValue: offset), version: version)
    }

    private static func name(_ reader: inout BigEndianReader) -> String? {
        reader.integer(UInt8.self).flatMap { reader.text(Int($0)) }
    }

    private static func malformed(_ reason: String) -> ArchiveError {
        ArchiveError(.malformedLeaf, "not a leaf: \(reason)")
    }
}

extension ArchivePosition: CustomStringConvertible {
    package var description: String { "\(topic)[\(partition)]@\(offset)" }
}
