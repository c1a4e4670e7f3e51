/// A UUID as 128 bits, parsed from its 8-4-4-4-12 text form (RFC 9562 section 4).
@usableFromInline
package struct UUIDBytes: Hashable, Sendable {
    @usableFromInline package let high: UInt64
    @usableFromInline package let low: UInt64

    /// Parses a UUID in upper or lower case. Returns nil if the text has any other form.
    @inlinable
    package init?(text: some Sequence<UInt8>) {
        // Reading contiguous bytes is much faster than iterating over a string's view.
        let uuid = text.withContiguousStorageIfAvailable { UUIDBytes(bytes: $0) } ?? UUIDBytes(bytes: text)
        guard let uuid else { return nil }
        self = uuid
    }

    @inlinable
    init?(bytes text: some Sequence<UInt8>) {
        var digits = 0
        var position = 0
        var (high, low): (UInt64, UInt64) = (0, 0)
        for byte in text {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard digits < 32, let value = byte.hexadecimalValue else { return nil }
                if digits < 16 { high = high << 4 | UInt64(value) } else { low = low << 4 | UInt64(value) }
                digits += 1
            }
            position += 1
        }
        guard position == 36, digits == 32 else { return nil }
        (self.high, self.low) = (high, low)
    }
}
