import Cryptography
import Primitives

extension FuzzTarget {
    /// Compares both base64 decoders with a bitwise reference, and checks that each byte sequence has only one
    /// encoding.
    static let base64 = FuzzTarget(
        "base64",
        seeds: ["", "QQ", "QUI", "QUJD", "QQ==", "QUI=", "-_8", "+/8=", "QR", "AAAAAAAAAAAAAAAA"].map {
            Array($0.utf8)
        },
        tokens: ["=", "==", "-_", "+/", "AAAA", "QQ", ".", "\n"], maximumBytes: 256
    ) { bytes throws(Violation) in
        try compare(bytes, ReferenceBase64.url(bytes), "base64url") { text throws(Base64Failure) in
            try Base64URL.decode(text)
        }
        try compare(bytes, ReferenceBase64.standard(bytes), "base64") { text throws(Base64Failure) in
            try Base64.decode(text)
        }
        try hold((try? Base64URL.decode(Base64URL.encode(bytes))) == bytes, "base64url loses bytes")
        try hold((try? Base64.decode(Base64.encode(bytes))) == bytes, "base64 loses bytes")
        if let decoded = ReferenceBase64.url(bytes) {
            try hold(Base64URL.encode(decoded) == bytes, "another base64url text for the same bytes")
            try checkSmallRoom(bytes, decoded)
        }
        if let decoded = ReferenceBase64.standard(bytes) {
            try hold(Base64.encode(decoded) == bytes, "another base64 text for the same bytes")
        }
    }

    private static func compare(
        _ text: [UInt8], _ expected: [UInt8]?, _ kind: String, decode: ([UInt8]) throws(Base64Failure) -> [UInt8]
    ) throws(Violation) {
        let decoded: [UInt8]
        do {
            decoded = try decode(text)
        } catch {
            try hold(expected == nil, "\(kind): refused, but accepted by the bitwise decoder")
            let isForeign = !text.allSatisfy(ReferenceBase64.either.contains)
            return try hold((error == .form) == isForeign, "\(kind): \(error)")
        }
        try hold(decoded == expected, "\(kind): \(decoded), bit by bit \(expected.map { "\($0)" } ?? "refused")")
    }

    /// Decodes into a buffer of exactly the required size, and into one that is one byte too small.
    private static func checkSmallRoom(_ text: [UInt8], _ decoded: [UInt8]) throws(Violation) {
        var room = [UInt8](repeating: 0, count: decoded.count)
        let count = room.withUnsafeMutableBytes { room in
            text.withUnsafeBytes { text in try? Base64URL.decode(text, into: room) }
        }
        try hold(count == decoded.count && room == decoded, "base64url: different bytes in the caller's memory")
        guard !decoded.isEmpty else { return }
        var small = [UInt8](repeating: 0, count: decoded.count - 1)
        let tooMany = small.withUnsafeMutableBytes { room in
            text.withUnsafeBytes { text in try? Base64URL.decode(text, into: room) }
        }
        try hold(tooMany == nil, "base64url: \(decoded.count) bytes into \(decoded.count - 1)")
    }
}

/// A strict bitwise decoder of RFC 4648.
enum ReferenceBase64 {
    private static let common = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    static let either = Set(common + Array("+/-_=".utf8))

    static func url(_ text: [UInt8]) -> [UInt8]? { decode(text, common + Array("-_".utf8)) }

    static func standard(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        return decode(Array(text.dropLast(padding)), common + Array("+/".utf8))
    }

    private static func decode(_ text: [UInt8], _ alphabet: [UInt8]) -> [UInt8]? {
        var bits: [Bool] = []
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            for bit in (0..<6).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        let spare = bits.count % 8
        guard spare < 6, !bits.suffix(spare).contains(true) else { return nil }
        return stride(from: 0, to: bits.count - spare, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }
}
