internal import COpenSSL

/// The result of verifying a signature.
package enum SignatureResult: Sendable {
    case valid
    /// The signature is wrong or not 64 bytes long, or r or s is out of range.
    case invalid
    /// OpenSSL could not decide, because memory is exhausted or the program misused OpenSSL. The peer is not at fault.
    case failed
}

/// A P-256 public key that verifies ES256 signatures. Can be shared between threads.
package final class P256PublicKey: @unchecked Sendable {
    // @unchecked Sendable because an EVP_PKEY is immutable after creation, and no two verifications use a context at
    // the same time.

    // Owned (one reference); freed in deinit.
    private let handle: OpaquePointer
    /// Contexts initialized for verification with this key. Each has its own reference to the key.
    private let contexts = ContextPool { EVP_PKEY_CTX_free($0) }

    /// Creates a key from a certificate. Returns nil if the ``Certificate/publicKeyKind`` is not `p256`.
    package convenience init?(certificate: Certificate) {
        guard certificate.publicKeyKind == .p256, let key = X509_get0_pubkey(certificate.handle),
            EVP_PKEY_up_ref(key) == 1
        else { return nil }
        self.init(owning: key)
    }

    /// Creates a key from its point, 04 || x || y. Returns nil for any other encoding, a point that is not on the
    /// curve, or the point at infinity.
    package convenience init?(uncompressedPoint point: [UInt8]) {
        defer { ErrorQueue.clear() }
        guard point.count == 65, let key = shim_p256_public_key(point) else { return nil }
        self.init(owning: key)
    }

    /// Takes ownership of one reference to `handle`.
    init(owning handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        EVP_PKEY_free(handle)
    }

    /// The point, 04 || x || y.
    package var uncompressedPoint: [UInt8] { KeyFacts.point(of: handle) }

    /// Verifies a signature in the JWS encoding: r followed by s, 32 bytes each, big-endian (RFC 7518 section 3.4).
    /// Takes about 44 us.
    ///
    /// A signature has two valid variants, s and n - s, so never identify anything by its signature.
    package func verify(digest: SHA256Digest, rawSignature: UnsafeRawBufferPointer) -> SignatureResult {
        withUnsafeTemporaryAllocation(byteCount: ECDSASignature.maximumDERByteCount, alignment: 1) { der in
            guard let count = ECDSASignature.writeDER(ofRaw: rawSignature, into: der) else { return .invalid }
            guard let context = contexts.take() ?? makeContext() else { return .failed }
            let signature = der.assumingMemoryBound(to: UInt8.self).baseAddress
            let verdict = digest.withUnsafeBytes { digest in
                EVP_PKEY_verify(
                    context.raw, signature, count, digest.assumingMemoryBound(to: UInt8.self).baseAddress,
                    digest.count)
            }
            // A successful verification adds nothing to the queue.
            if verdict != 1 { ErrorQueue.clear() }
            switch verdict {
            case 1, 0:
                contexts.giveBack(context)
                return verdict == 1 ? .valid : .invalid
            default:
                EVP_PKEY_CTX_free(context.raw)
                return .failed
            }
        }
    }

    private func makeContext() -> ContextPool.Context? {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, handle, nil) else {
            ErrorQueue.clear()
            return nil
        }
        guard EVP_PKEY_verify_init(context) == 1 else {
            ErrorQueue.clear()
            EVP_PKEY_CTX_free(context)
            return nil
        }
        return ContextPool.Context(raw: context)
    }

    /// Verifies a signature in the JWS encoding.
    package func verify(digest: SHA256Digest, rawSignature: [UInt8]) -> SignatureResult {
        rawSignature.withUnsafeBytes { verify(digest: digest, rawSignature: $0) }
    }
}
