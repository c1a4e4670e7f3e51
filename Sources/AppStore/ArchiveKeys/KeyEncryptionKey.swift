package import Cryptography

/// A key that wraps the data keys, and what is derived from it: each use has a key of its own.
package struct KeyEncryptionKey: Sendable {
    package static let byteCount = 32

    /// 16 hexadecimal digits, which say nothing of the key.
    package let id: String
    /// Where it is from, for messages.
    package let source: String
    /// Names in the key store which key wrapped a row.
    let idBytes: [UInt8]
    private let wrapping: SecretKey
    /// For a new key store: the key of subjects' marks.
    let marks: SecretKey

    /// - Throws: ``ArchiveKeyError``: `unreadableKey` for another count than 32 bytes, `unavailable` when libcrypto fails.
    package init(_ secret: SecretKey, source: String) throws(ArchiveKeyError) {
        guard secret.byteCount == Self.byteCount else {
            throw ArchiveKeyError(.unreadableKey, "\(source) holds \(secret.byteCount) bytes; a key has 32")
        }
        do throws(CryptographyError) {
            idBytes = try Self.identifier(of: secret)
            wrapping = try HKDF.derive(from: secret, info: Array("sluice archive wrapping".utf8))
            marks = try HKDF.derive(from: secret, info: Array("sluice archive marks".utf8))
        } catch { throw ArchiveKeyError(.unavailable, error.message) }
        id = HexText.encode(idBytes)
        self.source = source
    }

    /// 8 bytes that name a key.
    static func identifier(of secret: SecretKey) throws(CryptographyError) -> [UInt8] {
        let derived = try HKDF.derive(from: secret, info: Array("sluice archive key id".utf8), byteCount: 8)
        return derived.withUnsafeBytes { Array($0) }
    }

    /// How many bytes ``wrap(_:context:)`` gives for a key of 32.
    static let wrappedByteCount = AES256GCM.nonceByteCount + byteCount + AES256GCM.tagByteCount

    /// Nonce, ciphertext and tag.
    ///
    /// - Parameter context: what the wrapped key belongs to; it opens nowhere else.
    func wrap(_ secret: SecretKey, context: [UInt8]) throws(ArchiveKeyError) -> [UInt8] {
        var plain = secret.withUnsafeBytes { Array($0) }
        defer { wipe(&plain) }
        do throws(CryptographyError) {
            let nonce = try randomBytes(AES256GCM.nonceByteCount)
            return nonce + (try AES256GCM.seal(plain, key: wrapping, nonce: nonce, authenticated: context))
        } catch { throw ArchiveKeyError(.unavailable, "a key cannot be wrapped: \(error.message)") }
    }

    /// - Throws: ``ArchiveKeyError``: `damagedKey` when it does not open.
    func unwrap(_ wrapped: [UInt8], context: [UInt8]) throws(ArchiveKeyError) -> SecretKey {
        guard wrapped.count == Self.wrappedByteCount else {
            throw ArchiveKeyError(.damagedKey, "a wrapped key has \(wrapped.count) bytes")
        }
        let opened: [UInt8]?
        do throws(CryptographyError) {
            opened = try AES256GCM.open(
                Array(wrapped[AES256GCM.nonceByteCount...]), key: wrapping,
                nonce: Array(wrapped[..<AES256GCM.nonceByteCount]), authenticated: context)
        } catch { throw ArchiveKeyError(.unavailable, "a key cannot be unwrapped: \(error.message)") }
        guard var plain = opened else {
            throw ArchiveKeyError(.damagedKey, "a wrapped key does not open with key-encryption key \(id) (\(source))")
        }
        defer { wipe(&plain) }
        return SecretKey(copying: plain)
    }
}
