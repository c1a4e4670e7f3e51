internal import CVectors

/// Long texts by vectors, where this processor has them. Each function says how far it came from the start, perhaps not
/// at all; the caller goes on from there one by one and decides everything.
package enum VectorBytes {
    /// Asked once for the process.
    private static let isAvailable = cv_has_avx2() != 0

    /// Shorter texts are not worth a call.
    private static let leastCount = 64

    /// How many bytes from `start` on are neither a quote, a backslash, a control byte nor above 127, as far as whole
    /// blocks of 64 say so.
    package static func plainCount(in bytes: borrowing RawSpan, from start: Int) -> Int {
        guard isAvailable, bytes.byteCount - start >= leastCount else { return 0 }
        return bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return cv_plain_prefix(base.advanced(by: start).assumingMemoryBound(to: UInt8.self), bytes.count - start)
        }
    }

    /// Decodes base64url from the start of `text` and returns how many characters, a multiple of 32: each four of them
    /// have made three bytes at the start of `out`.
    static func decodeBase64URL(
        _ text: UnsafeBufferPointer<UInt8>, into out: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard isAvailable, text.count >= leastCount, let from = text.baseAddress, let to = out.baseAddress else {
            return 0
        }
        return cv_decode_base64url(from, text.count, to, out.count)
    }

    /// How many characters from the start of `text`, a multiple of 32, are the base64url of the start of `bytes`.
    static func matchedBase64URL(_ text: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) -> Int {
        guard isAvailable, text.count >= leastCount, let text = text.baseAddress.map({ ($0, text.count) }),
            let bytes = bytes.baseAddress.map({ ($0, bytes.count) })
        else { return 0 }
        return cv_match_base64url(
            text.0.assumingMemoryBound(to: UInt8.self), text.1, bytes.0.assumingMemoryBound(to: UInt8.self), bytes.1)
    }
}
