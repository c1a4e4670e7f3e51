internal import Glibc

/// The index entries of a row in one allocation, in the format of the header ``StateHeader/row``: each entry's name and
/// value, each terminated by `;`.
struct PackedEntries: Sendable, Equatable {
    private(set) var text: [UInt8] = []

    static let end = UInt8(ascii: ";")

    init() {}

    /// Creates packed entries from a list.
    ///
    /// - Returns: nil if a name or a value contains the terminator.
    init?(_ entries: [IndexEntry]) {
        text.reserveCapacity(entries.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 })
        for entry in entries {
            guard append(entry.name), append(entry.value) else { return nil }
        }
    }

    /// Appends a field with its terminator.
    ///
    /// - Returns: false if the field contains the terminator; in that case, nothing is appended.
    private mutating func append(_ field: String) -> Bool {
        var field = field
        return field.withUTF8 { utf8 in
            if let start = utf8.baseAddress, memchr(start, Int32(Self.end), utf8.count) != nil { return false }
            text.append(contentsOf: utf8)
            text.append(Self.end)
            return true
        }
    }

    /// Creates a copy of packed entries.
    ///
    /// - Returns: nil if they are malformed or not UTF-8.
    init?(_ packed: UnsafeRawBufferPointer) {
        guard Self.isValid(packed) else { return nil }
        text = Array(packed)
    }

    /// Returns whether packed entries are well-formed and UTF-8.
    static func isValid(_ packed: UnsafeRawBufferPointer) -> Bool {
        var fields = 0
        var isASCII = true
        for byte in packed {
            if byte == Self.end { fields += 1 }
            if byte >= 0x80 { isASCII = false }
        }
        return fields % 2 == 0 && packed.last ?? Self.end == Self.end
            && (isASCII || String(validating: packed, as: UTF8.self) != nil)
    }

    /// Calls `body` with the name and value of each packed entry.
    static func forEach(
        in packed: UnsafeRawBufferPointer,
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        var fields = FieldReader(packed)
        while let name = fields.next(), let value = fields.next() { try body(name, value) }
    }

    /// The entries in order.
    var list: [IndexEntry] {
        var list: [IndexEntry] = []
        text.withUnsafeBytes { text in
            Self.forEach(in: text) { name, value in
                list.append(IndexEntry(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
            }
        }
        return list
    }
}

/// Reads fields terminated by `;`.
struct FieldReader {
    private(set) var rest: UnsafeRawBufferPointer

    init(_ text: UnsafeRawBufferPointer) { rest = text }

    /// Returns the next field without its terminator; nil if no terminated field is left.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard let start = rest.baseAddress, let end = memchr(start, Int32(PackedEntries.end), rest.count) else {
            return nil
        }
        let length = UnsafeRawPointer(end) - start
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(length + 1)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(length))
    }

    /// Returns the next field as a decimal number; nil if it is not one.
    mutating func nextNumber() -> Int64? { next().flatMap { Self.number($0) } }

    /// Returns the next field as a number: `.some(nil)` if the field is empty, nil if it is not a number.
    mutating func nextOptionalNumber() -> Int64?? {
        guard let field = next() else { return nil }
        guard !field.isEmpty else { return .some(nil) }
        guard let number = Self.number(field) else { return nil }
        return .some(number)
    }

    /// Returns the next field as a hexadecimal number; nil if it is not one.
    mutating func nextHexadecimal() -> UInt64? {
        guard let field = next(), !field.isEmpty, field.count <= 16 else { return nil }
        var number: UInt64 = 0
        for byte in field {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    private static func number(_ field: UnsafeRawBufferPointer) -> Int64? {
        let isNegative = field.first == UInt8(ascii: "-")
        guard field.count > (isNegative ? 1 : 0) else { return nil }
        var number: Int64 = 0
        for byte in field.dropFirst(isNegative ? 1 : 0) {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return nil }
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (sum, overflowsToo) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !overflows, !overflowsToo else { return nil }
            number = sum
        }
        return number
    }
}
