internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
    /// Returns the 32-byte authentication code for `message` under `key`.
    ///
    /// - Throws: ``CryptographyError`` with code `unavailable` if libcrypto has no HMAC.
    package static func code(
        for message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
    ) throws(CryptographyError) -> SHA256Digest {
        ErrorQueue.clear()
        var succeeded = false
        // OpenSSL interprets a null key as "keep the old key", so even an empty key needs an address.
        let digest = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { placeholder in
            SHA256Digest { out in
                let start = out.assumingMemoryBound(to: UInt8.self).baseAddress
                let data = message.assumingMemoryBound(to: UInt8.self).baseAddress
                let keyStart = key.baseAddress ?? UnsafeRawPointer(placeholder.baseAddress)
                var count = 0
                let made = EVP_Q_mac(
                    nil, "HMAC", nil, "SHA256", nil, keyStart, key.count, data, message.count, start, out.count, &count)
                succeeded = made != nil && count == out.count
            }
        }
        guard succeeded else { throw ErrorQueue.error(.unavailable, "HMAC-SHA256 failed") }
        return digest
    }

    /// Returns the 32-byte authentication code for `message` under `key`.
    package static func code(for message: [UInt8], key: [UInt8]) throws(CryptographyError) -> SHA256Digest {
        try message.span.withUnsafeBytes { (message) throws(CryptographyError) in
            try key.span.withUnsafeBytes { (key) throws(CryptographyError) in try code(for: message, key: key) }
        }
    }
}

/// An HMAC-SHA256 key, prepared once for many messages. Can be shared between threads.
package final class HMACSHA256Key: @unchecked Sendable {
    // @unchecked Sendable because the context is only copied, with EVP_MAC_CTX_dup.

    /// The algorithm, fetched once.
    private final class Algorithm: @unchecked Sendable {
        // @unchecked Sendable because an EVP_MAC is immutable after it has been fetched.

        // Lives as long as the process. Nil if libcrypto has no HMAC.
        let handle = EVP_MAC_fetch(nil, "HMAC", nil)
    }

    private static let algorithm = Algorithm()

    // Owned; freed in deinit, which wipes the key material.
    private let context: OpaquePointer

    /// - Throws: ``CryptographyError``: `invalidArgument` if the key is empty, `unavailable` if libcrypto has no HMAC.
    package init(_ key: SecretKey) throws(CryptographyError) {
        guard key.byteCount > 0 else { throw CryptographyError(.invalidArgument, "the key is empty") }
        ErrorQueue.clear()
        guard let algorithm = Self.algorithm.handle, let context = EVP_MAC_CTX_new(algorithm) else {
            throw ErrorQueue.error(.unavailable, "HMAC-SHA256 is not available")
        }
        let isReady = key.withUnsafeBytes { key in
            shim_hmac_sha256_init(context, key.assumingMemoryBound(to: UInt8.self).baseAddress, key.count) == 1
        }
        guard isReady else {
            EVP_MAC_CTX_free(context)
            throw ErrorQueue.error(.unavailable, "HMAC-SHA256 is not available")
        }
        self.context = context
    }

    deinit {
        EVP_MAC_CTX_free(context)
    }

    /// Returns the 32-byte authentication code for `message`.
    ///
    /// - Throws: ``CryptographyError`` with code `unavailable` if memory is exhausted.
    package func code(for message: UnsafeRawBufferPointer) throws(CryptographyError) -> SHA256Digest {
        ErrorQueue.clear()
        guard let copy = EVP_MAC_CTX_dup(context) else { throw ErrorQueue.error(.unavailable, "HMAC-SHA256 failed") }
        defer { EVP_MAC_CTX_free(copy) }
        var isMade = false
        let digest = SHA256Digest { out in
            var count = 0
            isMade =
                EVP_MAC_update(copy, message.assumingMemoryBound(to: UInt8.self).baseAddress, message.count) == 1
                && EVP_MAC_final(copy, out.assumingMemoryBound(to: UInt8.self).baseAddress, &count, out.count) == 1
                && count == out.count
        }
        guard isMade else { throw ErrorQueue.error(.unavailable, "HMAC-SHA256 failed") }
        return digest
    }

    /// Returns the 32-byte authentication code for `message`.
    package func code(for message: [UInt8]) throws(CryptographyError) -> SHA256Digest {
        try message.span.withUnsafeBytes { (message) throws(CryptographyError) in try code(for: message) }
    }
}
