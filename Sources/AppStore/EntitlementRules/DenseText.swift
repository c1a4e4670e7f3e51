/// Encodes many small values as one string that needs no escaping inside a JSON string. Fields end with a dot, entries
/// with a comma. Numbers are in base 64 (A–Z, a–z, 0–9, -, _; most significant digit first); signed numbers use zigzag
/// encoding. A string is `*` followed by its bytes in base64url. An absent field is empty.
struct DenseWriter {
    /// The output buffer. Only the first `count` bytes are written.
    private var storage: [UInt8]
    private var count = 1

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private let digits = DenseWriter.digits

    init(reservingCapacity capacity: Int) {
        storage = Array(repeating: 0, count: max(capacity, 16))
        storage[0] = UInt8(ascii: "\"")
    }

    /// The text as a JSON string, including quotes.
    var json: ArraySlice<UInt8> {
        mutating get {
            append(UInt8(ascii: "\""))
            count -= 1
            return storage[...count]
        }
    }

    /// Ends a field.
    mutating func endField() { append(UInt8(ascii: ".")) }

    /// Ends an entry, omitting trailing absent fields.
    mutating func endEntry() {
        while storage[count - 1] == UInt8(ascii: ".") { count -= 1 }
        append(UInt8(ascii: ","))
    }

    mutating func number(_ number: UInt64) {
        makeRoom(for: 11)
        var shift = number == 0 ? 0 : (63 - number.leadingZeroBitCount) / 6 * 6
        while shift >= 0 {
            storage[count] = digits[Int(truncatingIfNeeded: number >> UInt64(shift)) & 63]
            count += 1
            shift -= 6
        }
    }

    /// Writes a signed number in zigzag encoding, which is short for numbers close to zero.
    mutating func signed(_ number: Int64) { self.number(UInt64(bitPattern: number << 1 ^ number >> 63)) }

    /// Writes a marker for a field whose value is the same as in the previous entry.
    mutating func same() { append(UInt8(ascii: "=")) }

    mutating func text(_ text: String) {
        append(UInt8(ascii: "*"))
        var bits: UInt32 = 0
        var left: UInt32 = 0
        for byte in text.utf8 {
            bits = bits << 8 | UInt32(byte)
            left += 8
            while left >= 6 {
                left -= 6
                append(digits[Int(bits >> left) & 63])
            }
        }
        if left > 0 { append(digits[Int(bits << (6 - left)) & 63]) }
    }

    private mutating func append(_ byte: UInt8) {
        makeRoom(for: 1)
        storage[count] = byte
        count += 1
    }

    private mutating func makeRoom(for further: Int) {
        if storage.count - count < further { storage.append(contentsOf: repeatElement(0, count: storage.count)) }
    }
}

/// Reads text written by ``DenseWriter``. Any other input sets ``isMalformed`` and is treated as absent.
struct DenseReader {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int
    private(set) var isMalformed = false

    /// The value of each digit, indexed by byte; 255 for a byte that is not a digit.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: .max, count: 256)
        for (value, digit) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8.enumerated() {
            values[Int(digit)] = UInt8(truncatingIfNeeded: value)
        }
        return values
    }()
    private let values = DenseReader.values

    /// - Parameter range: the range of the text within the bytes.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position >= end }
    /// The number of unread bytes.
    var byteCount: Int { end - position }

    /// Advances to the next entry, skipping unread fields.
    mutating func endEntry() {
        while position < end {
            position += 1
            if bytes[position - 1] == UInt8(ascii: ",") { return }
        }
        isMalformed = true
    }

    /// Reads the number in the next field, or returns nil if it is absent.
    mutating func number() -> UInt64? {
        var number: UInt64 = 0
        let start = position
        while position < end {
            let digit = values[Int(bytes[position])]
            guard digit < 64 else { break }
            if number >> 58 != 0 { isMalformed = true }
            number = number << 6 | UInt64(digit)
            position += 1
        }
        let isPresent = position > start
        endField()
        return isPresent ? number : nil
    }

    mutating func signed() -> Int64? {
        number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }

    /// Returns whether the next field repeats the value from the previous entry. If it does, the field is consumed.
    mutating func isSame() -> Bool { skip(UInt8(ascii: "=")) }

    /// Reads the text in the next field, or returns nil if the field is a number or absent.
    mutating func text() -> String? {
        guard position < end, bytes[position] == UInt8(ascii: "*") else { return nil }
        position += 1
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        while position < end {
            let digit = values[Int(bytes[position])]
            guard digit < 64 else { break }
            bits = bits << 6 | UInt32(digit)
            count += 6
            if count >= 8 {
                count -= 8
                text.append(UInt8(truncatingIfNeeded: bits >> count))
            }
            position += 1
        }
        endField()
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func skip(_ mark: UInt8) -> Bool {
        guard position < end, bytes[position] == mark else { return false }
        position += 1
        endField()
        return true
    }

    /// Consumes the dot at the end of a field. The comma at the end of an entry remains unread.
    private mutating func endField() {
        guard position < end else { return }
        switch bytes[position] {
        case UInt8(ascii: "."): position += 1
        case UInt8(ascii: ","): break
        default: isMalformed = true
        }
    }
}
