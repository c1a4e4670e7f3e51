internal import COpenSSL

extension PrivateKey {
    /// Creates an Ed25519 key from its 32-byte seed (RFC 8032 section 5.1.5).
    ///
    /// - Throws: ``CryptographyError``: `malformedKey` if the length is wrong, `unavailable` if libcrypto fails.
    package convenience init(ed25519Seed seed: SecretKey) throws(CryptographyError) {
        guard seed.byteCount == Ed25519PublicKey.byteCount else {
            throw CryptographyError(.malformedKey, "an Ed25519 key has 32 bytes, not \(seed.byteCount)")
        }
        ErrorQueue.clear()
        let handle = seed.withUnsafeBytes { seed in
            EVP_PKEY_new_raw_private_key_ex(
                nil, "ED25519", nil, seed.assumingMemoryBound(to: UInt8.self).baseAddress, seed.count)
        }
        guard let handle else { throw ErrorQueue.error(.unavailable, "Ed25519 keys are not available") }
        self.init(owning: handle)
    }

    /// Whether this is an Ed25519 key.
    package var isEd25519: Bool { EVP_PKEY_is_a(handle, "ED25519") == 1 }

    /// The public half, or nil if this is not an Ed25519 key.
    package var ed25519PublicKey: Ed25519PublicKey? {
        defer { ErrorQueue.clear() }
        guard isEd25519 else { return nil }
        var count = Ed25519PublicKey.byteCount
        var raw = [UInt8](repeating: 0, count: count)
        guard EVP_PKEY_get_raw_public_key(handle, &raw, &count) == 1, count == raw.count else { return nil }
        return Ed25519PublicKey(rawBytes: raw)
    }

    /// Returns the deterministic 64-byte signature defined by RFC 8032.
    ///
    /// - Throws: ``CryptographyError``: `unsupportedKey` if this is not an Ed25519 key, `unavailable` if signing fails.
    package func ed25519Signature(of message: UnsafeRawBufferPointer) throws(CryptographyError) -> [UInt8] {
        guard isEd25519 else { throw CryptographyError(.unsupportedKey, "Ed25519 requires an Ed25519 key") }
        ErrorQueue.clear()
        guard let context = EVP_MD_CTX_new() else {
            throw ErrorQueue.error(.unavailable, "failed to create the signing context")
        }
        defer { EVP_MD_CTX_free(context) }
        var count = Ed25519PublicKey.signatureByteCount
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSignInit_ex(context, nil, nil, nil, nil, handle, nil) == 1,
            EVP_DigestSign(
                context, &signature, &count, message.assumingMemoryBound(to: UInt8.self).baseAddress, message.count)
                == 1, count == signature.count
        else { throw ErrorQueue.error(.unavailable, "failed to sign") }
        return signature
    }

    /// Returns the deterministic 64-byte signature defined by RFC 8032.
    ///
    /// - Throws: the same errors as ``ed25519Signature(of:)-(UnsafeRawBufferPointer)``.
    package func ed25519Signature(of message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try message.span.withUnsafeBytes { (message) throws(CryptographyError) in try ed25519Signature(of: message) }
    }
}
