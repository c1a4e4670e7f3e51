import TestSupport

extension [UInt8] {
    /// Returns a copy with one random byte changed.
    func withOneByteChanged(using random: inout SeededGenerator) -> [UInt8] {
        var copy = self
        copy[Int.random(in: 0..<count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        return copy
    }
}
