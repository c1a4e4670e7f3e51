internal import AppStoreSigning
internal import AppStoreVerification
internal import Cryptography
import Primitives

/// Checks 4 and 5: rows H-43 to H-58 and H-62.
extension HostileNotification {
    /// Every algorithm other than ES256, with and without a signature.
    package static let algorithms: [HostileNotification] =
        algorithmRows.flatMap { id, algorithm in
            [true, false].map { isSigned in
                HostileNotification(
                    id, "alg \(algorithm), \(isSigned ? "signed" : "unsigned")", .badRequest(.algorithm),
                    jws: { kit in
                        let header = JWSSigner.header(chain: kit.pki.chain, algorithm: algorithm)
                        let jws = try kit.sign(
                            try NotificationDraft.test.payload(signingNestedWith: kit.sign), header: header)
                        return isSigned ? jws : String(jws[...(jws.lastIndex(of: ".") ?? jws.startIndex)])
                    })
            }
        } + [
            HostileNotification(
                "H-56", "HS256 keyed with the leaf's public key", .badRequest(.algorithm),
                jws: { kit in
                    let header = JWSSigner.header(chain: kit.pki.chain, algorithm: "\"HS256\"")
                    let payload = try NotificationDraft.test.payload(signingNestedWith: kit.sign)
                    let signed = [header, payload].map {
                        String(decoding: Base64URL.encode(Array($0.utf8)), as: UTF8.self)
                    }
                    .joined(separator: ".")
                    let code = try HMACSHA256.code(for: Array(signed.utf8), key: publicKey(of: kit.pki.leaf))
                    return "\(signed).\(String(decoding: Base64URL.encode(code.bytes), as: UTF8.self))"
                })
        ]

    /// Returns the SubjectPublicKeyInfo of a P-256 key.
    private static func publicKey(of certificate: Certificate) -> [UInt8] {
        let algorithm = HexText.decode("3059301306072a8648ce3d020106082a8648ce3d030107034200") ?? []
        return algorithm + (P256PublicKey(certificate: certificate)?.uncompressedPoint ?? [])
    }

    private static let algorithmRows: [(id: String, algorithm: String)] = [
        ("H-55", "\"none\""), ("H-55", "\"None\""), ("H-55", "\"nOnE\""), ("H-55", "\"\""), ("H-55", "null"),
        ("H-57", "\"HS256\""), ("H-57", "\"RS256\""), ("H-57", "\"ES384\""), ("H-57", "\"ES512\""),
        ("H-57", "\"EdDSA\""), ("H-57", "\"ES256K\""), ("H-57", "\"es256\""), ("H-57", "\"ES256 \""),
        ("H-57", "\"ES256\\u0000\""), ("H-57", "[\"ES256\"]"), ("H-57", "1"), ("H-57", "true"),
        ("H-57", "{\"alg\":\"ES256\"}"),
    ]

    package static let compactForms: [HostileNotification] = [
        HostileNotification(
            "H-43", "two segments", .badRequest(.jwsForm), jws: { parts(try $0.jws())[0...1].joined(separator: ".") }),
        HostileNotification("H-43", "four segments", .badRequest(.jwsForm), jws: { try $0.jws() + ".x" }),
        HostileNotification("H-44", "empty text", .badRequest(.jwsForm), jws: { _ in "" }),
        HostileNotification("H-44", "two dots", .badRequest(.jwsForm), jws: { _ in ".." }),
        HostileNotification(
            "H-44", "empty header", .badRequest(.jwsForm),
            jws: { "." + parts(try $0.jws())[1...2].joined(separator: ".") }),
        HostileNotification(
            "H-44", "empty payload", .badRequest(.jwsForm),
            jws: {
                let parts = parts(try $0.jws())
                return "\(parts[0])..\(parts[2])"
            }),
        HostileNotification("H-45", "leading space", .badRequest(.jwsForm), jws: { " " + (try $0.jws()) }),
        HostileNotification("H-45", "trailing line break", .badRequest(.jwsForm), jws: { try $0.jws() + "\\n" }),
        HostileNotification(
            "H-45", "line break inside", .badRequest(.jwsForm), jws: { replaced(try $0.jws(), segment: 1, "\\n") }),
        HostileNotification(
            "H-45", "NUL inside", .badRequest(.jwsForm), jws: { replaced(try $0.jws(), segment: 1, "\\u0000") }),
        HostileNotification(
            "H-45", "a non-ASCII letter", .badRequest(.jwsForm), jws: { replaced(try $0.jws(), segment: 2, "é") }),
        HostileNotification(
            "H-45", "a space and a plus", .badRequest(.jwsForm),
            jws: { replaced(replaced(try $0.jws(), segment: 1, "+"), segment: 2, " ") }),
        HostileNotification(
            "H-46", "padding after the signature", .badRequest(.jwsBase64), jws: { try $0.jws() + "==" }),
        HostileNotification(
            "H-47", "plus in the signature", .badRequest(.jwsBase64), jws: { replaced(try $0.jws(), segment: 2, "+") }),
        HostileNotification(
            "H-47", "slash in the payload", .badRequest(.jwsBase64), jws: { replaced(try $0.jws(), segment: 1, "/") }),
        HostileNotification(
            "H-47", "plus in the header", .badRequest(.jwsBase64), jws: { replaced(try $0.jws(), segment: 0, "+") }),
        HostileNotification(
            "H-48", "spare bits of the signature", .badRequest(.jwsBase64), jws: { withSpareBits(try $0.jws()) }),
        HostileNotification("H-48", "an impossible length", .badRequest(.jwsBase64), jws: { try $0.jws() + "AAA" }),
        HostileNotification(
            "H-49", "JSON serialization", .badRequest(.jwsForm),
            jws: { _ in "{\\\"payload\\\":\\\"e30\\\",\\\"signatures\\\":[]}" }),
        HostileNotification("H-50", "a JWE", .badRequest(.jwsForm), jws: { _ in "a.b.c.d.e" }),
    ]

