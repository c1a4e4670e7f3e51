internal import COpenSSL

/// Whether both are equal, in a time that depends on their lengths alone.
package func constantTimeEquals(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return true }
    return CRYPTO_memcmp(leftStart, rightStart, left.count) == 0
}

/// Whether both are equal, in a time that depends on their lengths alone.
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in constantTimeEquals(left, right) } }
}

/// Bytes of OpenSSL's cryptographically secure generator.
///
/// - Throws: ``CryptographyError`` with code `unavailable` when the generator cannot be seeded.
package func randomBytes(_ count: Int) throws(CryptographyError) -> [UInt8] {
    guard count > 0 else { return [] }
    guard let asked = Int32(exactly: count) else {
        throw CryptographyError(.invalidArgument, "\(count) random bytes at once are too many")
    }
    var bytes = [UInt8](repeating: 0, count: count)
    ErrorQueue.clear()
    guard RAND_bytes(&bytes, asked) == 1 else {
        throw ErrorQueue.error(.unavailable, "no random bytes")
    }
    return bytes
}

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
    /// The 32-byte code of `message` under `key`.
    ///
    /// - Throws: ``CryptographyError`` with code `unavailable` when libcrypto has no HMAC.
    package static func code(
        for message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
    ) throws(CryptographyError) -> SHA256Digest {
        ErrorQueue.clear()
        var succeeded = false
        // HMAC reads a nil key as "keep the old key", so an empty one still needs an address.
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

    /// The 32-byte code of `message` under `key`.
    package static func code(for message: [UInt8], key: [UInt8]) throws(CryptographyError) -> SHA256Digest {
        try message.span.withUnsafeBytes { (message) throws(CryptographyError) in
            try key.span.withUnsafeBytes { (key) throws(CryptographyError) in try code(for: message, key: key) }
        }
    }
}
