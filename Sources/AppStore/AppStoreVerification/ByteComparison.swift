/// Comparing long texts without a hash: word by word.
enum ByteComparison {
    /// Whether `text` begins with `prefix`.
    static func hasPrefix(_ text: [UInt8], _ prefix: [UInt8]) -> Bool {
        guard text.count >= prefix.count else { return false }
        let left = text.span.bytes
        let right = prefix.span.bytes
        let count = prefix.count
        var at = 0
        // Every offset stays below `count`, and `text` is at least as long.
        while count - at >= 32 {
            let difference =
                (word(left, at) ^ word(right, at)) | (word(left, at + 8) ^ word(right, at + 8))
                | (word(left, at + 16) ^ word(right, at + 16)) | (word(left, at + 24) ^ word(right, at + 24))
            guard difference == 0 else { return false }
            at += 32
        }
        while at < count {
            guard text[at] == prefix[at] else { return false }
            at += 1
        }
        return true
    }

    private static func word(_ bytes: borrowing RawSpan, _ offset: Int) -> UInt64 {
        bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
