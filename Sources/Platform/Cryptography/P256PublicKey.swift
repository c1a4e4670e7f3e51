internal import COpenSSL

/// What a signature turned out to be.
package enum SignatureResult: Sendable {
    case valid
    /// Wrong, or r or s out of range, or not 64 bytes.
    case invalid
    /// OpenSSL could not decide: no memory, or our misuse. Never answer a peer as if it were his fault.
    case failed
}

/// A public key on P-256, for verifying ES256. Shared by all threads.
package final class P256PublicKey: @unchecked Sendable {
    // @unchecked Sendable because an EVP_PKEY is immutable once built; a verification has a context to itself.

    // Owned (one reference); freed in deinit.
    private let handle: OpaquePointer
    /// Of this key, initialised for verifying; each has a reference to the key of its own.
    private let contexts = ContextPool { EVP_PKEY_CTX_free($0) }

    /// The key of a certificate whose ``Certificate/publicKeyKind`` is `p256`; nil for any other kind.
    package convenience init?(certificate: Certificate) {
        guard certificate.publicKeyKind == .p256, let key = X509_get0_pubkey(certificate.handle),
            EVP_PKEY_up_ref(key) == 1
        else { return nil }
        self.init(owning: key)
    }

    /// A key from its point, 04 || x || y; nil for another form, for a point off the curve and for the point at infinity.
    package convenience init?(uncompressedPoint point: [UInt8]) {
        defer { ErrorQueue.clear() }
        guard point.count == 65, let key = shim_p256_public_key(point) else { return nil }
        self.init(owning: key)
    }

    /// Takes over one reference to `handle`.
    init(owning handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        EVP_PKEY_free(handle)
    }

    /// The point, 04 || x || y.
    package var uncompressedPoint: [UInt8] { KeyFacts.point(of: handle) }

    /// Judges a signature as JWS writes it: r then s, 32 bytes each, big endian (RFC 7518 section 3.4). About 44 us.
    ///
    /// Both twins of a signature, s and n - s, are valid: never identify anything by its signature.
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
            // A good signature leaves nothing in the queue.
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

    /// Judges a signature as JWS writes it.
    package func verify(digest: SHA256Digest, rawSignature: [UInt8]) -> SignatureResult {
        rawSignature.withUnsafeBytes { verify(digest: digest, rawSignature: $0) }
    }
}
