import TestSupport

extension [UInt8] {
    /// A copy with one byte changed somewhere to something else.
    func withOneByteChanged(using random: inout SeededGenerator) -> [UInt8] {
        var copy = self
        copy[Int.random(in: 0..<count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        return copy
    }
}
