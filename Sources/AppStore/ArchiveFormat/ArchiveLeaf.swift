package import Cryptography

/// One entry of a log's tree: which record was archived when, under which key, and the digest of its object. Nothing in
/// it is about a person: the digest is of ciphertext, which says nothing once the key is destroyed.
package struct ArchiveLeaf: Hashable, Sendable {
    /// A leaf is never longer.
    package static let maximumByteCount = 512
    /// Everything but the two names.
    static let fixedByteCount = 1 + 1 + 1 + 1 + 4 + 8 + 8 + 8 + 16 + 4 + 32
    static let maximumNameBytes = maximumByteCount - fixedByteCount

    package let position: ArchivePosition
    /// Milliseconds since 1970 as the Kafka record has it; nil when it has none.
    package let timestampMilliseconds: Int64?
    /// Milliseconds since 1970.
    package let archivedAtMilliseconds: Int64
    /// The key that the object is encrypted under; nil when it is not encrypted, or empty.
    package let keyId: ArchiveKeyId?
    /// Of the object, in bytes; 0 when the subject had been erased before the record came.
    package let objectLength: Int
    /// SHA-256 of the object.
    package let objectDigest: SHA256Digest

    /// - Throws: ``ArchiveFormatError`` with code `tooLong` for an object of 4 GiB and more.
    package init(
        position: ArchivePosition, timestampMilliseconds: Int64?, archivedAtMilliseconds: Int64, keyId: ArchiveKeyId?,
        objectLength: Int, objectDigest: SHA256Digest
    ) throws(ArchiveFormatError) {
        guard UInt32(exactly: objectLength) != nil else {
            throw ArchiveFormatError(.tooLong, "an object of \(objectLength) bytes")
        }
        self.position = position
        self.timestampMilliseconds = timestampMilliseconds.flatMap { $0 < 0 ? nil : $0 }
        self.archivedAtMilliseconds = archivedAtMilliseconds
        self.keyId = keyId
        self.objectLength = objectLength
        self.objectDigest = objectDigest
    }

    package var bytes: [UInt8] {
        var bytes = position.bytes
        bytes.append(bigEndian: timestampMilliseconds ?? -1)
        bytes.append(bigEndian: archivedAtMilliseconds)
        bytes.append(contentsOf: keyId?.bytes ?? [UInt8](repeating: 0, count: ArchiveKeyId.byteCount))
        bytes.append(bigEndian: UInt32(truncatingIfNeeded: objectLength))
        objectDigest.withUnsafeBytes { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// - Throws: ``ArchiveFormatError`` with code `malformedLeaf` for anything that ``bytes`` does not give.
    package init(bytes: UnsafeRawBufferPointer) throws(ArchiveFormatError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw ArchiveFormatError(.malformedLeaf, "not a leaf: it has \(bytes.count) bytes")
        }
        var reader = BigEndianReader(bytes)
        let position: ArchivePosition
        do throws(ArchiveFormatError) {
            position = try ArchivePosition(&reader)
        } catch { throw ArchiveFormatError(.malformedLeaf, error.message) }
        guard let timestamp = reader.integer(Int64.self), let archivedAt = reader.integer(Int64.self),
            let keyId = reader.take(ArchiveKeyId.byteCount), let length = reader.integer(UInt32.self),
            let digest = reader.take(SHA256Digest.byteCount).flatMap({ SHA256Digest(bytes: $0) })
        else { throw ArchiveFormatError(.malformedLeaf, "not a leaf: it is cut off") }
        guard timestamp >= -1 else { throw ArchiveFormatError(.malformedLeaf, "not a leaf: its time is negative") }
        guard reader.remaining == 0 else {
            throw ArchiveFormatError(.malformedLeaf, "not a leaf: \(reader.remaining) bytes follow it")
        }
        try self.init(
            position: position, timestampMilliseconds: timestamp < 0 ? nil : timestamp,
            archivedAtMilliseconds: archivedAt, keyId: ArchiveKeyId(bytes: keyId), objectLength: Int(length),
            objectDigest: digest)
    }

    /// - Throws: as ``init(bytes:)-(UnsafeRawBufferPointer)``.
    package init(bytes: [UInt8]) throws(ArchiveFormatError) {
        self = try bytes.span.withUnsafeBytes { (bytes) throws(ArchiveFormatError) in try ArchiveLeaf(bytes: bytes) }
    }

    /// Whether the object was left out, because its subject had been erased before the record came.
    package var isErasedOnArrival: Bool { position.kind.isPersonal && objectLength == 0 }

    /// Whether these are the object's bytes.
    package func describes(_ object: UnsafeRawBufferPointer) -> Bool {
        object.count == objectLength && SHA256.digest(of: object) == objectDigest
    }

    /// Whether these are the object's bytes.
    package func describes(_ object: [UInt8]) -> Bool { object.withUnsafeBytes { describes($0) } }
}
