internal import CVectors

/// Vectorized processing of long texts, if the processor supports it. Each function returns how far it got, possibly 0;
/// the caller continues from there byte by byte and makes all decisions.
package enum VectorBytes {
    /// Determined once per process.
    private static let isAvailable = cv_has_avx2() != 0

    /// Minimum length for which a call is worthwhile.
    private static let leastCount = 64

    /// Returns how many bytes from `start` onwards are not a quote, a backslash, a control byte or a byte above 127, in
    /// whole blocks of 64.
    package static func plainCount(in bytes: borrowing RawSpan, from start: Int) -> Int {
        guard isAvailable, bytes.byteCount - start >= leastCount else { return 0 }
        return bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return cv_plain_prefix(base.advanced(by: start).assumingMemoryBound(to: UInt8.self), bytes.count - start)
        }
    }

    /// Decodes base64url from the start of `text` and returns the number of characters decoded, which is a multiple of
    /// 32. Each group of four characters produces three bytes at the start of `out`.
    static func decodeBase64URL(
        _ text: UnsafeBufferPointer<UInt8>, into out: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard isAvailable, text.count >= leastCount, let from = text.baseAddress, let to = out.baseAddress else {
            return 0
        }
        return cv_decode_base64url(from, text.count, to, out.count)
    }

    /// Returns the number of characters at the start of `text`, a multiple of 32, that are the base64url encoding of
    /// the start of `bytes`.
    static func matchedBase64URL(_ text: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) -> Int {
        guard isAvailable, text.count >= leastCount, let text = text.baseAddress.map({ ($0, text.count) }),
            let bytes = bytes.baseAddress.map({ ($0, bytes.count) })
        else { return 0 }
        return cv_match_base64url(
            text.0.assumingMemoryBound(to: UInt8.self), text.1, bytes.0.assumingMemoryBound(to: UInt8.self), bytes.1)
    }
}
