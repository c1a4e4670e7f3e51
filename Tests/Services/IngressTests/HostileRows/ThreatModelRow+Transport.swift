/// Rows H-01 to H-27: the listener's decisions before a body is read.
extension ThreatModelRow {
    static let transport: [ThreatModelRow] = [
        ThreatModelRow("H-01", "GET, PUT, DELETE, HEAD on the path", .closed(405, "method")),
        ThreatModelRow("H-02", "an unknown path, //, /..;/, an encoded slash", .closed(404, "path")),
        ThreatModelRow(
            "H-03", "TRACE, CONNECT, a method of 10 KiB", .closed(405, "method"), .closed(400, "framing")),
        ThreatModelRow("H-04", "POST without a body", .closed(400, "empty"), .refused(400, "empty")),
        ThreatModelRow("H-05", "Content-Length above the limit", .closed(413, "too_large")),
        ThreatModelRow("H-06", "chunks that exceed the limit", .closed(413, "too_large")),
        ThreatModelRow("H-07", "both Content-Length and Transfer-Encoding", .closed(400, "framing")),
        ThreatModelRow("H-08", "Content-Lengths that differ or are not numbers", .closed(400, "framing"), .read),
        ThreatModelRow("H-09", "Transfer-Encodings other than exactly chunked", .closed(400, "framing"), .read),
        ThreatModelRow("H-10", "bad chunks, extensions, trailers", .closed(400, "framing"), .read),
        ThreatModelRow("H-11", "bare CR, bare LF, NUL in a head", .closed(400, "framing")),
        ThreatModelRow("H-12", "a head of more than 16 KiB or 64 fields", .closed(431, "headers"), .read),
        ThreatModelRow("H-13", "100,000 tiny fields", .closed(431, "headers")),
        ThreatModelRow("H-14", "a request line above 4 KiB", .closed(414, "uri")),
        ThreatModelRow("H-15", "a head at 1 byte in 5 s", .closed(0, "slow"), elsewhere: "SlowRowTests"),
        ThreatModelRow("H-16", "a body at 1 byte in 5 s", .closed(408, "slow"), elsewhere: "SlowRowTests"),
        ThreatModelRow(
            "H-17", "silent connections", .closed(0, "idle"),
            elsewhere: "SlowRowTests; 2,000 of them in HTTPServerTests.SlowRowTests"),
        ThreatModelRow("H-18", "100 pipelined requests", .accepted, .duplicate, .read),
        ThreatModelRow("H-19", "Content-Encoding: gzip", .closed(415, "encoding"), .read),
        ThreatModelRow(
            "H-20", "Expect: 100-continue", .closed(413, "too_large"), .closed(417, "expect"), .read),
        ThreatModelRow("H-21", "an HTTP/2 preface, a TLS ClientHello", .closed(400, "framing")),
        ThreatModelRow("H-22", "%0d%0a in path, field or query", .closed(404, "path"), .read),
        ThreatModelRow("H-23", "no Host, two Hosts", .closed(400, "framing")),
        ThreatModelRow("H-24", "a reset right after the body", .closed(0, "aborted")),
        ThreatModelRow("H-25", "half-closed after the body", .accepted.closing(), .read.closing()),
        ThreatModelRow(
            "H-26", "TLS 1.0 and 1.1, weak ciphers, renegotiation",
            elsewhere: "refused by the proxy in front; the ingress does not speak TLS"),
        ThreatModelRow(
            "H-27", "too many connections from one network", .closed(0, "rate"), elsewhere: "ConnectRateRowTests"),
    ]
}
