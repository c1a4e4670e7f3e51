internal import COpenSSL

/// An ML-DSA-44 public key (FIPS 204) that verifies signatures. Can be shared between threads.
///
/// The algorithm is looked up in libcrypto at run time; OpenSSL 3.5 and later have it.
package final class MLDSA44PublicKey: @unchecked Sendable {
    // @unchecked Sendable because an EVP_PKEY is immutable after creation, and every verification has its own context.

    /// The size of a key in bytes.
    package static let byteCount = 1312
    /// The size of a signature in bytes.
    package static let signatureByteCount = 2420

    /// Whether libcrypto has the algorithm.
    package static let isAvailable: Bool = {
        defer { ErrorQueue.clear() }
        guard let algorithm = EVP_SIGNATURE_fetch(nil, name, nil) else { return false }
        EVP_SIGNATURE_free(algorithm)
        return true
    }()

    private static let name = "ML-DSA-44"

    // Owned (one reference); freed in deinit.
    private let handle: OpaquePointer

    /// - Throws: ``CryptographyError``: `malformedKey` if the number of bytes is wrong, `unavailable` if libcrypto does
    ///   not have the algorithm.
    package init(rawBytes: [UInt8]) throws(CryptographyError) {
        defer { ErrorQueue.clear() }
        guard rawBytes.count == Self.byteCount else {
            throw CryptographyError(.malformedKey, "an ML-DSA-44 public key has 1312 bytes, not \(rawBytes.count)")
        }
        guard Self.isAvailable,
            let handle = EVP_PKEY_new_raw_public_key_ex(nil, Self.name, nil, rawBytes, rawBytes.count)
        else {
            throw CryptographyError(.unavailable, "this libcrypto has no ML-DSA-44; OpenSSL 3.5 and later have it")
        }
        self.handle = handle
    }

    deinit {
        EVP_PKEY_free(handle)
    }

    /// Verifies a signature with an empty context string.
    package func verify(_ message: [UInt8], signature: [UInt8]) -> SignatureResult {
        guard signature.count == Self.signatureByteCount else { return .invalid }
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = EVP_MD_CTX_new() else { return .failed }
        defer { EVP_MD_CTX_free(context) }
        // ML-DSA hashes the message itself, so no digest is specified.
        guard EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, handle, nil) == 1 else { return .failed }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1 ? .valid : .invalid
    }
}
