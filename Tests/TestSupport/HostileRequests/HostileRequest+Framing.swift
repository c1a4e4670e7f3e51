/// Message framing: rows H-04 to H-11.
extension HostileRequest {
    static let bodies: [HostileRequest] = [
        HostileRequest("H-04", "no body and no length", request(length: nil, body: ""), "400 empty", "closed"),
        HostileRequest("H-04", "length 0", request(length: "Content-Length: 0\r\n", body: ""), "400 empty", "closed"),
        HostileRequest("H-05", "a length over the limit", oversize(sent: 0), tooLarge),
        HostileRequest("H-05", "a length over the limit, all of it sent", oversize(sent: 300_000), tooLarge),
        HostileRequest("H-05", "a length over the limit, 8 MiB sent", oversize(sent: 8 << 20), tooLarge),
        HostileRequest(
            "H-06", "chunks over the limit",
            chunked(String(repeating: "8000\r\n\(String(repeating: "x", count: 0x8000))\r\n", count: 10) + lastChunk)
                .utf8,
            tooLarge),
        HostileRequest(
            "H-06", "a chunk of 1 GiB", chunked("40000000\r\n\(String(repeating: "x", count: 1000))").utf8, tooLarge),
        HostileRequest(
            "H-07", "encoding, then length", chunked(chunk + lastChunk + next, "Content-Length: 5\r\n").utf8, framing),
        HostileRequest(
            "H-07", "length, then encoding",
            request("Transfer-Encoding: chunked\r\n", body: chunk + lastChunk + next).utf8, framing),
    ]

    private static func oversize(sent: Int) -> [UInt8] {
        Array(request(length: "Content-Length: \(max(sent, 300_000))\r\n", body: "").utf8)
            + [UInt8](repeating: 0x78, count: sent)
    }

    static let lengths: [HostileRequest] =
        rows("H-08", framing, lengths("+21", "21,21", "21, 21", "-21", "18446744073709551637"))
        + rows("H-08", framing, lengths("0x15", "21 21", "", "2 1", "21;"))
        + rows(
            "H-08", framing,
            [
                ("two different lengths", request("Content-Length: 5\r\n") + next),
                ("two equal lengths", request("Content-Length: 21\r\n") + next),
            ])
        + [HostileRequest("H-08", "length 021", request(length: "Content-Length: 021\r\n"), "200:21")]

    private static func lengths(_ values: String...) -> [(String, String)] {
        values.map { ("Content-Length: \($0)", request(length: "Content-Length: \($0)\r\n") + next) }
    }

    static let encodings: [HostileRequest] =
        rows("H-09", framing, encodings("chunked, identity", "xchunked", "identity", "gzip, chunked"))
        + rows("H-09", framing, encodings("chunked, chunked", "\tchunked", "\u{0B}chunked", "chunked\0"))
        + rows("H-09", framing, encodings("'chunked'", "chunked;q=1"))
        + rows(
            "H-09", framing,
            [
                ("two encodings", chunked(chunk + lastChunk + next, "Transfer-Encoding: x\r\n")),
                ("an encoding on a folded line", encoded("Transfer-Encoding:\r\n chunked\r\n")),
                ("another field folded", request("X-A: b\r\n c\r\n")),
            ]) + [
            HostileRequest("H-09", "CHUNKED and a space", encoded("Transfer-Encoding: CHUNKED \r\n"), "200:21"),
            HostileRequest("H-09", "Transfer_Encoding", request("Transfer_Encoding: chunked\r\n"), "200:21"),
        ]

    private static func encoded(_ field: String) -> String { request(length: field, body: chunk + lastChunk) }

    private static func encodings(_ values: String...) -> [(String, String)] {
        values.map { ("Transfer-Encoding: \($0.debugDescription)", encoded("Transfer-Encoding: \($0)\r\n") + next) }
    }

    /// Chunk sizes, and separators between chunks.
    static let chunks: [HostileRequest] = rows(
        "H-10", framing,
        [
            ("size 0x15", "0x15\r\n\(body)\r\n"), ("17 digits", "00000000000000015\r\n\(body)\r\n"),
            ("17 digits, beyond 64 bits", "10000000000000015\r\n\(body)\r\n"), ("size -1", "-1\r\n\(body)\r\n"),
            ("size +15", "+15\r\n\(body)\r\n"), ("a space before the size", " 15\r\n\(body)\r\n"),
            ("a space after the size", "15 \r\n\(body)\r\n"), ("a size and a bare LF", "15\n\(body)\r\n"),
            ("a size and a bare CR", "15\r\(body)\r\n"), ("no line end after the data", "15\r\n\(body)"),
            ("a bare LF after the data", "15\r\n\(body)\n"), ("other bytes after the data", "15\r\n\(body)XX"),
            ("an empty size", "\r\n\(chunk)"),
        ].map { ($0.0, chunked($0.1 + lastChunk + next)) })

    /// Chunk extensions and trailers.
    static let chunkLines: [HostileRequest] = rows(
        "H-10", framing,
        [
            ("LF in an extension", chunked("15;a=\"\n\"\r\n\(body)\r\n" + lastChunk + next)),
            ("an extension", chunked("15;a=b\r\n\(body)\r\n" + lastChunk)),
            (
                "an extension of 1 MiB",
                chunked("15;\(String(repeating: "a", count: 1 << 20))\r\n\(body)\r\n" + lastChunk)
            ),
            ("a trailer", chunked(chunk + "0\r\nX-T: 1\r\n\r\n")),
            ("a trailer with a length", chunked(chunk + "0\r\nContent-Length: 5\r\n\r\n")),
        ])

    static let lineEnds: [HostileRequest] = rows(
        "H-11", framing,
        [
            ("bare LF everywhere", good.replacing("\r\n", with: "\n")),
            ("bare LF after a field", "POST /notifications HTTP/1.1\r\nHost: a\nContent-Length: 21\r\n\r\n\(body)"),
            ("bare CR in a value", request("X-A: b\rTransfer-Encoding: chunked\r\n")),
            ("bare CR as a line end", "POST /notifications HTTP/1.1\r\nHost: a\rContent-Length: 21\r\n\r\n\(body)"),
            ("NUL in a value", request("X-A: b\0c\r\n")), ("NUL in a name", request("X\0A: b\r\n")),
            ("NUL in the target", request(target: "/notif\0ications")),
            ("a control byte in a value", request("X-A: b\u{01}c\r\n")),
        ])

    static let otherFraming: [HostileRequest] =
        rows("H-08", framing, lengths("\t21", "21\t", "0000000000000000021", "٢١"))
        + rows("H-09", framing, encodings("", "chunked\t"))
        + rows(
            "H-10", framing,
            [
                ("CR and no LF after the last chunk", chunked(chunk + "0\r\n\rX" + next)),
                ("a byte after the last chunk", chunked(chunk + "0\r\nX" + next)),
            ])
        + rows(
            "H-11", framing, [("the delete byte", request("X-A: b\u{7F}c\r\n")), ("CR CR LF", request("X-A: b\r\r\n"))])
        + [
            HostileRequest("H-04", "chunked and empty", chunked(lastChunk), "400 empty", "closed"),
            HostileRequest("H-06", "a chunk of 4 GiB", chunked("ffffffff\r\nxxx").utf8, tooLarge),
            HostileRequest("H-10", "chunked", chunked(chunk + lastChunk + good), "200:21", "200:21"),
            HostileRequest("H-10", "leading zeros", chunked("00000015\r\n\(body)\r\n00\r\n\r\n"), "200:21"),
        ]
}
