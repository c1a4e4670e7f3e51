/// Methods, targets, fields and versions: rows H-01 to H-03, H-12 to H-14, H-18 to H-25 and the classics.
extension HostileRequest {
    static let methods: [HostileRequest] =
        rows("H-01", method, ["GET", "PUT", "DELETE", "HEAD"].map { ($0, request(method: $0, length: nil, body: "")) })
        + rows(
            "H-03", method,
            [("TRACE", request(method: "TRACE", length: nil, body: "")), ("post", request(method: "post"))])
        + rows(
            "H-03", framing,
            [
                ("CONNECT", request(method: "CONNECT", target: "a:1", length: nil, body: "")),
                ("a method of 10 KiB", request(method: String(repeating: "A", count: 10_240))),
            ])

    static let paths: [HostileRequest] =
        rows("H-02", path, targets("/", "//notifications", "/..;/notifications", "/notifications/"))
        + rows("H-02", path, targets("/%6eotifications", "/notifications%2f", "/a%2Fb", "/notifications/?x=1"))
        + rows("H-02", path, targets("/NOTIFICATIONS"))
        + rows("H-22", path, targets("/notifications%0d%0aX-Injected:1", "/x?a=%0d%0aX-Injected:1"))

    private static func targets(_ targets: String...) -> [(String, String)] {
        targets.map { ($0, request(target: $0)) }
    }

    static let heads: [HostileRequest] =
        rows(
            "H-12", ["431 headers", "closed"],
            [
                ("a field of 17 KiB", request(fields(1, of: 17_408))),
                ("20 KiB in 20 fields", request(fields(20, of: 1024))), ("72 fields", request(fields(70))),
            ])
        + rows(
            "H-13", ["431 headers", "closed"],
            [
                ("100,000 fields", request(fields(100_000))),
                ("a field of 4 MiB without an end", String(request(fields(1, of: 4 << 20)).dropLast(4))),
            ])
        + rows(
            "H-14", ["414 uri", "closed"],
            [
                ("a request line of 5 KiB", request(target: "/notifications?" + String(repeating: "a", count: 5120))),
                ("a request line of 64 KiB", request(target: "/" + String(repeating: "a", count: 65_536))),
            ])

