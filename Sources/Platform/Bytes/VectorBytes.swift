internal import CVectors

/// Vectorized processing of long texts, if the processor supports it. Each function returns how far it got from the
/// start, possibly 0; the caller continues from there byte by byte and makes all decisions.
package enum VectorBytes {
    /// Determined once per process.
    private static let isAvailable = cv_has_avx2() != 0

    /// Minimum length for which a call pays off.
    private static let leastCount = 64

    /// Returns the number of bytes from `start` on that are neither a quote, a backslash, a control byte nor above 127,
    /// in whole blocks of 64.
    package static func plainCount(in bytes: borrowing RawSpan, from start: Int) -> Int {
        guard isAvailable, bytes.byteCount - start >= leastCount else { return 0 }
        return bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return cv_plain_prefix(base.advanced(by: start).assumingMemoryBound(to: UInt8.self), bytes.count - start)
        }
    }

    /// Decodes base64url from the start of `text` and returns the number of characters decoded, a multiple of 32: each
    /// group of four has produced three bytes at the start of `out`.
    static func decodeBase64URL(
        _ text: UnsafeBufferPointer<UInt8>, into out: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard isAvailable, text.count >= leastCount, let from = text.baseAddress, let to = out.baseAddress else {
            return 0
        }
        return cv_decode_base64url(from, text.count, to, out.count)
    }

    /// Returns how many characters from the start of `text`, a multiple of 32, are the base64url encoding of the start
    /// of `bytes`.
    static func matchedBase64URL(_ text: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) -> Int {
        guard isAvailable, text.count >= leastCount, let text = text.baseAddress.map({ ($0, text.count) }),
            let bytes = bytes.baseAddress.map({ ($0, bytes.count) })
        else { return 0 }
        return cv_match_base64url(
            text.0.assumingMemoryBound(to: UInt8.self), text.1, bytes.0.assumingMemoryBound(to: UInt8.self), bytes.1)
    }
}
