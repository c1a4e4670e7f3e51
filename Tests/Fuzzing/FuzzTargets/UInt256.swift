/// A 256-bit number for the tests' reference arithmetic.
package struct UInt256: Hashable, Comparable, Sendable {
    private var low: UInt128
    private var high: UInt128

    package static let zero = UInt256(0, 0)

    package init(_ low: UInt128, _ high: UInt128 = 0) {
        self.low = low
        self.high = high
    }

    /// Decodes up to 32 bytes, most significant first.
    package init(bigEndian bytes: ArraySlice<UInt8>) {
        self = .zero
        for byte in bytes {
            high = high << 8 | low >> 120
            low = low << 8 | UInt128(byte)
        }
    }

    /// The number in 32 bytes, most significant first.
    package var bigEndian: [UInt8] {
        [high, low].flatMap { half in (0..<16).map { UInt8(truncatingIfNeeded: half >> UInt128(120 - 8 * $0)) } }
    }

    package static func < (left: UInt256, right: UInt256) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    package func adding(_ other: UInt256) -> (value: UInt256, carry: Bool) {
        let (low, lowCarry) = low.addingReportingOverflow(other.low)
        let (sum, first) = high.addingReportingOverflow(other.high)
        let (high, second) = sum.addingReportingOverflow(lowCarry ? 1 : 0)
        return (UInt256(low, high), first || second)
    }

    package func subtracting(_ other: UInt256) -> (value: UInt256, borrow: Bool) {
        let (low, lowBorrow) = low.subtractingReportingOverflow(other.low)
        let (difference, first) = high.subtractingReportingOverflow(other.high)
        let (high, second) = difference.subtractingReportingOverflow(lowBorrow ? 1 : 0)
        return (UInt256(low, high), first || second)
    }

    /// The remainder of a number below twice the modulus.
    func reduced(by modulus: UInt256) -> UInt256 { self < modulus ? self : subtracting(modulus).value }

    func bit(_ index: Int) -> Bool {
        (index < 128 ? low >> UInt128(index) : high >> UInt128(index - 128)) & 1 == 1
    }

    /// The four 64-bit words, least significant first.
    var words: (UInt64, UInt64, UInt64, UInt64) {
        (
            UInt64(truncatingIfNeeded: low), UInt64(truncatingIfNeeded: low >> 64), UInt64(truncatingIfNeeded: high),
            UInt64(truncatingIfNeeded: high >> 64)
        )
    }
}

/// Arithmetic modulo an odd number above 2²⁵⁵, with Montgomery products: `multiply(enter(a), enter(b))` is
/// `enter(a·b)`.
struct MontgomeryArithmetic: Sendable {
    let modulus: UInt256
    /// 1 in Montgomery form.
    let one: UInt256
    private let square: UInt256
    private let modulusWords: (UInt64, UInt64, UInt64, UInt64)
    /// -1 / modulus modulo 2⁶⁴.
    private let factor: UInt64

    init(modulus: UInt256) {
        self.modulus = modulus
        let words = modulus.words
        modulusWords = words
        // Newton's iteration: each step doubles the number of correct bits, from 3 to 96.
        var inverse = words.0
        for _ in 0..<5 { inverse = inverse &* (2 &- words.0 &* inverse) }
        factor = 0 &- inverse
        // 2²⁵⁶ mod m by subtraction, since 2²⁵⁵ < m; then doubled up to 2⁵¹² mod m.
        one = UInt256.zero.subtracting(modulus).value
        var power = one
        for _ in 0..<256 { power = Self.add(power, power, modulus) }
        square = power
    }

    func enter(_ value: UInt256) -> UInt256 { multiply(value, square) }
    func leave(_ value: UInt256) -> UInt256 { multiply(value, UInt256(1)) }

    func add(_ left: UInt256, _ right: UInt256) -> UInt256 { Self.add(left, right, modulus) }

    private static func add(_ left: UInt256, _ right: UInt256, _ modulus: UInt256) -> UInt256 {
        let (sum, carry) = left.adding(right)
        return carry || sum >= modulus ? sum.subtracting(modulus).value : sum
    }

    func subtract(_ left: UInt256, _ right: UInt256) -> UInt256 {
        let (difference, borrow) = left.subtracting(right)
        return borrow ? difference.adding(modulus).value : difference
    }

    /// Returns a·b / 2²⁵⁶ modulo the modulus, computed word by word.
    func multiply(_ left: UInt256, _ right: UInt256) -> UInt256 {
        let (a, b) = (left.words, right.words)
        let m = modulusWords
        var t0: UInt64 = 0
        var t1: UInt64 = 0
        var t2: UInt64 = 0
        var t3: UInt64 = 0
        var t4: UInt64 = 0
        for index in 0..<4 {
            let word = index < 2 ? (index == 0 ? b.0 : b.1) : (index == 2 ? b.2 : b.3)
            var carry: UInt64 = 0
            (carry, t0) = Self.step(t0, a.0, word, carry)
            (carry, t1) = Self.step(t1, a.1, word, carry)
            (carry, t2) = Self.step(t2, a.2, word, carry)
            (carry, t3) = Self.step(t3, a.3, word, carry)
            let (sum, first) = t4.addingReportingOverflow(carry)
            t4 = sum
            let q = t0 &* factor
            (carry, _) = Self.step(t0, q, m.0, 0)
            (carry, t0) = Self.step(t1, q, m.1, carry)
            (carry, t1) = Self.step(t2, q, m.2, carry)
            (carry, t2) = Self.step(t3, q, m.3, carry)
            let (last, second) = t4.addingReportingOverflow(carry)
            t3 = last
            t4 = (first ? 1 : 0) + (second ? 1 : 0)
        }
        let value = UInt256(UInt128(t0) | UInt128(t1) << 64, UInt128(t2) | UInt128(t3) << 64)
        return t4 != 0 || value >= modulus ? value.subtracting(modulus).value : value
    }

    /// Returns t + a·b + carry in two words.
    private static func step(_ t: UInt64, _ a: UInt64, _ b: UInt64, _ carry: UInt64) -> (high: UInt64, low: UInt64) {
        let product = a.multipliedFullWidth(by: b)
        let (first, one) = product.low.addingReportingOverflow(t)
        let (low, two) = first.addingReportingOverflow(carry)
        // The sum is at most 2¹²⁸ - 1, so the high word does not overflow.
        return (product.high &+ (one ? 1 : 0) &+ (two ? 1 : 0), low)
    }

    /// Inverts a value by Fermat's theorem, because the modulus is prime. The value and the result are in Montgomery
    /// form.
    func inverse(_ value: UInt256) -> UInt256 { power(value, modulus.subtracting(UInt256(2)).value) }

    /// Raises a value to a power. The value and the result are in Montgomery form.
    func power(_ value: UInt256, _ exponent: UInt256) -> UInt256 {
        var result = one
        for bit in (0..<256).reversed() {
            result = multiply(result, result)
            if exponent.bit(bit) { result = multiply(result, value) }
        }
        return result
    }
}
