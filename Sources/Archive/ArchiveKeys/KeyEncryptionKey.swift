package import ArchiveLog
package import Cryptography

/// A key for wrapping the data keys. It is never used directly: each use, including wrapping, has its own key derived
/// from it.
package struct KeyEncryptionKey: Sendable {
    package static let byteCount = 32

    /// Id of the key, 16 hexadecimal digits that reveal nothing about the key.
    package let id: String
    /// The key's origin, for messages.
    package let source: String
    /// The id that rows of the key store refer to.
    let idBytes: [UInt8]
    private let wrapping: SecretKey
    /// The pseudonym key for a new key store.
    let marks: SecretKey

    /// - Throws: ``ArchiveError``: `unreadableEncryptionKey` unless there are exactly 32 bytes, or
    ///   `keyStoreUnavailable` if libcrypto fails.
    package init(_ secret: SecretKey, source: String) throws(ArchiveError) {
        guard secret.byteCount == Self.byteCount else {
            throw ArchiveError(.unreadableEncryptionKey, "\(source) has \(secret.byteCount) bytes; a key has 32")
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

    /// Length of the output of ``wrap(_:context:)`` for a 32-byte key.
    static let wrappedByteCount = AES256GCM.nonceByteCount + byteCount + AES256GCM.tagByteCount

    /// Encrypts a key; returns nonce, ciphertext and tag.
    ///
    /// - Parameter context: the owner of the wrapped key; unwrapping requires the same context.
    func wrap(_ secret: SecretKey, context: [UInt8]) throws(ArchiveError) -> [UInt8] {
        var plain = secret.withUnsafeBytes { Array($0) }
        defer { wipe(&plain) }
        do throws(CryptographyError) {
            let nonce = try randomBytes(AES256GCM.nonceByteCount)
            return nonce + (try AES256GCM.seal(plain, key: wrapping, nonce: nonce, authenticated: context))
        } catch { throw ArchiveError(.keyStoreUnavailable, "a key cannot be wrapped: \(error.message)") }
    }

    /// Decrypts a wrapped key.
    ///
    /// - Throws: ``ArchiveError``: `damagedWrappedKey` if decryption fails.
    func unwrap(_ wrapped: [UInt8], context: [UInt8]) throws(ArchiveError) -> SecretKey {
        guard wrapped.count == Self.wrappedByteCount else {
            throw ArchiveError(.damagedWrappedKey, "a wrapped key has \(wrapped.count) bytes")
        }
        let opened: [UInt8]?
        do throws(CryptographyError) {
            opened = try AES256GCM.open(
                Array(wrapped[AES256GCM.nonceByteCount...]), key: wrapping,
                nonce: Array(wrapped[..<AES256GCM.nonceByteCount]), authenticated: context)
        } catch { throw ArchiveError(.keyStoreUnavailable, "a key cannot be unwrapped: \(error.message)") }
        guard var plain = opened else {
            throw ArchiveError(.damagedWrappedKey, "a key cannot be unwrapped by key-encryption key \(id) (\(source))")
        }
        defer { wipe(&plain) }
        return SecretKey(copying: plain)
    }
}
