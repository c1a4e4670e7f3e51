internal import Testing

/// One input that a stranger may send, and what it deserves. The rows are those of RFC 9110 and 9112 that servers are
/// known to get wrong.
struct HostileInput: Sendable, CustomTestStringConvertible {
    let title: String
    let bytes: [UInt8]
    let verdicts: [String]

    var testDescription: String { title }

    init(_ title: String, _ text: String, _ verdicts: String...) {
        self.init(title, Array(text.utf8), verdicts)
    }

    init(_ title: String, _ bytes: [UInt8], _ verdicts: [String]) {
        self.title = title
        self.bytes = bytes
        self.verdicts = verdicts
    }

    static let body = #"{"signedPayload":"x"}"#
    static let good = request()
    private static let chunk = "15\r\n\(body)\r\n"
    private static let next = request("X-Next: 1\r\n")

    static func request(
        _ fields: String = "", method: String = "POST", target: String = "/notifications",
        version: String = "HTTP/1.1", host: String = "Host: a\r\n", length: String? = "Content-Length: 21\r\n",
        body: String = body
    ) -> String {
        "\(method) \(target) \(version)\r\n\(host)\(length ?? "")\(fields)\r\n\(body)"
    }

    static func chunked(_ wire: String, _ fields: String = "") -> String {
        "POST /notifications HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\(fields)\r\n\(wire)"
    }

    static let all: [HostileInput] =
        routes + lengths + encodings + chunks + lineEnds + limits + fields + requestLines + good(pipelined: 100)

    static func good(pipelined count: Int) -> [HostileInput] {
        [
            HostileInput(
                "\(count) pipelined", Array(String(repeating: good, count: count).utf8),
                Array(repeating: "200:21", count: count))
        ]
    }

    private static let path = ["404 path", "closed"]
    private static let method = ["405 method", "closed"]
    private static let framing = ["400 framing", "closed"]

    private static let routes: [HostileInput] =
        ["GET", "PUT", "DELETE", "HEAD", "TRACE", "post"].map {
            HostileInput("method \($0)", Array(request(method: $0, length: nil, body: "").utf8), method)
        }
        + [
            "/", "//notifications", "/..;/notifications", "/notifications/", "/%6eotifications", "/notifications%2f",
            "/a%2Fb", "/notifications?x=1", "/NOTIFICATIONS", "/notifications%0d%0aX-Injected:1", "/x?a=%0d%0aX:1",
        ].map { HostileInput("path \($0)", Array(request(target: $0).utf8), path) }
        + [
            HostileInput("no body and no length", request(length: nil, body: ""), "400 empty", "closed"),
            HostileInput("length 0", request(length: "Content-Length: 0\r\n", body: ""), "400 empty", "closed"),
            HostileInput("chunked and empty", chunked("0\r\n\r\n"), "400 empty", "closed"),
            HostileInput(
                "length over the limit", request(length: "Content-Length: 300000\r\n", body: ""), "413 too_large",
                "closed"),
            HostileInput(
                "expectation with a length over the limit",
                request("Expect: 100-continue\r\n", length: "Content-Length: 300000\r\n", body: ""), "413 too_large",
                "closed"),
            HostileInput("expectation", request("Expect: 100-continue\r\n"), "200:21"),
            HostileInput("another expectation", request("Expect: 200-ok\r\n"), "417 expect", "closed"),
            HostileInput("gzip", request("Content-Encoding: gzip\r\n"), "415 encoding", "closed"),
            HostileInput("identity", request("Content-Encoding: identity\r\n"), "200:21"),
            HostileInput("close", request("Connection: keep-alive, Close\r\n"), "200:21", "closed"),
        ]

