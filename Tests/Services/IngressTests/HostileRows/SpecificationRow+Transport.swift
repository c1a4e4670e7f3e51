/// Rows H-01 to H-27: what the listener decides before anybody looks at a body.
extension SpecificationRow {
    static let transport: [SpecificationRow] = [
        SpecificationRow("H-01", "GET, PUT, DELETE, HEAD on the path", .closed(405, "method")),
        SpecificationRow("H-02", "unknown path, //, /..;/, encoded slash", .closed(404, "path")),
        SpecificationRow(
            "H-03", "TRACE, CONNECT, a method of 10 KiB", .closed(405, "method"), .closed(400, "framing")),
        SpecificationRow("H-04", "POST without body", .closed(400, "empty"), .refused(400, "empty")),
        SpecificationRow("H-05", "Content-Length over the limit", .closed(413, "too_large")),
        SpecificationRow("H-06", "chunks passing the limit", .closed(413, "too_large")),
        SpecificationRow("H-07", "Content-Length and Transfer-Encoding", .closed(400, "framing")),
        SpecificationRow("H-08", "Content-Lengths that differ or are no number", .closed(400, "framing"), .read),
        SpecificationRow("H-09", "Transfer-Encodings that are not exactly chunked", .closed(400, "framing"), .read),
        SpecificationRow("H-10", "bad chunks, extensions, trailers", .closed(400, "framing"), .read),
        SpecificationRow("H-11", "bare CR, bare LF, NUL in a head", .closed(400, "framing")),
        SpecificationRow("H-12", "a head of more than 16 KiB or 64 fields", .closed(431, "headers"), .read),
        SpecificationRow("H-13", "100,000 tiny fields", .closed(431, "headers")),
        SpecificationRow("H-14", "a request line above 4 KiB", .closed(414, "uri")),
        SpecificationRow("H-15", "a head at 1 byte in 5 s", .closed(0, "slow"), elsewhere: "SlowRowTests"),
        SpecificationRow("H-16", "a body at 1 byte in 5 s", .closed(408, "slow"), elsewhere: "SlowRowTests"),
        SpecificationRow(
            "H-17", "silent connections", .closed(0, "idle"),
            elsewhere: "SlowRowTests; 2,000 of them in HTTPServerTests.SlowRowTests"),
        SpecificationRow("H-18", "100 pipelined requests", .accepted, .read),
        SpecificationRow("H-19", "Content-Encoding: gzip", .closed(415, "encoding"), .read),
        SpecificationRow(
            "H-20", "Expect: 100-continue", .closed(413, "too_large"), .closed(417, "expect"), .read),
        SpecificationRow("H-21", "the preface of HTTP/2, a TLS ClientHello", .closed(400, "framing")),
        SpecificationRow("H-22", "%0d%0a in path, field, query", .closed(404, "path"), .read),
        SpecificationRow("H-23", "no Host, two Hosts", .closed(400, "framing")),
        SpecificationRow("H-24", "reset right after the body", .closed(0, "aborted")),
        SpecificationRow("H-25", "half-closed after the body", .accepted.closing(), .read.closing()),
        SpecificationRow(
            "H-26", "TLS 1.0 and 1.1, weak ciphers, renegotiation",
            elsewhere: "the ingress speaks no TLS: the proxy in front of it refuses them; a ClientHello is H-21"),
        SpecificationRow(
            "H-27", "too many connects from one network", .closed(0, "rate"), elsewhere: "ConnectRateRowTests"),
    ]
}
