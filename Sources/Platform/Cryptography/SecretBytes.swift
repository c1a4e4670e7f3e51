internal import COpenSSL

/// Compares two buffers in time that depends only on their lengths.
package func constantTimeEquals(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return true }
    return CRYPTO_memcmp(leftStart, rightStart, left.count) == 0
}

/// Compares two arrays in time that depends only on their lengths.
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in constantTimeEquals(left, right) } }
}

/// Returns random bytes from OpenSSL's cryptographically secure generator.
///
/// - Throws: ``CryptographyError``: `unavailable` if the generator fails, `invalidArgument` if too many bytes are
///   requested.
package func randomBytes(_ count: Int) throws(CryptographyError) -> [UInt8] {
    guard count > 0 else { return [] }
    guard let asked = Int32(exactly: count) else {
        throw CryptographyError(.invalidArgument, "too many random bytes requested: \(count)")
    }
    var bytes = [UInt8](repeating: 0, count: count)
    ErrorQueue.clear()
    guard RAND_bytes(&bytes, asked) == 1 else {
        throw ErrorQueue.error(.unavailable, "the random number generator failed")
    }
    return bytes
}

/// Returns a random key from OpenSSL's separate generator for secrets.
///
/// - Throws: ``CryptographyError``: `unavailable` if the generator fails, `invalidArgument` if the size is less than 1
///   or exceeds ``SecretKey/maximumByteCount``.
package func randomKey(byteCount: Int) throws(CryptographyError) -> SecretKey {
    guard (1...SecretKey.maximumByteCount).contains(byteCount) else {
        throw CryptographyError(.invalidArgument, "unsupported key size: \(byteCount) bytes")
    }
    ErrorQueue.clear()
    var isMade = false
    let key = SecretKey(byteCount: byteCount) { out in
        isMade = RAND_priv_bytes(out.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(out.count)) == 1
    }
    guard isMade else { throw ErrorQueue.error(.unavailable, "failed to generate a random key") }
    return key
}
