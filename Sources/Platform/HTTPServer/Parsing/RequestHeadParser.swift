internal import Primitives

/// Parses one request head in a strict subset of HTTP/1.1 (RFC 9112), byte by byte, without I/O or copying.
///
/// Each byte is examined once, and an error is reported at the byte that causes it, so the result does not depend on
/// how the bytes are split between calls. The subset: CRLF only; `TOKEN SP /visible-ASCII SP HTTP/1.1`; fields `token
/// ":" OWS value OWS` without control bytes; exactly one non-empty `Host`; at most one `Content-Length` of 1 to 18
/// digits; at most one `Transfer-Encoding`, exactly `chunked`; never both; no tab in the values of these three; no
/// folding. HTTP/1.0 is also accepted, because some proxies and health checks use it. An HTTP/1.0 request without
/// `Content-Length` has no body (RFC 9112 section 6.3) and needs no `Host`. An HTTP/1.0 request is never chunked, never
/// keeps its connection open, and never waits for `100 Continue`.
package struct RequestHeadParser: Sendable {
    package enum Result: Sendable, Equatable {
        /// The head is incomplete. All given bytes were consumed.
        case needMore
        /// The head is complete. The value is its length in bytes; the bytes after it were not examined.
        case complete(Int)
        case refuse(status: Int, reason: String)
    }

    private enum Step {
        case method, target, version, versionEnd, fieldStart, name, beforeValue, value, valueEnd, blankLineEnd, headEnd
    }

    static let carriageReturn: UInt8 = 13
    static let lineFeed: UInt8 = 10
    private static let space: UInt8 = 32
    private static let tab: UInt8 = 9
    private static let longestMethod = 32
    private static let version: StaticString = "HTTP/1."

    private let lineLimit: Int
    private let headLimit: Int
    private let fieldLimit: Int

    private var step = Step.method
    private var position = 0
    private var versionBytes = 0
    private var isVersion10 = false
    private var nameStart = 0
    private var nameEnd = 0
    private var valueStart = 0
    private var valueHasTab = false
    private var fields = 0
    private var hosts = 0

    private(set) var methodEnd = 0
    private(set) var targetEnd = 0
    private(set) var fieldsStart = 0
    private(set) var contentLength: Int?
    private(set) var isChunked = false
    private(set) var expectsContinue = false
    private(set) var hasOtherExpectation = false
    private(set) var hasContentEncoding = false
    private(set) var closes = false

    package init(limits: Limits) {
        lineLimit = limits.requestLineBytes
        headLimit = limits.headBytes
        fieldLimit = limits.headFields
    }

    /// Continues where the previous call ended.
    /// - Parameter head: all bytes of the request so far, including those from earlier calls.
    package mutating func parse(_ head: Span<UInt8>) -> Result {
        while position < head.count {
            let refusal = fieldsStart == 0 ? takeLineByte(head[position]) : takeFieldBytes(head)
            if let refusal { return refusal }
            position += 1
            if step == .headEnd { return complete() }
        }
        return .needMore
    }

    private mutating func complete() -> Result {
        guard hosts == 1 || hosts == 0 && isVersion10 && contentLength == nil,
            !(isChunked && contentLength != nil)
        else { return Self.badFraming }
        if isVersion10 {
            guard !isChunked else { return Self.badFraming }
            closes = true
            expectsContinue = false
        }
        return .complete(position)
    }

    private static let badFraming = Result.refuse(status: 400, reason: "framing")

    // MARK: Request line

    private mutating func takeLineByte(_ byte: UInt8) -> Result? {
        guard position < lineLimit else { return .refuse(status: 414, reason: "uri") }
        switch step {
        case .method:
            if byte == Self.space, position > 0 {
                methodEnd = position
                step = .target
                return nil
            }
            return byte.isHTTPTokenCharacter && position < Self.longestMethod ? nil : Self.badFraming
        case .target:
            if byte == Self.space, position > methodEnd + 1 {
                targetEnd = position
                step = .version
                return nil
            }
            if position == methodEnd + 1, byte != UInt8(ascii: "/") { return Self.badFraming }
            return byte > 32 && byte < 127 ? nil : Self.badFraming
        case .version:
            let prefix = Self.version.utf8CodeUnitCount
            defer { versionBytes += 1 }
            if versionBytes < prefix {
                let expected = Self.version.withUTF8Buffer { $0[versionBytes] }
                return byte == expected ? nil : Self.badFraming
            }
            if versionBytes == prefix {
                isVersion10 = byte == UInt8(ascii: "0")
                return isVersion10 || byte == UInt8(ascii: "1") ? nil : Self.badFraming
            }
            step = .versionEnd
            return byte == Self.carriageReturn ? nil : Self.badFraming
        default:
            guard byte == Self.lineFeed else { return Self.badFraming }
            fieldsStart = position + 1
            step = .fieldStart
            return nil
        }
    }

    // MARK: Header fields

    /// Consumes the byte at `position` and, within a name or value, any following bytes that do not change the parser's
    /// step.
    private mutating func takeFieldBytes(_ head: Span<UInt8>) -> Result? {
        let end = min(head.count, fieldsStart + headLimit)
        guard position < end else { return .refuse(status: 431, reason: "headers") }
        switch step {
        case .fieldStart: return startField(head[position])
        case .name: return takeName(head, end)
        case .beforeValue: return takeBeforeValue(head[position])
        case .value: return takeValue(head, end)
        case .valueEnd:
            guard head[position] == Self.lineFeed else { return Self.badFraming }
            step = .fieldStart
            return endField(head)
        case .blankLineEnd:
            guard head[position] == Self.lineFeed else { return Self.badFraming }
            step = .headEnd
            return nil
        default:
            // Unreachable, because nothing is consumed after the end of the head, and another function handles the
            // request line. If it happens, only this request is refused.
            return Self.badFraming
        }
    }

    private mutating func startField(_ byte: UInt8) -> Result? {
        if byte == Self.carriageReturn {
            step = .blankLineEnd
            return nil
        }
        guard byte.isHTTPTokenCharacter else { return Self.badFraming }
        fields += 1
        guard fields <= fieldLimit else { return .refuse(status: 431, reason: "headers") }
        nameStart = position
        step = .name
        return nil
    }

    private mutating func takeName(_ head: Span<UInt8>, _ end: Int) -> Result? {
        while head[position].isHTTPTokenCharacter {
            guard position + 1 < end else { return nil }
            position += 1
        }
        guard head[position] == UInt8(ascii: ":") else { return Self.badFraming }
        nameEnd = position
        valueStart = position + 1
        valueHasTab = false
        step = .beforeValue
        return nil
    }

    private mutating func takeBeforeValue(_ byte: UInt8) -> Result? {
        if byte == Self.space { return nil }
        return takeValueByte(byte)
    }

    private mutating func takeValue(_ head: Span<UInt8>, _ end: Int) -> Result? {
        while head[position] >= 32, head[position] != 127 {
            guard position + 1 < end else { return nil }
            position += 1
        }
        return takeValueByte(head[position])
    }

    private mutating func takeValueByte(_ byte: UInt8) -> Result? {
        if byte == Self.carriageReturn {
            step = .valueEnd
            return nil
        }
        if byte == Self.tab { valueHasTab = true }
        step = .value
        return (byte >= 32 && byte != 127) || byte == Self.tab ? nil : Self.badFraming
    }

    /// Examines a complete field, which ends with the LF at `position`, if it affects framing or the connection.
    private mutating func endField(_ head: Span<UInt8>) -> Result? {
        let value = Self.trimmed(head, valueStart, position - 1)
        switch nameEnd - nameStart {
        case 4 where nameIs("host", head):
            hosts += 1
            guard hosts == 1, !value.isEmpty, !valueHasTab else { return Self.badFraming }
        case 14 where nameIs("content-length", head):
            guard contentLength == nil, !valueHasTab, let length = Self.decimal(head, value) else {
                return Self.badFraming
            }
            contentLength = length
        case 17 where nameIs("transfer-encoding", head):
            guard !isChunked, !valueHasTab, Self.equals("chunked", head, value) else { return Self.badFraming }
            isChunked = true
        case 16 where nameIs("content-encoding", head):
            if !Self.equals("identity", head, value) { hasContentEncoding = true }
        case 6 where nameIs("expect", head):
            if Self.equals("100-continue", head, value) { expectsContinue = true } else { hasOtherExpectation = true }
        case 10 where nameIs("connection", head):
            if Self.listHolds("close", head, value) { closes = true }
        default:
            break
        }
        return nil
    }

    private func nameIs(_ name: StaticString, _ head: Span<UInt8>) -> Bool {
        Self.equals(name, head, nameStart..<nameEnd)
    }
}

