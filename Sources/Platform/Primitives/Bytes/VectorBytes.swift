internal import CSystem

/// Vectorized processing of long text on processors that support it. Each function returns how much it processed,
/// possibly nothing. The caller processes the rest byte by byte, and only the caller rejects invalid input.
package enum VectorBytes {
    /// Whether the processor has AVX2; checked once per process.
    private static let isAvailable = cv_has_avx2() != 0

    /// The minimum length that makes a call worthwhile.
    private static let leastCount = 64

    /// Returns the number of plain bytes from `start`, in whole blocks of 64. A plain byte is ASCII and not a quote, a
    /// backslash or a control byte.
    package static func plainCount(in bytes: borrowing RawSpan, from start: Int) -> Int {
        guard isAvailable, bytes.byteCount - start >= leastCount else { return 0 }
        return bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return cv_plain_prefix(base.advanced(by: start).assumingMemoryBound(to: UInt8.self), bytes.count - start)
        }
    }

    /// Decodes base64url from the start of `text` and returns the number of decoded characters, a multiple of 32. Every
    /// four characters produce three bytes, written from the start of `out`.
    static func decodeBase64URL(
        _ text: UnsafeBufferPointer<UInt8>, into out: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard isAvailable, text.count >= leastCount, let from = text.baseAddress, let to = out.baseAddress else {
            return 0
        }
        return cv_decode_base64url(from, text.count, to, out.count)
    }

    /// Returns the number of characters at the start of `text`, a multiple of 32, that encode the start of `bytes` in
    /// base64url.
    static func matchedBase64URL(_ text: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) -> Int {
        guard isAvailable, text.count >= leastCount, let text = text.baseAddress.map({ ($0, text.count) }),
            let bytes = bytes.baseAddress.map({ ($0, bytes.count) })
        else { return 0 }
        return cv_match_base64url(
            text.0.assumingMemoryBound(to: UInt8.self), text.1, bytes.0.assumingMemoryBound(to: UInt8.self), bytes.1)
    }
}
