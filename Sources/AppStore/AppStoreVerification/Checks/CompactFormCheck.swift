internal import Cryptography

/// Check 4: a compact JWS is three segments of strict base64url with a dot between each two (RFC 7515 section 7.1).
enum CompactFormCheck {
    /// Where the three segments stand.
    struct Segments {
        let header: Range<Int>
        let payload: Range<Int>
        let signature: Range<Int>
    }

    /// The segments, by counting dots; their letters are looked at when they are decoded.
    static func segments(of jws: [UInt8]) throws(Rejection) -> Segments {
        var dots: [Int] = []
        for (at, byte) in jws.enumerated() where byte == UInt8(ascii: ".") {
            guard dots.count < 2 else { throw refused(.jwsForm, "not three segments") }
            dots.append(at)
        }
        guard dots.count == 2 else { throw refused(.jwsForm, "not three segments") }
        guard dots[0] > 0, dots[1] > dots[0] + 1 else { throw refused(.jwsForm, "an empty segment") }
        return Segments(
            header: 0..<dots[0], payload: dots[0] + 1..<dots[1], signature: dots[1] + 1..<jws.count)
    }

    /// The bytes that a segment stands for.
    static func decode(_ segment: Range<Int>, of jws: [UInt8]) throws(Rejection) -> [UInt8] {
        let decoded = jws.withUnsafeBytes { text in
            try? Base64URL.decode(UnsafeRawBufferPointer(rebasing: text[segment]))
        }
        guard let decoded else { throw failure(of: jws) }
        return decoded
    }

    /// Tells a text that is no JWS at all from one with the wrong flavour of base64, over all segments together.
    private static func failure(of jws: [UInt8]) -> Rejection {
        let dots = jws.count { $0 == UInt8(ascii: ".") }
        let isForeign = jws.contains { byte in
            byte != UInt8(ascii: ".") && withUnsafeBytes(of: byte) { Base64URL.hasForeignByte($0) }
        }
        return isForeign || dots != 2
            ? refused(.jwsForm, "a character that is not base64url") : refused(.jwsBase64, "not canonical base64url")
    }

    private static func refused(_ reason: Reason, _ detail: String) -> Rejection {
        .refused(Refusal(reason, at: .compactForm, .badRequest, detail: detail))
    }
}
