package import Cryptography

/// Names a data key: 16 bytes of the key's own HMAC, which say nothing of the subject and fit no other key. Those that an
/// earlier version made are 128 random bits. Sixteen zero bytes in a leaf mean no key.
package struct ArchiveKeyId: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 16

    private let high: UInt64
    private let low: UInt64

    /// Nil for another count than 16, and for zeros alone.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(high: Self.number(bytes.prefix(8)), low: Self.number(bytes.dropFirst(8)))
    }

    /// From 32 hexadecimal digits, in either case.
    package init?(hex: String) {
        guard hex.utf8.count == 2 * Self.byteCount, let bytes = HexText.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    private init?(high: UInt64, low: UInt64) {
        guard high | low != 0 else { return nil }
        self.high = high
        self.low = low
    }

    /// The name that commits to a key: who has a leaf cannot be shown another record under another key of this name.
    /// Nil for the key, in practice none, that has no name.
    ///
    /// - Throws: `CryptographyError` when libcrypto fails.
    package init?(committingTo secret: SecretKey) throws(CryptographyError) {
        let code = try HMACSHA256Key(secret).code(for: Array("id".utf8))
        self.init(bytes: code.bytes.prefix(Self.byteCount))
    }

    /// A new key of 32 bytes, and its name.
    ///
    /// - Throws: `CryptographyError` with code `unavailable` when there are no random bytes.
    package static func ofNewKey() throws(CryptographyError) -> (ArchiveKeyId, SecretKey) {
        while true {
            let secret = try randomKey(byteCount: AES256GCM.keyByteCount)
            if let id = try ArchiveKeyId(committingTo: secret) { return (id, secret) }
        }
    }

    package var bytes: [UInt8] {
        withUnsafeBytes(of: high.bigEndian) { Array($0) } + withUnsafeBytes(of: low.bigEndian) { Array($0) }
    }

    /// 32 lower-case hexadecimal digits.
    package var hex: String { HexText.encode(bytes) }

    package var description: String { hex }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// The key of one subject, as long as it is needed.
package struct ArchiveDataKey: Sendable {
    package let id: ArchiveKeyId
    /// 32 bytes.
    package let secret: SecretKey
    /// Hides the id in leaves.
    private let mask: ArchiveLeafMask

    package init(id: ArchiveKeyId, secret: SecretKey, mask: ArchiveLeafMask) {
        self.id = id
        self.secret = secret
        self.mask = mask
    }

    /// The reference to this key in the leaf of an object.
    ///
    /// - Throws: ``ArchiveFormatError`` with code `unavailable` when libcrypto fails.
    func reference(for objectDigest: SHA256Digest) throws(ArchiveFormatError) -> ArchiveKeyReference {
        do throws(CryptographyError) {
            if let reference = try mask.reference(to: id, objectDigest: objectDigest) { return reference }
        } catch { throw ArchiveFormatError(.unavailable, "a key cannot be named: \(error.message)") }
        // In practice never: the record is sealed again, with another nonce.
        throw ArchiveFormatError(.unavailable, "the reference to a key would be zeros")
    }
}
