internal import Primitives

/// The W3C Trace Context `traceparent` header, which identifies a span as the parent of spans in other processes.
/// Source: https://www.w3.org/TR/trace-context/#traceparent-header.
public struct TraceParent: Sendable, Equatable, CustomStringConvertible {
    /// The first 8 bytes of the trace id.
    package let traceIdHigh: UInt64
    /// The last 8 bytes of the trace id. The trace id is not zero.
    package let traceIdLow: UInt64
    /// The span id, not zero.
    package let spanId: UInt64
    /// The flags as received. Bit 0 means that the trace is recorded.
    public let flags: UInt8

    package init(traceIdHigh: UInt64, traceIdLow: UInt64, spanId: UInt64, flags: UInt8) {
        self.traceIdHigh = traceIdHigh
        self.traceIdLow = traceIdLow
        self.spanId = spanId
        self.flags = flags
    }

    /// The trace id: 32 lower-case hexadecimal digits, not all zero.
    public var traceId: String { HexadecimalWord.text(traceIdHigh) + HexadecimalWord.text(traceIdLow) }

    /// The caller's span id: 16 lower-case hexadecimal digits, not all zero.
    public var parentId: String { HexadecimalWord.text(spanId) }

    /// Whether the caller records the trace.
    package var isSampled: Bool { flags & 1 == 1 }

    /// Parses the header's value. A later version is parsed like version 00, as the specification requires.
    ///
    /// - Returns: the value, or nil if the text is invalid. Start a new trace in that case.
    public static func parse(_ text: some StringProtocol) -> TraceParent? {
        parse(bytes: Array(text.utf8.prefix(maximumBytes + 1)))
    }

    /// Parses the header's value in the same way as ``parse(_:)``.
    package static func parse(bytes: [UInt8]) -> TraceParent? {
        guard bytes.count >= 55, bytes.count <= maximumBytes else { return nil }
        guard bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = word(bytes[0..<2]), version != 0xFF, let flags = word(bytes[53..<55])
        else { return nil }
        if version == 0 { guard bytes.count == 55 else { return nil } }
        if bytes.count > 55 { guard bytes[55] == dash else { return nil } }
        guard let high = word(bytes[3..<19]), let low = word(bytes[19..<35]), high | low != 0,
            let span = word(bytes[36..<52]), span != 0
        else { return nil }
        return TraceParent(traceIdHigh: high, traceIdLow: low, spanId: span, flags: UInt8(truncatingIfNeeded: flags))
    }

    /// Creates a trace with the recorded flag unset.
    public static func random() -> TraceParent {
        TraceParent(
            traceIdHigh: .random(in: 1 ... .max), traceIdLow: .random(in: 1 ... .max), spanId: newId(), flags: 0)
    }

    /// Returns the same trace with a new span.
    public func child() -> TraceParent {
        // Version 00 defines only the flags "sampled" and "random trace id".
        TraceParent(traceIdHigh: traceIdHigh, traceIdLow: traceIdLow, spanId: Self.newId(), flags: flags & 0b11)
    }

    /// The header's value in version 00.
    public var text: String {
        String(unsafeUninitializedCapacity: 55) { digits in
            _ = digits.initialize(fromContentsOf: "00-00000000000000000000000000000000-0000000000000000-00".utf8)
            HexadecimalWord.write(traceIdHigh, to: digits, at: 3, digits: 16)
            HexadecimalWord.write(traceIdLow, to: digits, at: 19, digits: 16)
            HexadecimalWord.write(spanId, to: digits, at: 36, digits: 16)
            HexadecimalWord.write(UInt64(flags), to: digits, at: 53, digits: 2)
            return 55
        }
    }

    public var description: String { text }

    private static let maximumBytes = 256
    private static let dash = UInt8(ascii: "-")

    private static func newId() -> UInt64 { .random(in: 1 ... .max) }

    /// Returns the value of at most 16 lower-case hexadecimal digits, or nil if `digits` contains any other byte.
    private static func word(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var word: UInt64 = 0
        for digit in digits {
            // Upper-case digits are invalid.
            guard let value = digit.hexadecimalValue, digit & 0xE0 != 0x40 else { return nil }
            word = word << 4 | UInt64(value)
        }
        return word
    }
}
