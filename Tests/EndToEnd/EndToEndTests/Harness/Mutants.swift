import TestSupport

/// Copies of a notification with one byte changed inside the JWS.
struct Mutants {
    /// The compact JWS that is changed.
    let signedPayload: [UInt8]
    private var random: SeededGenerator

    init(_ signedPayload: String, seed: UInt64) {
        self.signedPayload = Array(signedPayload.utf8)
        random = SeededGenerator(seed: seed)
    }

    /// Returns positions at boundaries (the three segments, the header's members and certificates) and `count` random
    /// positions.
    mutating func positions(_ count: Int) -> [Int] {
        var positions = boundaries
        for _ in 0..<count { positions.append(Int(random.next() % UInt64(signedPayload.count))) }
        return positions
    }

    /// Returns the HTTP body with another byte at `position`: in half of the cases a valid base64url character,
    /// otherwise any byte.
    mutating func body(changedAt position: Int) -> [UInt8] {
        var changed = signedPayload
        let old = changed[position]
        let candidates = random.next() % 2 == 0 ? Self.alphabet : Array(0...255)
        let others = candidates.filter { $0 != old }
        changed[position] = others[Int(random.next() % UInt64(others.count))]
        return Array(#"{"signedPayload":""#.utf8) + changed + Array(#""}"#.utf8)
    }

    private var boundaries: [Int] {
        let dots = signedPayload.indices.filter { signedPayload[$0] == UInt8(ascii: ".") }
        var positions = [0, signedPayload.count - 1]
        for dot in dots { positions += [dot - 1, dot, dot + 1] }
        // Four characters of the header encode three bytes of JSON. Its quotation marks delimit names and certificates.
        let header = CompactJWS.decode(String(decoding: signedPayload[..<(dots.first ?? 0)], as: UTF8.self)) ?? []
        for (index, byte) in header.enumerated() where byte == UInt8(ascii: "\"") { positions.append(index * 4 / 3) }
        return positions
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
