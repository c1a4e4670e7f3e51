package import Cryptography

/// The field of a leaf that names the data key of its object: 16 bytes.
package struct ArchiveKeyReference: Hashable, Sendable {
    /// The bytes of the field; never zeros, which mean no key.
    private let field: ArchiveKeyId
    /// Whether an ``ArchiveLeafMask`` hides the id. In leaves of version 1 the field is the id itself.
    package let isMasked: Bool

    /// The reference of a leaf of version 1: all leaves of one subject have the same.
    package init(id: ArchiveKeyId) {
        field = id
        isMasked = false
    }

    /// Nil for bytes that no reference has.
    init?(field: some Collection<UInt8>, isMasked: Bool) {
        guard let field = ArchiveKeyId(bytes: field) else { return nil }
        self.field = field
        self.isMasked = isMasked
    }

    package var bytes: [UInt8] { field.bytes }

    /// The id of the key; nil in practice never, for a field that hides zeros.
    ///
    /// - Throws: `CryptographyError` when libcrypto fails.
    func id(_ mask: ArchiveLeafMask, objectDigest: SHA256Digest) throws(CryptographyError) -> ArchiveKeyId? {
        isMasked ? ArchiveKeyId(bytes: try mask.applied(to: bytes, objectDigest: objectDigest)) : field
    }
}

/// Hides the ids of data keys in leaves: who has leaves, and not the key store, cannot tell which of them are about one
/// subject, nor which of them an erasure that names a key is about.
package struct ArchiveLeafMask: Sendable {
    private let key: HMACSHA256Key

    /// - Parameter key: derived from the key of marks, so that all hosts of an installation have the same.
    package init(_ key: HMACSHA256Key) { self.key = key }

    /// The reference to a key in the leaf of an object; nil, in practice never, where it would be zeros.
    ///
    /// - Throws: `CryptographyError` when libcrypto fails.
    package func reference(
        to id: ArchiveKeyId, objectDigest: SHA256Digest
    ) throws(CryptographyError) -> ArchiveKeyReference? {
        ArchiveKeyReference(field: try applied(to: id.bytes, objectDigest: objectDigest), isMasked: true)
    }

    /// Exclusive or with the first bytes of the HMAC of the object's digest, which no other object has: each is encrypted
    /// with a nonce of its own.
    fileprivate func applied(
        to bytes: [UInt8], objectDigest: SHA256Digest
    ) throws(CryptographyError) -> [UInt8] {
        zip(bytes, try key.code(for: objectDigest.bytes).bytes).map { $0 ^ $1 }
    }
}
