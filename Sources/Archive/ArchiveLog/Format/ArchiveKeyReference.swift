package import Cryptography

/// A leaf's 16-byte field that references the data key for the leaf's object.
package struct ArchiveKeyReference: Hashable, Sendable {
    /// The bytes of the field, never all zero, because zeros mean that there is no key.
    private let field: ArchiveKeyId
    /// Whether the id is hidden by an ``ArchiveLeafMask``. In version 1 leaves, the field is the id itself.
    package let isMasked: Bool

    /// Creates the reference for a version 1 leaf. All of a subject's version 1 leaves have the same reference.
    package init(id: ArchiveKeyId) {
        field = id
        isMasked = false
    }

    /// Creates a reference; returns nil for invalid bytes.
    init?(field: some Collection<UInt8>, isMasked: Bool) {
        guard let field = ArchiveKeyId(bytes: field) else { return nil }
        self.field = field
        self.isMasked = isMasked
    }

    package var bytes: [UInt8] { field.bytes }

    /// Returns the id of the key, or nil for a field that masks zeros, which never happens in practice.
    ///
    /// - Throws: `CryptographyError` if libcrypto fails.
    func id(_ mask: ArchiveLeafMask, objectDigest: SHA256Digest) throws(CryptographyError) -> ArchiveKeyId? {
        isMasked ? ArchiveKeyId(bytes: try mask.applied(to: bytes, objectDigest: objectDigest)) : field
    }
}

/// Masks data key ids in leaves. Without the key store, a reader cannot tell which leaves belong to the same subject,
/// or which leaves the erasure of a given key affects.
package struct ArchiveLeafMask: Sendable {
    private let key: HMACSHA256Key

    /// - Parameter key: a key derived from the pseudonym key, so that all hosts of an installation use the same mask.
    package init(_ key: HMACSHA256Key) { self.key = key }

    /// Returns the reference to a key for an object's leaf, or nil if it would be all zeros, which never happens in
    /// practice.
    ///
    /// - Throws: `CryptographyError` if libcrypto fails.
    package func reference(
        to id: ArchiveKeyId, objectDigest: SHA256Digest
    ) throws(CryptographyError) -> ArchiveKeyReference? {
        ArchiveKeyReference(field: try applied(to: id.bytes, objectDigest: objectDigest), isMasked: true)
    }

    /// XORs the bytes with the first bytes of the HMAC of the object's digest. The digest is unique because every
    /// object is encrypted with a different nonce.
    fileprivate func applied(
        to bytes: [UInt8], objectDigest: SHA256Digest
    ) throws(CryptographyError) -> [UInt8] {
        zip(bytes, try key.code(for: objectDigest.bytes).bytes).map { $0 ^ $1 }
    }
}
