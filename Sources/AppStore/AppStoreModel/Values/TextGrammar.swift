/// The narrow grammar of texts that become keys, headers, file names and URLs downstream, whatever vouches for them.
package enum TextGrammar {
    /// The longest one, in bytes.
    package static let greatestCount = 128

    /// Digits only.
    package static func isNumber(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...greatestCount).contains(bytes.count) && all(of: bytes) { $0 &- UInt8(ascii: "0") < 10 }
    }

    /// Letters, digits, dot, hyphen and underscore of ASCII.
    package static func isToken(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...greatestCount).contains(bytes.count) && all(of: bytes, isTokenByte)
    }

    /// Bytes in a row are read much faster than a view of a text.
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
