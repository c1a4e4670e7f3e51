package import TestSupport

/// Seeded mutations of bytes, like those of a fuzzer.
package struct ByteMutator: Sendable {
    package var random: SeededGenerator
    private let tokens: [[UInt8]]
    private let maximumBytes: Int

    private static let edges: [UInt8] = [0x00, 0x01, 0x09, 0x0A, 0x0D, 0x20, 0x22, 0x2E, 0x30, 0x5C, 0x7F, 0x80, 0xFF]

    package init(seed: UInt64, tokens: [String] = [], maximumBytes: Int = 1 << 20) {
        random = SeededGenerator(seed: seed)
        self.tokens = tokens.map { Array($0.utf8) }
        self.maximumBytes = maximumBytes
    }

    /// Returns `bytes` with one to four changes, some with parts of `others` spliced in.
    package mutating func mutant(of bytes: [UInt8], others: [[UInt8]]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...random.below(4) { change(&bytes, others) }
        if bytes.count > maximumBytes { bytes.removeLast(bytes.count - maximumBytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8], _ others: [[UInt8]]) {
        let position = random.below(bytes.count + 1)
        switch random.below(10) {
        case 0 where position < bytes.count: bytes[position] ^= 1 << UInt8(random.below(8))
        case 1 where position < bytes.count: bytes[position] = UInt8(random.below(256))
        case 2 where position < bytes.count: bytes[position] = random.pick(Self.edges) ?? 0
        case 3 where position < bytes.count:
            bytes.removeSubrange(position..<min(bytes.count, position + 1 + random.below(8)))
        case 4 where position < bytes.count: bytes[position] &+= random.oneIn(2) ? 1 : 0xFF
        case 5: bytes.insert(random.pick(Self.edges) ?? 0, at: position)
        case 6: bytes.insert(contentsOf: random.pick(tokens) ?? [], at: position)
        case 7: bytes.insert(contentsOf: piece(of: bytes), at: position)
        case 8: splice(&bytes, at: position, others)
        default: if random.oneIn(4) { bytes.removeLast(bytes.count - position) }
        }
    }

    private mutating func piece(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        let start = random.below(bytes.count)
        return bytes[start..<min(bytes.count, start + 1 + random.below(64))]
    }

    /// Replaces the rest with a part of another input.
    private mutating func splice(_ bytes: inout [UInt8], at position: Int, _ others: [[UInt8]]) {
        guard let other = random.pick(others) else { return }
        bytes.replaceSubrange(position..., with: other[random.below(other.count + 1)...])
    }
}
