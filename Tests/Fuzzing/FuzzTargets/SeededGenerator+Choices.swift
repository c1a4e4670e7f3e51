package import TestSupport

extension SeededGenerator {
    /// Derives the seed from bytes (FNV-1a), so that an input determines its own cuts.
    init(hashing bytes: [UInt8]) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        self.init(seed: hash)
    }

    /// Returns a number in 0..<bound; 0 for an empty range.
    package mutating func below(_ bound: Int) -> Int { bound > 0 ? Int.random(in: 0..<bound, using: &self) : 0 }

    package mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &self) }

    /// Returns true with a probability of 1 / `count`.
    package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// Cuts `count` bytes into pieces of 1 to `longest`.
    mutating func pieces(of count: Int, longest: Int) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = 0
        while start < count {
            let end = min(count, start + 1 + below(longest))
            pieces.append(start..<end)
            start = end
        }
        return pieces
    }
}
