import HTTPServer
import TestSupport

extension FuzzTarget {
    /// Decodes a request body; its first two bytes select its kind and limit. The content must not depend on the cuts,
    /// must be within the limit, and must equal that of a simple reference decoder.
    static let requestBody = FuzzTarget(
        "request-body", seeds: bodySeeds, tokens: RequestSeeds.tokens, maximumBytes: 1024
    ) { bytes throws(Violation) in
        guard bytes.count >= 2 else { return }
        let isChunked = bytes[0] & 1 == 0
        let limit = Int(bytes[1])
        let body = Array(bytes[2...])
        let whole = outcome(body, pieces: [0..<body.count], isChunked, limit)
        let single = outcome(body, pieces: body.indices.map { $0..<$0 + 1 }, isChunked, limit)
        var random = SeededGenerator(hashing: bytes)
        let cut = outcome(body, pieces: random.pieces(of: body.count, longest: 24), isChunked, limit)
        try hold(whole == single, "whole \(whole), byte by byte \(single)")
        try hold(whole == cut, "whole \(whole), in pieces \(cut)")
        try hold(whole.content.count <= limit, "\(whole.content.count) bytes of content, \(limit) allowed")
        let expected = isChunked ? ReferenceBody.chunked(body, limit) : ReferenceBody.known(body, limit)
        try hold(whole == expected, "\(whole), but the reference decoder gives \(expected)")
    }

    private static let bodySeeds: [[UInt8]] =
        [
            "2\r\n{}\r\n0\r\n\r\n", "0\r\n\r\n", "00000005\r\nhello\r\n1\r\n!\r\n0\r\n\r\nrest", "ffffffff\r\n",
            "a\r\n0123456789\r\n",
        ]
        .flatMap { text in [[0, 100] + Array(text.utf8), [1, 5] + Array(text.utf8), [0, 5] + Array(text.utf8)] }

    private static func outcome(
        _ bytes: [UInt8], pieces: [Range<Int>], _ isChunked: Bool, _ limit: Int
    ) -> ReferenceBody.Outcome {
        var decoder = isChunked ? BodyDecoder(chunkedLimit: limit) : BodyDecoder(length: limit)
        var content: [UInt8] = []
        // An empty body is complete before the first byte.
        for piece in pieces.isEmpty ? [0..<0] : pieces {
            switch decoder.decode(bytes.span.extracting(piece), into: &content) {
            case .needMore: continue
            case .complete(let count):
                return .init(verdict: "complete", content: content, taken: piece.lowerBound + count)
            case .refuse(let status, let reason):
                return .init(verdict: "\(status) \(reason)", content: content, taken: 0)
            }
        }
        return .init(verdict: "more", content: content, taken: bytes.count)
    }
}

/// A slow reference decoder of request bodies.
enum ReferenceBody {
    struct Outcome: Equatable {
        let verdict: String
        let content: [UInt8]
        /// Number of bytes consumed; 0 if the body is rejected.
        let taken: Int
    }

    static func known(_ bytes: [UInt8], _ length: Int) -> Outcome {
        guard bytes.count >= length else { return Outcome(verdict: "more", content: bytes, taken: bytes.count) }
        return Outcome(verdict: "complete", content: Array(bytes[..<length]), taken: length)
    }

    /// Decodes chunks: sizes of 1 to 8 hexadecimal digits, CRLF after each line, no extensions or trailers.
    static func chunked(_ bytes: [UInt8], _ limit: Int) -> Outcome {
        var content: [UInt8] = []
        var rest = bytes[...]
        func bad(_ verdict: String = "400 framing") -> Outcome { Outcome(verdict: verdict, content: content, taken: 0) }
        var more: Outcome { Outcome(verdict: "more", content: content, taken: bytes.count) }
        /// Consumes a line end. Returns false for any other byte, and nil for an incomplete line end.
        func takeLineEnd() -> Bool? {
            for byte: UInt8 in [13, 10] {
                guard let next = rest.first else { return nil }
                guard next == byte else { return false }
                rest = rest.dropFirst()
            }
            return true
        }
        while true {
            let digits = rest.prefix { Character(Unicode.Scalar($0)).isHexDigit && $0 < 128 }
            guard digits.count <= 8 else { return bad() }
            rest = rest.dropFirst(digits.count)
            guard !rest.isEmpty else { return more }
            guard !digits.isEmpty else { return bad() }
            guard let ended = takeLineEnd() else { return more }
            guard ended else { return bad() }
            guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else { return bad() }
            guard content.count + size <= limit else { return bad("413 too_large") }
            let data = rest.prefix(size)
            content += data
            rest = rest.dropFirst(data.count)
            guard data.count == size else { return more }
            guard let closed = takeLineEnd() else { return more }
            guard closed else { return bad() }
            if size == 0 { return Outcome(verdict: "complete", content: content, taken: bytes.count - rest.count) }
        }
    }
}
