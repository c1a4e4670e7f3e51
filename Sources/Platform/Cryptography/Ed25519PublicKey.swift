internal import COpenSSL

/// An Ed25519 public key (RFC 8032) that verifies signatures. Can be shared between threads.
package final class Ed25519PublicKey: @unchecked Sendable {
    // @unchecked Sendable because an EVP_PKEY is immutable after creation, and every verification has its own context.

    /// The size of a key in bytes.
    package static let byteCount = 32
    /// The size of a signature in bytes.
    package static let signatureByteCount = 64

    // Owned (one reference); freed in deinit.
    private let handle: OpaquePointer
    /// The 32 bytes called A in RFC 8032 section 5.1.5.
    package let rawBytes: [UInt8]

    /// Creates a key from 32 bytes. Returns nil for any other length. If the bytes are not a point on the curve, the
    /// key rejects every signature.
    package init?(rawBytes: [UInt8]) {
        defer { ErrorQueue.clear() }
        guard rawBytes.count == Self.byteCount,
            let handle = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, rawBytes, rawBytes.count)
        else { return nil }
        self.handle = handle
        self.rawBytes = rawBytes
    }

    deinit {
        EVP_PKEY_free(handle)
    }

    /// Verifies a 64-byte signature.
    package func verify(_ message: UnsafeRawBufferPointer, signature: UnsafeRawBufferPointer) -> SignatureResult {
        guard signature.count == Self.signatureByteCount else { return .invalid }
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = EVP_MD_CTX_new() else { return .failed }
        defer { EVP_MD_CTX_free(context) }
        // Ed25519 hashes the message itself, so no digest is specified.
        guard EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, handle, nil) == 1 else { return .failed }
        let verdict = EVP_DigestVerify(
            context, signature.assumingMemoryBound(to: UInt8.self).baseAddress, signature.count,
            message.assumingMemoryBound(to: UInt8.self).baseAddress, message.count)
        // Zero or a negative number means that the signature is wrong or not canonical, or that the key is not a point
        // on the curve.
        return verdict == 1 ? .valid : .invalid
    }

    /// Verifies a 64-byte signature.
    package func verify(_ message: [UInt8], signature: [UInt8]) -> SignatureResult {
        message.withUnsafeBytes { message in
            signature.withUnsafeBytes { signature in verify(message, signature: signature) }
        }
    }
}

extension Ed25519PublicKey: Hashable {
    package static func == (left: Ed25519PublicKey, right: Ed25519PublicKey) -> Bool {
        left.rawBytes == right.rawBytes
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(rawBytes) }
}
