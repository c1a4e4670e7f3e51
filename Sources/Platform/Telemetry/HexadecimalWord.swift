/// The hexadecimal form of trace and span ids.
package enum HexadecimalWord {
    /// Returns the word as 16 lower-case digits.
    package static func text(_ word: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { digits in
            digits.initialize(repeating: UInt8(ascii: "0"))
            write(word, to: digits, at: 0, digits: 16)
            return 16
        }
    }

    /// Writes the lowest digits of a word over initialized bytes.
    static func write(_ word: UInt64, to bytes: UnsafeMutableBufferPointer<UInt8>, at start: Int, digits: Int) {
        var rest = word
        for index in (start..<start + digits).reversed() {
            let digit = UInt8(truncatingIfNeeded: rest & 0xF)
            bytes[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            rest >>= 4
        }
    }
}
