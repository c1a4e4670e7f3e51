package import Cryptography

/// The key of one record's object. It is derived from its subject's data key and the record's position, so that it can
/// be disclosed to show one record, and opens no other.
package struct ArchiveRecordKey: Sendable {
    package static let byteCount = AES256GCM.keyByteCount
    /// Length of the commitment in an object.
    static let commitmentByteCount = 32

    /// 32 bytes.
    package let secret: SecretKey

    /// - Throws: ``ArchiveFormatError`` with code `unavailable` when libcrypto fails.
    package init(of position: ArchivePosition, from dataKey: SecretKey) throws(ArchiveFormatError) {
        secret = try Self.derive(dataKey, "sluice archive record", position.bytes)
    }

    /// A disclosed key; nil unless there are exactly 32 bytes.
    package init?(disclosed bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        secret = SecretKey(copying: bytes)
    }

    /// The commitment of an object to its key. AES-GCM alone is not key-committing: one ciphertext can be prepared to
    /// open under several keys, as different plaintexts.
    ///
    /// - Throws: ``ArchiveFormatError`` with code `unavailable` when libcrypto fails.
    func commitment() throws(ArchiveFormatError) -> [UInt8] {
        try Self.derive(secret, "sluice archive commitment", []).withUnsafeBytes { Array($0) }
    }

    private static func derive(
        _ key: SecretKey, _ use: String, _ context: [UInt8]
    ) throws(ArchiveFormatError) -> SecretKey {
        do throws(CryptographyError) {
            return try HKDF.derive(from: key, info: Array(use.utf8) + context)
        } catch { throw ArchiveFormatError(.unavailable, "the key of a record cannot be derived: \(error.message)") }
    }
}
