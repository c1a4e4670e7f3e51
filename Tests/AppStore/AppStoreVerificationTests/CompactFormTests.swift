import AppStoreSigning
import Cryptography
import Testing

@testable import AppStoreVerification

/// Checks 4 and 5: rows H-43 to H-58.
@Suite struct CompactFormTests {
    @Test(arguments: formRows)
    func `a compact JWS is three segments of strict base64url`(_ row: HostileInput) throws {
        try row.check()
    }

    @Test(arguments: headerRows)
    func `the header is one JSON object without ambiguity`(_ row: HostileInput) throws {
        try row.check()
    }

    @Test(arguments: algorithms, [true, false])
    func `only ES256 is an algorithm`(_ algorithm: String, isSigned: Bool) throws {
        let row = HostileInput("H-55..57", "alg \(algorithm)", .badRequest(.algorithm)) { kit in
            let header = JWSSigner.header(chain: kit.pki.chain, algorithm: algorithm)
            let jws = try kit.sign(try NotificationDraft.test.payload(signingNestedWith: kit.sign), header: header)
            return isSigned ? jws : String(jws[...(jws.lastIndex(of: ".") ?? jws.startIndex)])
        }
        try row.check()
    }

    static let algorithms = [
        "\"none\"", "\"None\"", "\"nOnE\"", "\"\"", "null", "\"HS256\"", "\"RS256\"", "\"ES384\"", "\"ES512\"",
        "\"EdDSA\"",
        "\"ES256K\"", "\"es256\"", "\"ES256 \"", "\"ES256\\u0000\"", "[\"ES256\"]", "1", "true", "{\"alg\":\"ES256\"}",
    ]

    static let formRows: [HostileInput] = [
        HostileInput(
            "H-43", "two segments", .badRequest(.jwsForm), jws: { parts(try $0.jws())[0...1].joined(separator: ".") }),
        HostileInput("H-43", "four segments", .badRequest(.jwsForm), jws: { try $0.jws() + ".x" }),
        HostileInput("H-44", "empty text", .badRequest(.jwsForm), jws: { _ in "" }),
        HostileInput("H-44", "two dots", .badRequest(.jwsForm), jws: { _ in ".." }),
        HostileInput(
            "H-44", "empty header", .badRequest(.jwsForm),
            jws: { "." + parts(try $0.jws())[1...2].joined(separator: ".") }),
        HostileInput(
            "H-44", "empty payload", .badRequest(.jwsForm),
            jws: {
                let parts = parts(try $0.jws())
                return "\(parts[0])..\(parts[2])"
            }),
        HostileInput("H-45", "leading space", .badRequest(.jwsForm), jws: { " " + (try $0.jws()) }),
        HostileInput("H-45", "trailing line end", .badRequest(.jwsForm), jws: { try $0.jws() + "\\n" }),
        HostileInput(
            "H-45", "line end inside", .badRequest(.jwsForm), jws: { replaced(try $0.jws(), segment: 1, "\\n") }),
        HostileInput(
            "H-45", "NUL inside", .badRequest(.jwsForm), jws: { replaced(try $0.jws(), segment: 1, "\\u0000") }),
        HostileInput(
            "H-45", "a letter beyond ASCII", .badRequest(.jwsForm), jws: { replaced(try $0.jws(), segment: 2, "é") }),
        HostileInput(
            "H-45", "a space and a plus", .badRequest(.jwsForm),
            jws: { replaced(replaced(try $0.jws(), segment: 1, "+"), segment: 2, " ") }),
        HostileInput("H-46", "padding after the signature", .badRequest(.jwsBase64), jws: { try $0.jws() + "==" }),
        HostileInput(
            "H-47", "plus in the signature", .badRequest(.jwsBase64), jws: { replaced(try $0.jws(), segment: 2, "+") }),
        HostileInput(
            "H-47", "solidus in the payload", .badRequest(.jwsBase64), jws: { replaced(try $0.jws(), segment: 1, "/") }),
        HostileInput(
            "H-47", "plus in the header", .badRequest(.jwsBase64), jws: { replaced(try $0.jws(), segment: 0, "+") }),
        HostileInput(
            "H-48", "spare bits of the signature", .badRequest(.jwsBase64), jws: { withSpareBits(try $0.jws()) }),
        HostileInput("H-48", "an impossible length", .badRequest(.jwsBase64), jws: { try $0.jws() + "AAA" }),
        HostileInput(
            "H-49", "JSON serialization", .badRequest(.jwsForm),
            jws: { _ in "{\\\"payload\\\":\\\"e30\\\",\\\"signatures\\\":[]}" }),
        HostileInput("H-50", "a JWE", .badRequest(.jwsForm), jws: { _ in "a.b.c.d.e" }),
    ]

    static let headerRows: [HostileInput] = [
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
        header("H-62", "a solidus written as an escape", .accepted) {
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
    ) -> HostileInput {
        HostileInput(id, name, expected, body: { try $0.body(header: header($0)) })
    }

    private static func parts(_ jws: String) -> [String] {
        jws.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// One letter in the middle of a segment replaced.
    private static func replaced(_ jws: String, segment: Int, _ letter: String) -> String {
        var parts = parts(jws)
        var text = parts[segment]
        let at = text.index(text.startIndex, offsetBy: text.count / 2)
        text.replaceSubrange(at...at, with: letter)
        parts[segment] = text
        return parts.joined(separator: ".")
    }

    /// 64 bytes leave four spare bits in the last letter.
    private static func withSpareBits(_ jws: String) -> String {
        let next: [Character: String] = ["A": "B", "Q": "R", "g": "h", "w": "x"]
        return jws.dropLast() + (jws.last.flatMap { next[$0] } ?? "")
    }
}
