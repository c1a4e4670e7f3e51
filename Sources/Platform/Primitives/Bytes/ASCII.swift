extension UInt8 {
    /// The value of a hexadecimal digit in upper or lower case, or nil for any other byte.
    @inlinable
    package var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Whether the byte is a `tchar` (RFC 9110 section 5.6.2): a letter, a digit or one of ``!#$%&'*+-.^_`|~``.
    @inlinable @inline(__always)
    package var isHTTPTokenCharacter: Bool {
        // Bit n of `below64` is set if byte n is a token character, and bit n of `from64` if byte 64 + n is one.
        let below64: UInt64 = 0x03FF_6CFA_0000_0000
        let from64: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        if self >= 128 { return false }
        return (self < 64 ? below64 >> UInt64(self) : from64 >> UInt64(self & 63)) & 1 == 1
    }
}