    private static let lengths: [HostileInput] =
        [
            "+21", "21,21", "21, 21", "-21", "18446744073709551637", "0x15", "21 21", "", "2 1", "21;", "\t21", "21\t",
            "0000000000000000021", "٢١",
        ].map {
            HostileInput(
                "Content-Length: \($0)", Array((request(length: "Content-Length: \($0)\r\n") + next).utf8), framing)
        } + [
            HostileInput("two different lengths", request("Content-Length: 5\r\n") + next, "400 framing", "closed"),
            HostileInput("two equal lengths", request("Content-Length: 21\r\n") + next, "400 framing", "closed"),
            HostileInput("length 021", request(length: "Content-Length: 021\r\n"), "200:21"),
            HostileInput(
                "encoding, then length", chunked(chunk + "0\r\n\r\n" + next, "Content-Length: 5\r\n"), "400 framing",
                "closed"),
            HostileInput(
                "length, then encoding", request("Transfer-Encoding: chunked\r\n", body: chunk + "0\r\n\r\n" + next),
                "400 framing", "closed"),
        ]

    private static let encodings: [HostileInput] =
        [
            "chunked, identity", "xchunked", "identity", "gzip, chunked", "chunked, chunked", "\tchunked",
            "\u{0B}chunked", "chunked\0", "'chunked'", "chunked;q=1", "", "chunked\t",
        ].map {
            HostileInput(
                "Transfer-Encoding: \($0.debugDescription)",
                Array(
                    (request(length: "Transfer-Encoding: \($0)\r\n", body: chunk + "0\r\n\r\n") + next).utf8), framing)
        } + [
            HostileInput(
                "CHUNKED", request(length: "Transfer-Encoding: CHUNKED \r\n", body: chunk + "0\r\n\r\n"), "200:21"),
            HostileInput(
                "two encodings", chunked(chunk + "0\r\n\r\n" + next, "Transfer-Encoding: x\r\n"), "400 framing",
                "closed"),
            HostileInput(
                "folded encoding", request(length: "Transfer-Encoding:\r\n chunked\r\n", body: chunk + "0\r\n\r\n"),
                "400 framing", "closed"),
            HostileInput("Transfer_Encoding", request("Transfer_Encoding: chunked\r\n"), "200:21"),
            HostileInput("folded field", request("X-A: b\r\n c\r\n"), "400 framing", "closed"),
        ]

    private static let chunks: [HostileInput] =
        [
            "0x15\r\n\(body)\r\n0\r\n\r\n", "00000000000000015\r\n\(body)\r\n0\r\n\r\n",
            "10000000000000015\r\n\(body)\r\n0\r\n\r\n", "-1\r\n\(body)\r\n0\r\n\r\n", "+15\r\n\(body)\r\n0\r\n\r\n",
            " 15\r\n\(body)\r\n0\r\n\r\n", "15 \r\n\(body)\r\n0\r\n\r\n", "15\n\(body)\r\n0\r\n\r\n",
            "15\r\n\(body)0\r\n\r\n", "15\r\n\(body)\n0\r\n\r\n", "15\r\n\(body)XX0\r\n\r\n",
            "15;a=\"\n\"\r\n\(body)\r\n0\r\n\r\n", "\r\n\(chunk)0\r\n\r\n", "15\r\(body)\r\n0\r\n\r\n",
            "15;a=b\r\n\(body)\r\n0\r\n\r\n", "\(chunk)0\r\nX-T: 1\r\n\r\n", "\(chunk)0\r\nContent-Length: 5\r\n\r\n",
            "\(chunk)0\r\n\rX", "\(chunk)0\r\nX",
        ].map { HostileInput("chunked \($0.debugDescription)", Array(chunked($0 + next).utf8), framing) } + [
            HostileInput("chunked", chunked(chunk + "0\r\n\r\n" + good), "200:21", "200:21"),
            HostileInput("leading zeros", chunked("00000015\r\n\(body)\r\n00\r\n\r\n"), "200:21"),
            HostileInput(
                "chunks over the limit",
                chunked(String(repeating: "8000\r\n\(String(repeating: "x", count: 32768))\r\n", count: 10)),
                "413 too_large", "closed"),
            HostileInput("chunk of 1 GiB", chunked("40000000\r\nxxx"), "413 too_large", "closed"),
            HostileInput("chunk of 4 GiB", chunked("ffffffff\r\nxxx"), "413 too_large", "closed"),
        ]

