package import Cryptography

/// The id of a data key: 16 bytes of an HMAC under the key itself, which match no other key and do not reveal the
/// subject. Ids from an earlier version are 128 random bits. Sixteen zero bytes in a leaf mean that there is no key.
package struct ArchiveKeyId: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 16

    private let high: UInt64
    private let low: UInt64

    /// Creates an id from exactly 16 bytes that are not all zero; returns nil otherwise.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(high: Self.number(bytes.prefix(8)), low: Self.number(bytes.dropFirst(8)))
    }

    /// Parses 32 hexadecimal digits in upper or lower case.
    package init?(hex: String) {
        guard hex.utf8.count == 2 * Self.byteCount, let bytes = HexText.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    private init?(high: UInt64, low: UInt64) {
        guard high | low != 0 else { return nil }
        self.high = high
        self.low = low
    }

    /// Derives an id that commits to a key. An attacker cannot find another key with the same id, and therefore cannot
    /// pass off a different record as the one in a leaf. Returns nil if the id would be all zeros, which never happens
    /// in practice.
    ///
    /// - Throws: `CryptographyError` if libcrypto fails.
    package init?(committingTo secret: SecretKey) throws(CryptographyError) {
        let code = try HMACSHA256Key(secret).code(for: Array("id".utf8))
        self.init(bytes: code.bytes.prefix(Self.byteCount))
    }

    /// Creates a new 32-byte key and its id.
    ///
    /// - Throws: `CryptographyError` with code `unavailable` if no random bytes are available.
    package static func ofNewKey() throws(CryptographyError) -> (ArchiveKeyId, SecretKey) {
        while true {
            let secret = try randomKey(byteCount: AES256GCM.keyByteCount)
            if let id = try ArchiveKeyId(committingTo: secret) { return (id, secret) }
        }
    }

    package var bytes: [UInt8] {
        withUnsafeBytes(of: high.bigEndian) { Array($0) } + withUnsafeBytes(of: low.bigEndian) { Array($0) }
    }

    /// The id as 32 lower-case hexadecimal digits.
    package var hex: String { HexText.encode(bytes) }

    package var description: String { hex }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// The data key of one subject. The value exists only while the key is needed.
package struct ArchiveDataKey: Sendable {
    package let id: ArchiveKeyId
    /// The 32-byte key.
    package let secret: SecretKey
    /// The mask for the key's id in leaves.
    private let mask: ArchiveLeafMask

    package init(id: ArchiveKeyId, secret: SecretKey, mask: ArchiveLeafMask) {
        self.id = id
        self.secret = secret
        self.mask = mask
    }

    /// Returns the reference to this key for an object's leaf.
    ///
    /// - Throws: ``ArchiveError`` with code `cryptography` if libcrypto fails.
    func reference(for objectDigest: SHA256Digest) throws(ArchiveError) -> ArchiveKeyReference {
        do throws(CryptographyError) {
            if let reference = try mask.reference(to: id, objectDigest: objectDigest) { return reference }
        } catch { throw ArchiveError(.cryptography, "failed to mask a key id: \(error.message)") }
        // The reference is nil only if it would be all zeros, which never happens in practice. A retry would produce a
        // different reference, because it uses a different nonce for the record.
        throw ArchiveError(.cryptography, "a key reference would be all zeros")
    }
}
