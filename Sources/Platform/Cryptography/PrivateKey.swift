internal import COpenSSL

/// A private key that creates ES256 or Ed25519 signatures, and signs test certificates. Its value is never printed.
package final class PrivateKey: @unchecked Sendable {
    // @unchecked Sendable because an EVP_PKEY is immutable after creation, and every signature has its own context.

    /// The kind of key to generate. This project's verifiers accept only P-256 and P-384; the other kinds are for
    /// creating inputs that they must reject.
    package enum Kind: Hashable, Sendable {
        case p256, p384, p521, secp256k1
        case rsa(bits: Int)
        case ed25519
        /// P-256, encoded with explicit curve parameters.
        case p256WithExplicitParameters
        /// P-256, encoded with a compressed point.
        case p256WithCompressedPoint
    }

    // Owned (one reference); freed in deinit, which wipes it.
    let handle: OpaquePointer

    /// Takes ownership of one reference to `handle`.
    init(owning handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        EVP_PKEY_free(handle)
    }

    /// Generates a random key.
    ///
    /// - Throws: ``CryptographyError`` with code `unavailable`; `invalidArgument` for an RSA size outside 512...16384.
    package static func generate(_ kind: Kind) throws(CryptographyError) -> PrivateKey {
        ErrorQueue.clear()
        guard let context = EVP_PKEY_CTX_new_from_name(nil, kind.algorithm, nil) else {
            throw ErrorQueue.error(.unavailable, "\(kind.algorithm) keys are not available")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var handle: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, try kind.configure(context), EVP_PKEY_generate(context, &handle) == 1,
            let handle
        else { throw ErrorQueue.error(.unavailable, "failed to generate an \(kind.algorithm) key") }
        let key = PrivateKey(owning: handle)
        if kind == .p256WithCompressedPoint {
            guard EVP_PKEY_set_utf8_string_param(handle, "point-format", "compressed") == 1 else {
                throw ErrorQueue.error(.unavailable, "failed to select compressed points")
            }
        }
        return key
    }

    /// The kind of public key.
    package var publicKeyKind: PublicKeyKind {
        defer { ErrorQueue.clear() }
        return KeyFacts.kind(of: handle)
    }

    /// The public half, or nil if the key is not on P-256.
    package var publicKey: P256PublicKey? {
        guard publicKeyKind == .p256, EVP_PKEY_up_ref(handle) == 1 else { return nil }
        return P256PublicKey(owning: handle)
    }

    /// Returns an ES256 signature (RFC 7518 section 3.4) over the SHA-256 digest of `message`: r followed by s, 64
    /// bytes. The nonce is random.
    ///
    /// - Throws: ``CryptographyError``: `unsupportedKey` if the key is not on P-256, `unavailable` if signing fails.
    package func es256Signature(of message: UnsafeRawBufferPointer) throws(CryptographyError) -> [UInt8] {
        try es256Signature(digest: SHA256.digest(of: message))
    }

    /// Returns an ES256 signature (RFC 7518 section 3.4) over the SHA-256 digest of `message`: r followed by s, 64
    /// bytes.
    ///
    /// - Throws: the same errors as ``es256Signature(digest:)``.
    package func es256Signature(of message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try es256Signature(digest: SHA256.digest(of: message))
    }

    /// Returns an ES256 signature over an existing digest: r followed by s, 64 bytes.
    ///
    /// - Throws: ``CryptographyError``: `unsupportedKey` if the key is not on P-256, `unavailable` if signing fails.
    package func es256Signature(digest: SHA256Digest) throws(CryptographyError) -> [UInt8] {
        guard publicKeyKind == .p256 else { throw CryptographyError(.unsupportedKey, "ES256 requires a P-256 key") }
        ErrorQueue.clear()
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, handle, nil) else {
            throw ErrorQueue.error(.unavailable, "failed to create the signing context")
        }
        defer { EVP_PKEY_CTX_free(context) }
        let raw = withUnsafeTemporaryAllocation(byteCount: ECDSASignature.maximumDERByteCount, alignment: 1) { out in
            var count = out.count
            let done = digest.withUnsafeBytes { digest in
                EVP_PKEY_sign_init(context) == 1
                    && EVP_PKEY_sign(
                        context, out.assumingMemoryBound(to: UInt8.self).baseAddress, &count,
                        digest.assumingMemoryBound(to: UInt8.self).baseAddress, digest.count) == 1
            }
            guard done, count <= out.count else { return nil as [UInt8]? }
            return ECDSASignature.raw(ofDER: UnsafeRawBufferPointer(rebasing: out[..<count]))
        }
        guard let raw else { throw ErrorQueue.error(.unavailable, "failed to sign") }
        return raw
    }
}

extension PrivateKey: CustomStringConvertible {
    package var description: String { "PrivateKey(\(publicKeyKind))" }
}

extension PrivateKey.Kind {
    fileprivate var algorithm: String {
        switch self {
        case .p256, .p384, .p521, .secp256k1, .p256WithExplicitParameters, .p256WithCompressedPoint: "EC"
        case .rsa: "RSA"
        case .ed25519: "ED25519"
        }
    }

    /// Configures the key generator. Returns false if OpenSSL rejects a parameter.
    fileprivate func configure(_ context: OpaquePointer) throws(CryptographyError) -> Bool {
        switch self {
        case .p256, .p256WithCompressedPoint: return EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1
        case .p384: return EVP_PKEY_CTX_set_group_name(context, "secp384r1") == 1
        case .p521: return EVP_PKEY_CTX_set_group_name(context, "secp521r1") == 1
        case .secp256k1: return EVP_PKEY_CTX_set_group_name(context, "secp256k1") == 1
        case .p256WithExplicitParameters:
            return EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1
                && EVP_PKEY_CTX_set_ec_param_enc(context, OPENSSL_EC_EXPLICIT_CURVE) == 1
        case .rsa(let bits):
            guard (512...16_384).contains(bits) else {
                throw CryptographyError(.invalidArgument, "unsupported RSA key size: \(bits) bits")
            }
            return EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1
        case .ed25519: return true
        }
    }
}
