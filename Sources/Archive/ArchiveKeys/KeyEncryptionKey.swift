package import ArchiveLog
package import Cryptography

/// A key for wrapping the data keys. It is never used directly: a separate key is derived from it for each purpose,
/// including wrapping.
package struct KeyEncryptionKey: Sendable {
    package static let byteCount = 32

    /// The id of the key: 16 hexadecimal digits that reveal nothing about it.
    package let id: String
    /// Where the key was read from, for messages.
    package let source: String
    /// The id in binary, as stored in the key store's rows.
    let idBytes: [UInt8]
    private let wrapping: SecretKey
    /// The pseudonym key for a new key store.
    let marks: SecretKey

    /// - Throws: ``ArchiveError``: `unreadableEncryptionKey` if the secret does not have exactly 32 bytes, or
    ///   `keyStoreUnavailable` if libcrypto fails.
    package init(_ secret: SecretKey, source: String) throws(ArchiveError) {
        guard secret.byteCount == Self.byteCount else {
            throw ArchiveError(.unreadableEncryptionKey, "\(source) has \(secret.byteCount) bytes; a key must have 32")
        }
        do throws(CryptographyError) {
            idBytes = try Self.identifier(of: secret)
            wrapping = try HKDF.derive(from: secret, info: Array("sluice archive wrapping".utf8))
            marks = try HKDF.derive(from: secret, info: Array("sluice archive marks".utf8))
        } catch { throw ArchiveError(.keyStoreUnavailable, error.message) }
        id = HexText.encode(idBytes)
        self.source = source
    }

    /// Returns the 8-byte id of a key.
    static func identifier(of secret: SecretKey) throws(CryptographyError) -> [UInt8] {
        let derived = try HKDF.derive(from: secret, info: Array("sluice archive key id".utf8), byteCount: 8)
        return derived.withUnsafeBytes { Array($0) }
    }

    /// The length of the output of ``wrap(_:context:)`` for a 32-byte key.
    static let wrappedByteCount = AES256GCM.nonceByteCount + byteCount + AES256GCM.tagByteCount

    /// Encrypts a key and returns the nonce, ciphertext and tag.
    ///
    /// - Parameter context: the owner of the wrapped key; unwrapping requires the same context.
    func wrap(_ secret: SecretKey, context: [UInt8]) throws(ArchiveError) -> [UInt8] {
        var plain = secret.withUnsafeBytes { Array($0) }
        defer { wipe(&plain) }
        do throws(CryptographyError) {
            let nonce = try randomBytes(AES256GCM.nonceByteCount)
            return nonce + (try AES256GCM.seal(plain, key: wrapping, nonce: nonce, authenticated: context))
        } catch { throw ArchiveError(.keyStoreUnavailable, "failed to wrap a key: \(error.message)") }
    }

    /// Decrypts a wrapped key.
    ///
    /// - Throws: ``ArchiveError``: `damagedWrappedKey` if decryption fails.
    func unwrap(_ wrapped: [UInt8], context: [UInt8]) throws(ArchiveError) -> SecretKey {
        guard wrapped.count == Self.wrappedByteCount else {
            throw ArchiveError(
                .damagedWrappedKey, "a wrapped key has \(wrapped.count) bytes, expected \(Self.wrappedByteCount)")
        }
        let opened: [UInt8]?
        do throws(CryptographyError) {
            opened = try AES256GCM.open(
                Array(wrapped[AES256GCM.nonceByteCount...]), key: wrapping,
                nonce: Array(wrapped[..<AES256GCM.nonceByteCount]), authenticated: context)
        } catch { throw ArchiveError(.keyStoreUnavailable, "failed to unwrap a key: \(error.message)") }
        guard var plain = opened else {
            throw ArchiveError(
                .damagedWrappedKey, "a key cannot be unwrapped with key-encryption key \(id) (\(source))")
        }
        defer { wipe(&plain) }
        return SecretKey(copying: plain)
    }
}
