package import Cryptography

/// One entry in a log's tree: the record's position, the archiving time, the key reference, and the object digest. A
/// leaf contains no personal data: the digest is computed over ciphertext, which reveals nothing once the key is
/// destroyed. References to the same key cannot be linked without the key store.
package struct ArchiveLeaf: Hashable, Sendable {
    /// The maximum length of a leaf in bytes.
    package static let maximumByteCount = 512
    /// The length of a leaf without its two names.
    static let fixedByteCount = 1 + 1 + 1 + 1 + 4 + 8 + 8 + 8 + 16 + 4 + 32
    static let maximumNameBytes = maximumByteCount - fixedByteCount

    package let position: ArchivePosition
    /// The timestamp of the Kafka record in milliseconds since 1970; nil if the record has none.
    package let timestampMilliseconds: Int64?
    /// The time of archiving in milliseconds since 1970, by the writer's clock. Never decreases from leaf to leaf.
    package let archivedAtMilliseconds: Int64
    /// The reference to the key that encrypts the object; nil if the object is empty or not encrypted.
    package let key: ArchiveKeyReference?
    /// The length of the object in bytes; 0 if the subject had been erased before the record arrived.
    package let objectLength: Int
    /// The SHA-256 digest of the object.
    package let objectDigest: SHA256Digest

    /// - Throws: ``ArchiveError``: `tooLong` for an object of 4 GiB or more, or `malformedLeaf` if the reference
    ///   and the position have different versions.
    package init(
        position: ArchivePosition, timestampMilliseconds: Int64?, archivedAtMilliseconds: Int64,
        key: ArchiveKeyReference?, objectLength: Int, objectDigest: SHA256Digest
    ) throws(ArchiveError) {
        guard key.map({ $0.isMasked == Self.masksKeys(of: position) }) ?? true else {
            throw ArchiveError(.malformedLeaf, "the version of the key reference differs from the leaf's")
        }
        guard UInt32(exactly: objectLength) != nil else {
            throw ArchiveError(.tooLong, "an object is too long: \(objectLength) bytes")
        }
        self.position = position
        self.timestampMilliseconds = timestampMilliseconds.flatMap { $0 < 0 ? nil : $0 }
        self.archivedAtMilliseconds = archivedAtMilliseconds
        self.key = key
        self.objectLength = objectLength
        self.objectDigest = objectDigest
    }

    package var bytes: [UInt8] {
        var bytes = position.bytes
        bytes.append(bigEndian: timestampMilliseconds ?? -1)
        bytes.append(bigEndian: archivedAtMilliseconds)
        bytes.append(contentsOf: key?.bytes ?? [UInt8](repeating: 0, count: ArchiveKeyId.byteCount))
        bytes.append(bigEndian: UInt32(truncatingIfNeeded: objectLength))
        objectDigest.withUnsafeBytes { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// - Throws: ``ArchiveError`` with code `malformedLeaf` for any bytes other than the output of ``bytes``.
    package init(bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw ArchiveError(
                .malformedLeaf, "not a leaf: it has \(bytes.count) bytes, more than \(Self.maximumByteCount)")
        }
        var reader = BigEndianReader(bytes)
        let position: ArchivePosition
        do throws(ArchiveError) {
            position = try ArchivePosition(&reader)
        } catch { throw ArchiveError(.malformedLeaf, error.message) }
        guard let timestamp = reader.integer(Int64.self), let archivedAt = reader.integer(Int64.self),
            let key = reader.take(ArchiveKeyId.byteCount), let length = reader.integer(UInt32.self),
            let digest = reader.take(SHA256Digest.byteCount).flatMap({ SHA256Digest(bytes: $0) })
        else { throw ArchiveError(.malformedLeaf, "not a leaf: it is truncated") }
        guard timestamp >= -1 else { throw ArchiveError(.malformedLeaf, "not a leaf: its time is negative") }
        guard reader.remaining == 0 else {
            throw ArchiveError(.malformedLeaf, "not a leaf: \(reader.remaining) bytes follow it")
        }
        try self.init(
            position: position, timestampMilliseconds: timestamp < 0 ? nil : timestamp,
            archivedAtMilliseconds: archivedAt,
            key: ArchiveKeyReference(field: key, isMasked: Self.masksKeys(of: position)), objectLength: Int(length),
            objectDigest: digest)
    }

    /// - Throws: ``ArchiveError``; see ``init(bytes:)-(UnsafeRawBufferPointer)``.
    package init(bytes: [UInt8]) throws(ArchiveError) {
        self = try bytes.span.withUnsafeBytes { (bytes) throws(ArchiveError) in try ArchiveLeaf(bytes: bytes) }
    }

    /// Returns the id of the key that encrypts the object, or nil if the object is not encrypted.
    ///
    /// - Throws: ``ArchiveError`` with code `cryptography` if libcrypto fails.
    package func keyId(_ mask: ArchiveLeafMask) throws(ArchiveError) -> ArchiveKeyId? {
        guard let key else { return nil }
        do throws(CryptographyError) {
            return try key.id(mask, objectDigest: objectDigest)
        } catch { throw ArchiveError(.cryptography, "the key of \(position): \(error.message)") }
    }

    private static func masksKeys(of position: ArchivePosition) -> Bool {
        position.version > ArchivePosition.firstVersion
    }

    /// Whether the object was omitted because its subject had been erased before the record arrived.
    package var isErasedOnArrival: Bool { position.kind.isPersonal && objectLength == 0 }

    /// Returns whether the given bytes are the leaf's object.
    package func describes(_ object: UnsafeRawBufferPointer) -> Bool {
        object.count == objectLength && SHA256.digest(of: object) == objectDigest
    }

    /// Returns whether the given bytes are the leaf's object.
    package func describes(_ object: [UInt8]) -> Bool { object.withUnsafeBytes { describes($0) } }
}