    static let deliveries: [HostileRequest] = [
        HostileRequest(
            "H-18", "100 pipelined", String(repeating: good, count: 100).utf8, Array(repeating: "200:21", count: 100)),
        HostileRequest("H-19", "gzip", request("Content-Encoding: gzip\r\n"), "415 encoding", "closed"),
        HostileRequest(
            "H-20", "an expectation and a length over the limit",
            request("Expect: 100-continue\r\n", length: "Content-Length: 300000\r\n", body: "").utf8, tooLarge),
        HostileRequest("H-20", "an expectation and the body at once", request("Expect: 100-continue\r\n"), "200:21"),
        HostileRequest("H-20", "another expectation", request("Expect: 200-ok\r\n"), "417 expect", "closed"),
        HostileRequest(
            "H-21", "the preface of HTTP/2",
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0], framing),
        HostileRequest(
            "H-21", "a TLS ClientHello", [0x16, 0x03, 0x01, 0, 0xC8, 0x01, 0, 0, 0xC4, 0x03, 0x03] + (0..<190), framing),
        HostileRequest("H-24", "reset after the body", good, "200:21", by: .reset),
        HostileRequest("H-25", "half-closed after the body", good, "200:21", "closed", by: .halfClosed),
        HostileRequest("X-11", "byte by byte", good, "200:21", by: .byteByByte),
        HostileRequest("X-11", "chunked, byte by byte", chunked(chunk + lastChunk), "200:21", by: .byteByByte),
        HostileRequest(
            "X-12", "two, cut in the second head", good + good, "200:21", "200:21", by: .cut(good.utf8.count + 20)),
        HostileRequest(
            "X-13", "a request line near 15 KiB, a query without a value",
            "GET /?\(String(repeating: "a", count: 15_000)) HTTP/1.0\r\n\r\nXXXXXXXX", "414 uri", "closed"),
    ]

    static let fields: [HostileRequest] =
        rows(
            "H-23", framing, [("no host", request(host: "")), ("two hosts", request(host: "Host: a\r\nHost: b\r\n"))])
        + rows("X-01", framing, [("no colon", request("NoColonHere\r\n"))])
        + rows(
            "X-02", framing,
            [
                ("a space before the colon", request("X-A : b\r\n")),
                ("Content-Length and a space", request("Content-Length : 5\r\n") + next),
                ("Transfer-Encoding and a space", request("Transfer-Encoding : chunked\r\n")),
            ])
        + rows(
            "X-03", framing, [("an empty name", request(": b\r\n")), ("a bracket in a name", request("X[A: b\r\n"))])
        + rows("X-04", framing, [("the first field folded", request(host: " X: y\r\nHost: a\r\n"))])
        + rows(
            "X-05", framing,
            [
                ("a leading line end", "\r\n" + good),
                ("20 leading line ends", String(repeating: "\r\n", count: 20) + good),
            ])

    static let targets: [HostileRequest] =
        rows(
            "X-06", framing,
            [
                ("an absolute target", request(target: "http://a/notifications")),
                ("an asterisk", request(target: "*")),
                ("no slash", request(target: "notifications")), ("a space in it", request(target: "/notifications x")),
                ("two spaces", good.replacing("POST ", with: "POST  ")),
                ("a tab", good.replacing("POST ", with: "POST\t")),
            ]) + [
            HostileRequest(
                "X-06", "a byte above 127",
                Array("POST /notifications".utf8) + [0xFF] + Array(good.dropFirst("POST /notifications".count).utf8),
                framing)
        ]

    static let versions: [HostileRequest] =
        rows("X-07", ["200:21", "closed"], [("HTTP/1.0", request(version: "HTTP/1.0"))])
        + rows("X-07", framing, ["HTTP/1.2", "HTTP/2.0", "http/1.1"].map { ($0, request(version: $0)) })
        + rows(
            "X-07", framing,
            [("HTTP/0.9", "GET /notifications\r\n"), ("garbage after it", request(version: "HTTP/1.1 x"))])

    static let sequences: [HostileRequest] =
        rows("X-08", framing, [("garbage", "\0\u{01}\u{02}garbage\r\n\r\n")]) + [
            HostileRequest(
                "X-09", "good, then bad", good + chunked("zz\r\n"), "200:21", "400 framing", "closed"),
            HostileRequest("X-10", "GET with a body, then good", (request(method: "GET") + good).utf8, method),
        ]

    static let otherRoutes: [HostileRequest] = [
        HostileRequest("H-19", "identity", request("Content-Encoding: identity\r\n"), "200:21"),
        HostileRequest("X-10", "close", request("Connection: keep-alive, Close\r\n"), "200:21", "closed"),
    ]

    static let otherVersions: [HostileRequest] =
        rows(
            "X-07", ["200:21", "closed"],
            [
                ("HTTP/1.0 that asks to be kept", request("Connection: keep-alive\r\n", version: "HTTP/1.0") + next),
                ("HTTP/1.0 that asks to continue", request("Expect: 100-continue\r\n", version: "HTTP/1.0")),
            ])
        + rows(
            "X-07", framing,
            [
                ("HTTP/1.0 chunked", chunked(chunk + lastChunk).replacing("HTTP/1.1", with: "HTTP/1.0")),
                ("HTTP/1.0 with two lengths", request("Content-Length: 21\r\n", version: "HTTP/1.0")),
                ("HTTP/1.0 without a host", request(version: "HTTP/1.0", host: "")),
                ("HTTP/1.01", request(version: "HTTP/1.01")),
            ])
        + [
            HostileRequest(
                "X-07", "HTTP/1.0 without a length has no body", request(version: "HTTP/1.0", length: nil) + next,
                "400 empty", "closed")
        ]

    static let otherHeads: [HostileRequest] =
        rows("H-12", ["431 headers", "closed"], [("65 fields", request(fields(63)))])
        + rows(
            "H-23", framing,
            [("an empty host", request(host: "Host: \r\n")), ("a host after a tab", request(host: "Host:\ta\r\n"))])
        + rows(
            "X-06", framing,
            [("an empty target", request(target: "")), ("U+00FF", request(target: "/notifications\u{FF}"))])
        + rows(
            "X-13", ["414 uri", "closed"],
            [4100, 8000, 14_500, 15_500, 16_300, 17_000].map {
                ("a query of \($0) bytes", "GET /?\(String(repeating: "a", count: $0)) HTTP/1.0\r\n\r\nXXXXXXXX")
            })
        + [HostileRequest("H-12", "64 fields", request(fields(62)), "200:21")]
}
