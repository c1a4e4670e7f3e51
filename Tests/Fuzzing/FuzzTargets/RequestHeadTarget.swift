import HTTPServer
import TestSupport

extension FuzzTarget {
    /// Parses a request head. The result must not depend on the cuts, no byte after the head may be consumed, and
    /// exactly the heads that a simple reference parser accepts must be accepted.
    static let requestHead = FuzzTarget(
        "request-head", seeds: RequestSeeds.requests, tokens: RequestSeeds.tokens, maximumBytes: 2048
    ) { bytes throws(Violation) in
        let limits = RequestSeeds.limits
        let whole = verdict(bytes, pieces: [0..<bytes.count], limits)
        let single = verdict(bytes, pieces: bytes.indices.map { $0..<$0 + 1 }, limits)
        var random = SeededGenerator(hashing: bytes)
        let cut = verdict(bytes, pieces: random.pieces(of: bytes.count, longest: 40), limits)
        try hold(whole == single, "whole \(whole), byte by byte \(single)")
        try hold(whole == cut, "whole \(whole), in pieces \(cut)")
        switch whole {
        case .complete(let count):
            try hold(count <= bytes.count, "takes \(count) of \(bytes.count) bytes")
            try hold(ReferenceHead.end(of: bytes, limits) == count, "the reference parser rejects this head")
        case .needMore:
            let most = limits.requestLineBytes + limits.headBytes
            try hold(bytes.count <= most, "\(bytes.count) bytes are buffered without a verdict")
        case .refuse(let status, _):
            try hold([400, 414, 431].contains(status), "refused with \(status)")
            try hold(ReferenceHead.end(of: bytes, limits) == nil, "the reference parser accepts this head")
        }
    }

    private static func verdict(
        _ bytes: [UInt8], pieces: [Range<Int>], _ limits: Limits
    ) -> RequestHeadParser.Result {
        var parser = RequestHeadParser(limits: limits)
        for piece in pieces {
            let result = parser.parse(bytes.span.extracting(..<piece.upperBound))
            if result != .needMore { return result }
        }
        return .needMore
    }
}

/// A slow reference parser of the supported subset of RFC 9112: it splits lines first, then parses each line
/// separately.
enum ReferenceHead {
    private static let tokenBytes = Set(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// The length of the head in bytes; nil if it is invalid or incomplete.
    static func end(of bytes: [UInt8], _ limits: Limits) -> Int? {
        var lines: [[UInt8]] = []
        var start = 0
        while true {
            guard let end = bytes[start...].firstIndex(of: 13), end + 1 < bytes.count, bytes[end + 1] == 10 else {
                return nil
            }
            let line = Array(bytes[start..<end])
            start = end + 2
            if line.isEmpty, !lines.isEmpty { break }
            lines.append(line)
        }
        guard let first = lines.first, first.count + 2 <= limits.requestLineBytes, isRequestLine(first) else {
            return nil
        }
        guard start - first.count - 2 <= limits.headBytes, lines.count - 1 <= limits.headFields else { return nil }
        let isVersion10 = first.suffix(8).elementsEqual("HTTP/1.0".utf8)
        return fieldsAreGood(lines.dropFirst(), isVersion10) ? start : nil
    }

    private static func isRequestLine(_ line: [UInt8]) -> Bool {
        let parts = line.split(separator: 32, omittingEmptySubsequences: false)
        guard parts.count == 3, (1...32).contains(parts[0].count), parts[0].allSatisfy(tokenBytes.contains) else {
            return false
        }
        return parts[1].first == UInt8(ascii: "/") && parts[1].allSatisfy { (33...126).contains($0) }
            && (parts[2].elementsEqual("HTTP/1.1".utf8) || parts[2].elementsEqual("HTTP/1.0".utf8))
    }

    private static func fieldsAreGood(_ lines: ArraySlice<[UInt8]>, _ isVersion10: Bool) -> Bool {
        var values: [String: [[UInt8]]] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
                line[..<colon].allSatisfy(tokenBytes.contains),
                line[(colon + 1)...].allSatisfy({ $0 == 9 || $0 >= 32 && $0 != 127 })
            else { return false }
            values[String(decoding: line[..<colon], as: UTF8.self).lowercased(), default: []].append(
                Array(line[(colon + 1)...]))
        }
        let hosts = values["host"] ?? []
        let lengths = values["content-length"] ?? []
        let encodings = values["transfer-encoding"] ?? []
        let isBare = isVersion10 && lengths.isEmpty
        guard hosts.count == 1 || hosts.isEmpty && isBare, lengths.count + encodings.count <= 1,
            !isVersion10 || encodings.isEmpty
        else { return false }
        guard !(hosts + lengths + encodings).contains(where: { $0.contains(9) }) else { return false }
        guard !hosts.contains(where: { trimmed($0).isEmpty }) else { return false }
        if let length = lengths.first.map(trimmed) {
            guard (1...18).contains(length.count), length.allSatisfy({ (48...57).contains($0) }) else { return false }
        }
        guard let encoding = encodings.first.map(trimmed) else { return true }
        return String(decoding: encoding, as: UTF8.self).lowercased() == "chunked"
    }

    private static func trimmed(_ value: [UInt8]) -> [UInt8] {
        Array(value.drop { $0 == 32 }.reversed().drop { $0 == 32 }.reversed())
    }
}
