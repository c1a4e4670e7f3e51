internal import Primitives

/// A random number generator fully determined by its seed (SplitMix64), so that the same seed yields the same run.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// Creates a separate generator for one purpose, so that drawing more numbers for it does not change the numbers
    /// for another purpose.
    package init(seed: UInt64, purpose: String) {
        var mixer = SeededGenerator(seed: seed ^ FNV1a.hash(purpose.utf8))
        state = mixer.next()
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Returns a version 4 UUID in lower case.
    package mutating func uuid() -> String {
        Self.uuidText(next(), next())
    }

    /// Returns the UUID for two drawn numbers, as ``uuid()`` does, for callers that might not need the text.
    static func uuidText(_ high: UInt64, _ low: UInt64) -> String {
        let high = (high & 0xFFFF_FFFF_FFFF_0FFF) | 0x4000
        let low = (low & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
            let half = index < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - index % 16 * 4)) & 0xF
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns `prefix` followed by random digits up to `length`, as in Apple's identifiers.
    package mutating func digits(prefix: String, length: Int) -> String {
        var text = prefix
        while text.utf8.count < length {
            text += String(next() % 10)
        }
        return text
    }
}