    private static let lineEnds: [HostileInput] = [
        ("bare LF everywhere", good.replacing("\r\n", with: "\n")),
        ("bare LF after a field", "POST /notifications HTTP/1.1\r\nHost: a\nContent-Length: 21\r\n\r\n\(body)"),
        ("bare CR in a value", request("X-A: b\rTransfer-Encoding: chunked\r\n")),
        ("bare CR as a line end", "POST /notifications HTTP/1.1\r\nHost: a\rContent-Length: 21\r\n\r\n\(body)"),
        ("NUL in a value", request("X-A: b\0c\r\n")), ("NUL in a name", request("X\0A: b\r\n")),
        ("NUL in the target", request(target: "/notif\0ications")), ("control byte", request("X-A: b\u{01}c\r\n")),
        ("delete byte", request("X-A: b\u{7F}c\r\n")), ("CR CR LF", request("X-A: b\r\r\n")),
    ].map { HostileInput($0.0, Array($0.1.utf8), framing) }

    private static let limits: [HostileInput] = [
        HostileInput(
            "field of 17 KiB", request("X-A: \(String(repeating: "b", count: 17408))\r\n"), "431 headers", "closed"),
        HostileInput(
            "20 KiB in 20 fields",
            request((0..<20).map { "X-\($0): \(String(repeating: "b", count: 1024))\r\n" }.joined()), "431 headers",
            "closed"),
        HostileInput("64 fields", request((0..<62).map { "X-\($0): b\r\n" }.joined()), "200:21"),
        HostileInput("65 fields", request((0..<63).map { "X-\($0): b\r\n" }.joined()), "431 headers", "closed"),
        HostileInput(
            "10,000 fields", request((0..<10_000).map { "X-\($0):b\r\n" }.joined()), "431 headers", "closed"),
        HostileInput(
            "request line of 5 KiB", request(target: "/notifications?" + String(repeating: "a", count: 5120)),
            "414 uri", "closed"),
        HostileInput(
            "method of 10 KiB", request(method: String(repeating: "A", count: 10240)), "400 framing", "closed"),
    ]

    private static let fields: [HostileInput] = [
        ("no host", request(host: "")), ("two hosts", request(host: "Host: a\r\nHost: b\r\n")),
        ("empty host", request(host: "Host: \r\n")), ("host after a tab", request(host: "Host:\ta\r\n")),
        ("no colon", request("NoColonHere\r\n")), ("space before the colon", request("X-A : b\r\n")),
        ("Content-Length and a space", request("Content-Length : 5\r\n") + next),
        ("Transfer-Encoding and a space", request("Transfer-Encoding : chunked\r\n")),
        ("empty name", request(": b\r\n")), ("bracket in a name", request("X[A: b\r\n")),
        ("first field folded", request(host: " X: y\r\nHost: a\r\n")), ("leading CRLF", "\r\n" + good),
    ].map { HostileInput($0.0, Array($0.1.utf8), framing) }

    private static let requestLines: [HostileInput] =
        [
            ("absolute target", request(target: "http://a/notifications")), ("asterisk", request(target: "*")),
            ("no slash", request(target: "notifications")), ("space in target", request(target: "/notifications x")),
            ("CONNECT", request(method: "CONNECT", target: "a:1")), ("empty target", request(target: "")),
            ("two spaces", good.replacing("POST ", with: "POST  ")), ("tab", good.replacing("POST ", with: "POST\t")),
            ("byte above 127", request(target: "/notifications\u{FF}")), ("1.0", request(version: "HTTP/1.0")),
            ("1.2", request(version: "HTTP/1.2")), ("2.0", request(version: "HTTP/2.0")),
            ("0.9", "GET /notifications\r\n"), ("lower-case version", request(version: "http/1.1")),
            ("garbage after the version", request(version: "HTTP/1.1 x")), ("garbage", "\0\u{01}\u{02}garbage\r\n\r\n"),
            ("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ("TLS", "\u{16}\u{03}\u{01}\0\u{C8}\u{01}\0"),
        ].map { HostileInput($0.0, Array($0.1.utf8), framing) } + [
            HostileInput("good, then bad", good + chunked("zz\r\n"), "200:21", "400 framing", "closed")
        ]
}
