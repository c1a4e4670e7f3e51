/// A JSON number in its original notation, converted on demand with overflow checks.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The text of the number, which is a valid JSON number.
    public let text: String

    /// Creates a number from text that the scanner has validated.
    init(scanned text: ArraySlice<UInt8>) { self.text = String(decoding: text, as: UTF8.self) }

    public init(_ value: Int64) { self.text = String(value) }

    public var description: String { text }

    /// The value as an `Int64`, or nil if it is not a whole number or does not fit.
    public var exactInteger: Int64? { JSONDecimal(Array(text.utf8)[...]).exactInteger }

    /// The value rounded down to a whole number, or nil if it does not fit in an `Int64`.
    public var flooredInteger: Int64? { JSONDecimal(Array(text.utf8)[...]).flooredInteger }
}

/// Exact decimal arithmetic on the text of a number, in linear time, without floating point or overflow.
struct JSONDecimal {
    let flooredInteger: Int64?
    private let hasFraction: Bool

    var exactInteger: Int64? { hasFraction ? nil : flooredInteger }

    /// Parses `text`, which must follow the JSON number grammar.
    init(_ text: ArraySlice<UInt8>) {
        var isNegative = false
        var digits: [UInt8] = []  // at most 20, which is more than Int64 has
        var point = 0  // the value is 0.digits × 10^point
        var isFractionPart = false
        var hasLostDigits = false
        var exponent = 0
        var exponentIsNegative = false
        var isExponent = false
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): if isExponent { exponentIsNegative = true } else { isNegative = true }
            case UInt8(ascii: "."): isFractionPart = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): isExponent = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digit = byte - UInt8(ascii: "0")
                if isExponent {
                    exponent = min(exponent * 10 + Int(digit), 1 << 40)
                } else if digits.isEmpty && digit == 0 {
                    if isFractionPart { point -= 1 }
                } else {
                    if !isFractionPart { point += 1 }
                    if digits.count < 20 { digits.append(digit) } else if digit != 0 { hasLostDigits = true }
                }
            default: break
            }
        }
        point += exponentIsNegative ? -exponent : exponent
        (flooredInteger, hasFraction) = Self.floor(
            digits: digits, point: point, isNegative: isNegative, hasLostDigits: hasLostDigits)
    }

    private static func floor(
        digits: [UInt8], point: Int, isNegative: Bool, hasLostDigits: Bool
    ) -> (Int64?, hasFraction: Bool) {
        guard !digits.isEmpty else { return (0, false) }
        guard point > 0 else { return (isNegative ? -1 : 0, true) }
        guard point <= 19 else { return (nil, false) }
        var magnitude: UInt64 = 0  // 19 digits fit
        for index in 0..<point {
            magnitude = magnitude * 10 + UInt64(index < digits.count ? digits[index] : 0)
        }
        let hasFraction = hasLostDigits || digits.dropFirst(point).contains { $0 != 0 }
        guard isNegative else { return (Int64(exactly: magnitude), hasFraction) }
        if hasFraction { magnitude += 1 }
        if magnitude == Int64.min.magnitude { return (.min, hasFraction) }
        return (Int64(exactly: magnitude).map { -$0 }, hasFraction)
    }
}
