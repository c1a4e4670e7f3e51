internal import Primitives

/// The `traceparent` header of W3C Trace Context (https://www.w3.org/TR/trace-context/#traceparent-header).
public struct TraceParent: Sendable, Equatable, CustomStringConvertible {
    /// The trace id: 32 lower-case hexadecimal digits, not all zero.
    public let traceId: String
    /// The caller's span: 16 lower-case hexadecimal digits, not all zero.
    public let parentId: String
    /// The flags as received. Bit 0 means that the trace is recorded.
    public let flags: UInt8

    /// Parses the header's value. A later version is parsed like version 00, as the specification requires.
    ///
    /// - Returns: the value, or nil if the text is invalid. Start a new trace in that case.
    public static func parse(_ text: some StringProtocol) -> TraceParent? {
        let bytes = Array(text.utf8.prefix(257))
        guard bytes.count >= 55, bytes.count <= 256 else { return nil }
        guard bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = byte(bytes[0], bytes[1]), version != 0xFF, let flags = byte(bytes[53], bytes[54])
        else { return nil }
        if version == 0 { guard bytes.count == 55 else { return nil } }
        if bytes.count > 55 { guard bytes[55] == dash else { return nil } }
        guard let traceId = identifier(bytes[3..<35]), let parentId = identifier(bytes[36..<52]) else { return nil }
        return TraceParent(traceId: traceId, parentId: parentId, flags: flags)
    }

    /// Creates a trace with the recorded flag unset.
    public static func random() -> TraceParent {
        TraceParent(traceId: randomIdentifier(words: 2), parentId: randomIdentifier(words: 1), flags: 0)
    }

    /// Returns the same trace with a new span.
    public func child() -> TraceParent {
        // Version 00 defines only the flags "sampled" and "random trace id".
        TraceParent(traceId: traceId, parentId: Self.randomIdentifier(words: 1), flags: flags & 0b11)
    }

    /// The header's value in version 00.
    public var text: String {
        "00-\(traceId)-\(parentId)-" + (flags < 16 ? "0" : "") + String(flags, radix: 16)
    }

    public var description: String { text }

    private static let dash = UInt8(ascii: "-")

    /// Returns the value of a lower-case hexadecimal digit, or nil.
    private static func nibble(_ byte: UInt8) -> UInt8? {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "F") ? nil : byte.hexadecimalValue
    }

    private static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = nibble(high), let low = nibble(low) else { return nil }
        return high << 4 | low
    }

    private static func identifier(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.allSatisfy({ nibble($0) != nil }), bytes.contains(where: { $0 != UInt8(ascii: "0") }) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func randomIdentifier(words: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        var text = ""
        for _ in 0..<words {
            // An identifier must not be zero.
            let digits = String(UInt64.random(in: 1...UInt64.max, using: &generator), radix: 16)
            text += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return text
    }
}
