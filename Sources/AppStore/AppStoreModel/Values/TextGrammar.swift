/// The strict grammar for text that becomes a key, header, file name or URL downstream, whatever its source.
package enum TextGrammar {
    /// The maximum length in bytes.
    package static let greatestCount = 128

    /// Returns whether the string consists of 1 to 128 ASCII digits.
    package static func isNumber(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...greatestCount).contains(bytes.count) && all(of: bytes) { $0 &- UInt8(ascii: "0") < 10 }
    }

    /// Returns whether the string consists of 1 to 128 ASCII letters, digits, dots, hyphens and underscores.
    package static func isToken(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...greatestCount).contains(bytes.count) && all(of: bytes, isTokenByte)
    }

    /// Returns whether all bytes are allowed. Contiguous bytes are read directly, which is much faster than reading a
    /// string view.
    @inline(__always)
    private static func all(of bytes: String.UTF8View, _ isAllowed: (UInt8) -> Bool) -> Bool {
        bytes.withContiguousStorageIfAvailable { $0.allSatisfy(isAllowed) } ?? bytes.allSatisfy(isAllowed)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