    package static let headers: [HostileNotification] = [
        header("H-51", "not JSON", .badRequest(.jwsHeader)) { _ in "hello" },
        header("H-51", "an array", .badRequest(.jwsHeader)) { _ in "[]" },
        header("H-51", "trailing garbage", .badRequest(.jwsHeader)) { _ in "{\"alg\":\"ES256\"}x" },
        header("H-51", "a byte order mark", .badRequest(.jwsHeader)) {
            "\u{FEFF}" + JWSSigner.header(chain: $0.pki.chain)
        },
        header("H-52", "60,000 levels", .badRequest(.jwsHeader)) { _ in
            "{\"x\":" + String(repeating: "[", count: 60_000)
        },
        header("H-53", "alg twice", .badRequest(.jwsHeader)) { _ in "{\"alg\":\"none\",\"alg\":\"ES256\"}" },
        header("H-53", "alg twice, once escaped", .badRequest(.jwsHeader)) { _ in
            "{\"alg\":\"none\",\"\\u0061lg\":\"ES256\"}"
        },
        header("H-58", "no alg", .badRequest(.algorithm)) { _ in "{\"x5c\":[]}" },
        header("H-62", "jwk, jku, x5u and kid are ignored", .accepted) {
            JWSSigner.header(
                chain: $0.pki.chain,
                extra:
                    ",\"x5u\":\"http://127.0.0.1:1/\",\"jku\":\"http://127.0.0.1:1/\",\"kid\":\"../../etc\",\"jwk\":{\"kty\":\"EC\"}"
            )
        },
        header("H-62", "a slash written as an escape", .accepted) {
            JWSSigner.header(
                x5c: $0.pki.chain.map {
                    String(decoding: Base64.encode($0.der), as: UTF8.self).split(
                        separator: "/", omittingEmptySubsequences: false
                    )
                    .joined(separator: "\\/")
                })
        },
    ]

    private static func header(
        _ id: String, _ name: String, _ expected: ExpectedVerdict, _ header: @escaping @Sendable (SigningKit) -> String
    ) -> HostileNotification {
        HostileNotification(id, name, expected, body: { try $0.body(header: header($0)) })
    }

    private static func parts(_ jws: String) -> [String] {
        jws.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// Replaces one character in the middle of a segment.
    private static func replaced(_ jws: String, segment: Int, _ letter: String) -> String {
        var parts = parts(jws)
        var text = parts[segment]
        let at = text.index(text.startIndex, offsetBy: text.count / 2)
        text.replaceSubrange(at...at, with: letter)
        parts[segment] = text
        return parts.joined(separator: ".")
    }

    /// Sets unused bits: the last character of 64 encoded bytes has four of them.
    private static func withSpareBits(_ jws: String) -> String {
        let next: [Character: String] = ["A": "B", "Q": "R", "g": "h", "w": "x"]
        return jws.dropLast() + (jws.last.flatMap { next[$0] } ?? "")
    }
}
