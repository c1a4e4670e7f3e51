package import Cryptography

/// The key of one record's object. It is derived from the subject's data key and the record's position, so disclosing
/// it reveals only that record.
package struct ArchiveRecordKey: Sendable {
    package static let byteCount = AES256GCM.keyByteCount
    /// The length of the commitment in an object, in bytes.
    static let commitmentByteCount = 32

    /// The 32-byte key.
    package let secret: SecretKey

    /// - Throws: ``ArchiveError`` with code `cryptography` if libcrypto fails.
    package init(of position: ArchivePosition, from dataKey: SecretKey) throws(ArchiveError) {
        secret = try Self.derive(dataKey, "sluice archive record", position.bytes)
    }

    /// Creates a key from exactly 32 disclosed bytes; returns nil otherwise.
    package init?(disclosed bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        secret = SecretKey(copying: bytes)
    }

    /// Returns an object's commitment to its key. AES-GCM alone is not key-committing: an attacker can craft a
    /// ciphertext that decrypts to different plaintexts under different keys.
    ///
    /// - Throws: ``ArchiveError`` with code `cryptography` if libcrypto fails.
    func commitment() throws(ArchiveError) -> [UInt8] {
        try Self.derive(secret, "sluice archive commitment", []).withUnsafeBytes { Array($0) }
    }

    private static func derive(
        _ key: SecretKey, _ use: String, _ context: [UInt8]
    ) throws(ArchiveError) -> SecretKey {
        do throws(CryptographyError) {
            return try HKDF.derive(from: key, info: Array(use.utf8) + context)
        } catch { throw ArchiveError(.cryptography, "failed to derive a record key: \(error.message)") }
    }
}
