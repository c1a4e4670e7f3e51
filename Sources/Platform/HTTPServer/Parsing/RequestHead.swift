internal import Primitives

/// A request line and its header fields, validated by `RequestHeadParser`.
///
/// The received bytes are stored in one array, and fields are looked up on demand, without an allocation per field.
public struct RequestHead: Sendable {
    /// All bytes from the method to the blank line.
    package let bytes: [UInt8]
    private let methodEnd: Int
    private let targetEnd: Int
    private let fieldsStart: Int
    /// The value of `Content-Length`, or nil if the field is missing.
    package let contentLength: Int?
    package let isChunked: Bool
    /// Whether the client waits for `100 Continue`.
    package let expectsContinue: Bool
    let hasOtherExpectation: Bool
    let hasContentEncoding: Bool
    let closes: Bool

    init(bytes: [UInt8], parser: borrowing RequestHeadParser) {
        self.bytes = bytes
        methodEnd = parser.methodEnd
        targetEnd = parser.targetEnd
        fieldsStart = parser.fieldsStart
        contentLength = parser.contentLength
        isChunked = parser.isChunked
        expectsContinue = parser.expectsContinue
        hasOtherExpectation = parser.hasOtherExpectation
        hasContentEncoding = parser.hasContentEncoding
        closes = parser.closes
    }

    /// The method as sent, such as `POST`.
    public var method: String { String(decoding: bytes[..<methodEnd], as: UTF8.self) }

    /// The target as sent: path and query, not decoded.
    public var target: String { String(decoding: bytes[(methodEnd + 1)..<targetEnd], as: UTF8.self) }

    /// The target up to the first `?`, not decoded.
    public var path: String {
        let target = bytes[(methodEnd + 1)..<targetEnd]
        return String(decoding: target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// The part of the target after the first `?`, not decoded, or nil if there is no `?`.
    public var query: String? {
        let target = bytes[(methodEnd + 1)..<targetEnd]
        guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return String(decoding: target[(mark + 1)...], as: UTF8.self)
    }

    public func methodIs(_ name: StaticString) -> Bool { range(0..<methodEnd, equals: name) }

    /// Whether the complete target, including any query, equals this text.
    public func targetIs(_ target: StaticString) -> Bool { range((methodEnd + 1)..<targetEnd, equals: target) }

    /// Whether the path, which ends before the first `?`, equals this text.
    public func pathIs(_ path: StaticString) -> Bool {
        let target = bytes[(methodEnd + 1)..<targetEnd]
        return range((methodEnd + 1)..<(target.firstIndex(of: UInt8(ascii: "?")) ?? targetEnd), equals: path)
    }

    /// Wipes the head, which may contain a secret. Do not read it afterwards.
    package func wipe() { bytes.wipe() }

    public var isGetOrHead: Bool { methodIs("GET") || methodIs("HEAD") }

    /// Returns the value of the first field with this name, without surrounding whitespace. Bytes that are not UTF-8
    /// are replaced. `lowercaseName` must be in lower case; the case of the field's name is ignored.
    public func header(_ lowercaseName: StaticString) -> String? {
        guard let value = fieldValue(lowercaseName) else { return nil }
        return String(decoding: bytes[value], as: UTF8.self)
    }

    /// Returns the values of all fields with this name, in order.
    package func headers(_ lowercaseName: StaticString) -> [String] {
        var values: [String] = []
        var line = fieldsStart
        while let value = fieldValue(lowercaseName, from: line) {
            values.append(String(decoding: bytes[value], as: UTF8.self))
            guard let end = bytes[value.upperBound...].firstIndex(of: RequestHeadParser.lineFeed) else { break }
            line = end + 1
        }
        return values
    }

    private func fieldValue(_ name: StaticString, from start: Int? = nil) -> Range<Int>? {
        var line = start ?? fieldsStart
        let length = name.utf8CodeUnitCount
        while line < bytes.count, let end = bytes[line...].firstIndex(of: RequestHeadParser.carriageReturn), end > line
        {
            let nameEnd = line + length
            if nameEnd < end, bytes[nameEnd] == UInt8(ascii: ":"), equalsIgnoringCase(at: line, name) {
                return RequestHeadParser.trimmed(bytes.span, nameEnd + 1, end)
            }
            line = end + 2
        }
        return nil
    }

    private func range(_ range: Range<Int>, equals text: StaticString) -> Bool {
        guard text.utf8CodeUnitCount == range.count else { return false }
        return text.withUTF8Buffer { wanted in
            for i in 0..<wanted.count where bytes[range.lowerBound + i] != wanted[i] { return false }
            return true
        }
    }

    private func equalsIgnoringCase(at start: Int, _ name: StaticString) -> Bool {
        name.withUTF8Buffer { wanted in
            for i in 0..<wanted.count where RequestHeadParser.lowercased(bytes[start + i]) != wanted[i] { return false }
            return true
        }
    }
}
