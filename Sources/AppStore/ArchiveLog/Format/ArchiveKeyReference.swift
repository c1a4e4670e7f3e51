package import Cryptography

/// The field of a leaf that references the data key of its object, 16 bytes.
package struct ArchiveKeyReference: Hashable, Sendable {
    /// Bytes of the field, never all zero, because zeros mean that there is no key.
    private let field: ArchiveKeyId
    /// Whether an ``ArchiveLeafMask`` hides the id. In leaves of version 1 the field is the id itself.
    package let isMasked: Bool

    /// Creates the reference of a leaf of version 1, which is the same in all leaves of one subject.
    package init(id: ArchiveKeyId) {
        field = id
        isMasked = false
    }

    /// Returns nil for bytes that are not a valid reference.
    init?(field: some Collection<UInt8>, isMasked: Bool) {
        guard let field = ArchiveKeyId(bytes: field) else { return nil }
        self.field = field
        self.isMasked = isMasked
    }

    package var bytes: [UInt8] { field.bytes }

    /// Returns the id of the key, or nil for a field that masks zeros, which in practice never happens.
    ///
    /// - Throws: `CryptographyError` when libcrypto fails.
    func id(_ mask: ArchiveLeafMask, objectDigest: SHA256Digest) throws(CryptographyError) -> ArchiveKeyId? {
        isMasked ? ArchiveKeyId(bytes: try mask.applied(to: bytes, objectDigest: objectDigest)) : field
    }
}

/// Masks the ids of data keys in leaves: a reader of leaves without the key store cannot tell which leaves belong to
/// one subject, nor which of them are affected by an erasure that names a key.
package struct ArchiveLeafMask: Sendable {
    private let key: HMACSHA256Key

    /// - Parameter key: derived from the pseudonym key, so that all hosts of an installation use the same mask.
    package init(_ key: HMACSHA256Key) { self.key = key }

    /// Returns the reference to a key for the leaf of an object, or nil where it would be all zeros, which in practice
    /// never happens.
    ///
    /// - Throws: `CryptographyError` when libcrypto fails.
    package func reference(
        to id: ArchiveKeyId, objectDigest: SHA256Digest
    ) throws(CryptographyError) -> ArchiveKeyReference? {
        ArchiveKeyReference(field: try applied(to: id.bytes, objectDigest: objectDigest), isMasked: true)
    }

    /// XORs the bytes with the first bytes of the HMAC of the object's digest. The digest is unique, because every
    /// object is encrypted with its own nonce.
    fileprivate func applied(
        to bytes: [UInt8], objectDigest: SHA256Digest
    ) throws(CryptographyError) -> [UInt8] {
        zip(bytes, try key.code(for: objectDigest.bytes).bytes).map { $0 ^ $1 }
    }
}
