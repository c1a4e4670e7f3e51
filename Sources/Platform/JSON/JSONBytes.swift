internal import Primitives

/// Byte-level rules for JSON strings, without Foundation.
@usableFromInline
package enum JSONBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Returns the first position from `start` of a quote, a backslash, a control byte or a non-ASCII byte, or the end
    /// if there is none.
    ///
    /// Examines sixteen bytes per step. A subtraction may borrow from the next higher byte of the word and wrongly mark
    /// it. Only the lowest marked byte is reliable, so only that one is used.
    static func firstSpecial(in input: Span<UInt8>, from start: Int) -> Int {
        let bytes = input.bytes
        let count = bytes.byteCount
        var position = start
        while count - position >= 16 {
            let first = marks(bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            let second = marks(bytes.unsafeLoadUnaligned(fromByteOffset: position + 8, as: UInt64.self))
            if first | second != 0 {
                return position
                    + (first != 0 ? first.trailingZeroBitCount : 64 + second.trailingZeroBitCount) / 8
            }
            position += 16
            // Names and most values end before this point; longer values may be nested JWSs of several thousand bytes.
            if position == start + 32 { position = skipPlainBlocks(in: bytes, from: position) }
        }
        while position < count {
            let byte = input[position]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80 { return position }
            position += 1
        }
        return position
    }

    @inline(__always)
    private static func marks(_ bytes: UInt64) -> UInt64 {
        let word = UInt64(littleEndian: bytes)
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        // The usual test for a zero byte adds `& ~word` to exclude bytes with the high bit set. Here, these bytes are
        // special too.
        return ((quote &- ones) | (backslash &- ones) | (word &- ones &* 0x20) | word) & highs
    }

    /// Skips 64-byte blocks without special bytes, first with AVX2 if available, then with portable vectors.
    private static func skipPlainBlocks(in bytes: borrowing RawSpan, from start: Int) -> Int {
        var position = start + VectorBytes.plainCount(in: bytes, from: start)
        while bytes.byteCount - position >= 64 {
            let marked =
                marks(in: bytes, at: position) | marks(in: bytes, at: position + 16)
                | marks(in: bytes, at: position + 32) | marks(in: bytes, at: position + 48)
            let words = unsafeBitCast(marked, to: SIMD2<UInt64>.self)
            guard (words.x | words.y) & highs == 0 else { return position }
            position += 64
        }
        return position
    }

    /// Sets the high bit of each lane that contains a special byte. Uses arithmetic, because vector comparisons compile
    /// to loops.
    @inline(__always)
    private static func marks(in bytes: borrowing RawSpan, at offset: Int) -> SIMD16<UInt8> {
        // Safe because the caller has verified that 16 bytes are available, and any bytes are a valid vector.
        let vector = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
        let ones = SIMD16<UInt8>(repeating: 1)
        let quote = (vector ^ SIMD16(repeating: 0x22)) &- ones
        let backslash = (vector ^ SIMD16(repeating: 0x5C)) &- ones
        let control = vector &- SIMD16(repeating: 0x20)
        // A non-ASCII byte has its high bit set.
        return quote | backslash | control | vector
    }

    /// Returns the length of the well-formed multi-byte UTF-8 sequence at `position` (Unicode, table 3-7), or nil if
    /// there is none.
    static func utf8SequenceLength(in input: Span<UInt8>, at position: Int) -> Int? {
        let lead = input[position]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return nil
        }
        guard input.count - position >= length, second.contains(input[position + 1]) else { return nil }
        for index in 2..<max(length, 2) where input[position + index] & 0xC0 != 0x80 { return nil }
        return length
    }

    /// Parses a number of at most 18 digits without a sign, fraction or exponent, which covers nearly all numbers.
    /// Returns nil for any other number.
    static func plainInteger(_ input: Span<UInt8>, from start: Int, to end: Int) -> Int64? {
        guard start < end, end - start <= 18 else { return nil }
        var number: Int64 = 0
        for position in start..<end {
            let digit = input[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number &* 10 &+ Int64(digit)
        }
        return number
    }

    /// Returns a hash of the length and the first, middle and last bytes.
    static func fingerprint(_ input: Span<UInt8>, from start: Int, to end: Int) -> UInt16 {
        let length = end - start
        guard length > 0 else { return 0 }
        let middle = UInt16(input[start + length / 2])
        let ends = UInt16(input[start]) &* 31 ^ UInt16(input[end - 1]) &* 257
        return UInt16(truncatingIfNeeded: length) &* 1031 ^ middle &* 7919 ^ ends
    }

    /// Returns the fingerprint of a name without escapes.
    @inlinable
    package static func fingerprint(_ name: StaticString) -> UInt16 {
        let length = name.utf8CodeUnitCount
        guard length > 0 else { return 0 }
        let middle = UInt16(name.utf8Start[length / 2])
        let ends = UInt16(name.utf8Start[0]) &* 31 ^ UInt16(name.utf8Start[length - 1]) &* 257
        return UInt16(truncatingIfNeeded: length) &* 1031 ^ middle &* 7919 ^ ends
    }

    /// Returns the text between the quotes of a scanned string, with its escapes resolved.
    static func decoded(_ input: Span<UInt8>, from start: Int, to end: Int) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(end - start)
        var position = start
        while position < end {
            let byte = input[position]
            position += 1
            guard byte == UInt8(ascii: "\\"), position < end else {
                output.append(byte)
                continue
            }
            let escaped = input[position]
            position += 1
            switch escaped {
            case UInt8(ascii: "b"): output.append(0x08)
            case UInt8(ascii: "f"): output.append(0x0C)
            case UInt8(ascii: "n"): output.append(0x0A)
            case UInt8(ascii: "r"): output.append(0x0D)
            case UInt8(ascii: "t"): output.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = codeUnit(input, at: position, end: end)
                position += 4
                if scalar & 0xFC00 == 0xD800 {
                    let low = codeUnit(input, at: position + 2, end: end)
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
                    position += 6
                }
                if let scalar = Unicode.Scalar(scalar) { output.append(contentsOf: UTF8.encode(scalar) ?? .init()) }
            default: output.append(escaped)
            }
        }
        return output
    }

    private static func codeUnit(_ input: Span<UInt8>, at position: Int, end: Int) -> UInt32 {
        guard position + 4 <= end else { return 0 }
        var unit: UInt32 = 0
        for index in position..<position + 4 {
            unit = unit << 4 | UInt32(input[index].hexadecimalValue ?? 0)
        }
        return unit
    }

    /// Appends `text` as a quoted JSON string, with only the escapes that RFC 8259 requires.
    static func append(quoted text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Most strings need no escapes and are appended as a whole.
            if utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
                for byte in utf8 { append(escaped: byte, to: &output) }
            } else {
                output.append(contentsOf: utf8)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    static func append(escaped byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            output.append(UInt8(ascii: "\\"))
            output.append(byte)
        case 0x08: output.append(contentsOf: "\\b".utf8)
        case 0x09: output.append(contentsOf: "\\t".utf8)
        case 0x0A: output.append(contentsOf: "\\n".utf8)
        case 0x0C: output.append(contentsOf: "\\f".utf8)
        case 0x0D: output.append(contentsOf: "\\r".utf8)
        case 0x00..<0x20: append(codeUnit: UInt16(byte), to: &output)
        default: output.append(byte)
        }
    }

    /// Appends an escape of the form `\uXXXX`.
    static func append(codeUnit: UInt16, to output: inout [UInt8]) {
        let digits: StaticString = "0123456789abcdef"
        output.append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] as [UInt16] { output.append(digits.utf8Start[Int(codeUnit >> shift & 15)]) }
    }
}
