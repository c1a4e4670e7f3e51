internal import COpenSSL

/// HKDF with SHA-256 (RFC 5869), extract and expand: derives keys for several purposes from one key.
package enum HKDF {
    /// The maximum length of a derived key in bytes: 255 digests.
    package static let maximumByteCount = 255 * SHA256Digest.byteCount

    /// The algorithm, fetched once.
    private final class Algorithm: @unchecked Sendable {
        // @unchecked Sendable because an EVP_KDF is immutable after it has been fetched.

        // Lives as long as the process. Nil if libcrypto has no HKDF.
        let handle = EVP_KDF_fetch(nil, "HKDF", nil)
    }

    private static let algorithm = Algorithm()

    /// Derives a key of `byteCount` bytes. `info` separates purposes: a derived key reveals nothing about a key for any
    /// other purpose.
    ///
    /// - Throws: ``CryptographyError``: `invalidArgument` if the key is empty or the count is outside 1...8160;
    ///   `unavailable` if libcrypto fails.
    package static func derive(
        from key: SecretKey, salt: [UInt8] = [], info: [UInt8], byteCount: Int = 32
    ) throws(CryptographyError) -> SecretKey {
        guard key.byteCount > 0 else { throw CryptographyError(.invalidArgument, "the key is empty") }
        guard (1...maximumByteCount).contains(byteCount) else {
            throw CryptographyError(.invalidArgument, "HKDF cannot derive \(byteCount) bytes")
        }
        ErrorQueue.clear()
        guard let algorithm = algorithm.handle else { throw ErrorQueue.error(.unavailable, "HKDF is not available") }
        var isMade = false
        let derived = SecretKey(byteCount: byteCount) { out in
            isMade = key.withUnsafeBytes { key in
                shim_hkdf_sha256(
                    algorithm, key.assumingMemoryBound(to: UInt8.self).baseAddress, key.count, salt, salt.count, info,
                    info.count, out.assumingMemoryBound(to: UInt8.self).baseAddress, out.count) == 1
            }
        }
        guard isMade else { throw ErrorQueue.error(.unavailable, "HKDF failed") }
        return derived
    }
}