// MARK: - Bytes

extension RequestHeadParser {
    /// Returns the range without leading and trailing spaces and tabs.
    static func trimmed(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Range<Int> {
        var (start, end) = (start, end)
        while start < end, bytes[start] == space || bytes[start] == tab { start += 1 }
        while end > start, bytes[end - 1] == space || bytes[end - 1] == tab { end -= 1 }
        return start..<end
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    static func equals(_ lowercase: StaticString, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count == lowercase.utf8CodeUnitCount else { return false }
        return lowercase.withUTF8Buffer { wanted in
            for i in 0..<wanted.count where lowercased(bytes[range.lowerBound + i]) != wanted[i] { return false }
            return true
        }
    }

    /// Parses 1 to 18 digits, so that the value cannot overflow.
    private static func decimal(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard range.count >= 1, range.count <= 18 else { return nil }
        var value = 0
        for i in range {
            guard bytes[i] >= UInt8(ascii: "0"), bytes[i] <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int(bytes[i] - UInt8(ascii: "0"))
        }
        return value
    }

    /// Whether a comma-separated list contains this element.
    private static func listHolds(_ lowercase: StaticString, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var start = range.lowerBound
        for i in range.lowerBound...range.upperBound where i == range.upperBound || bytes[i] == UInt8(ascii: ",") {
            if equals(lowercase, bytes, trimmed(bytes, start, i)) { return true }
            start = i + 1
        }
        return false
    }
}
