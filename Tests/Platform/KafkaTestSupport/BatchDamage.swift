/// A way to damage a record batch between a broker's disk and a consumer's memory.
package enum BatchDamage: Sendable, CaseIterable {
    /// A flipped bit in a value, which the checksum detects.
    case flippedBit
    /// An unknown value in the format byte, which no checksum covers.
    case unknownMagic
    /// A compression type that does not match the content, with a correct checksum.
    case wrongCompression
    /// A compression type that does not exist, with a correct checksum.
    case unknownCompression

    /// Damages the uncompressed batch that contains `marker`. Returns any other response unchanged.
    package func apply(to response: [UInt8], marker: String) -> [UInt8] {
        let marker = Array(marker.utf8)
        guard let position = response.firstRange(of: marker)?.lowerBound,
            let batch = Self.batch(in: response, around: position)
        else { return response }
        var damaged = response
        switch self {
        case .flippedBit:
            damaged[position] ^= 1
            return damaged
        case .unknownMagic:
            damaged[batch.lowerBound + Self.magic] = 3
            return damaged
        case .wrongCompression, .unknownCompression:
            // The low three bits of the attributes are the compression type: 3 is LZ4, and 4 (Zstandard) is the last
            // defined value.
            damaged[batch.lowerBound + Self.attributes + 1] |= self == .wrongCompression ? 3 : 7
            let sum = CRC32C.checksum(damaged[(batch.lowerBound + Self.attributes)..<batch.upperBound])
            for index in 0..<4 {
                damaged[batch.lowerBound + Self.checksum + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * index))
            }
            return damaged
        }
    }

    // Offsets in a batch of format 2: base offset 8 bytes, length 4, leader epoch 4, magic 1, checksum 4, attributes 2.
    private static let length = 8
    private static let magic = 16
    private static let checksum = 17
    private static let attributes = 21

    private static func batch(in response: [UInt8], around position: Int) -> Range<Int>? {
        func number(at index: Int) -> Int { response[index..<index + 4].reduce(0) { $0 << 8 | Int($1) } }
        for start in stride(from: position - attributes, through: 0, by: -1) where response[start + magic] == 2 {
            let end = start + length + 4 + number(at: start + length)
            guard end > position, end <= response.count else { continue }
            let sum = CRC32C.checksum(response[(start + attributes)..<end])
            if number(at: start + checksum) == Int(sum) { return start..<end }
        }
        return nil
    }
}

/// The checksum of record batches (RFC 3720, appendix B.4), computed bit by bit.
private enum CRC32C {
    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
        }
        return ~sum
    }
}
