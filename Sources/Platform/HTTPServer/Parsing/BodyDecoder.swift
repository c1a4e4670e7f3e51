internal import Primitives

/// Decodes one request body, of known length or chunked, without I/O. Reports an error at the byte that causes it.
///
/// Only a subset of chunked coding is accepted: a chunk size is 1 to 8 hexadecimal digits and CRLF, without extensions.
/// Trailers are refused.
package struct BodyDecoder: Sendable {
    package enum Result: Sendable, Equatable {
        /// The body is incomplete. All given bytes were consumed.
        case needMore
        /// The body is complete. The value is the number of given bytes that belong to the body.
        case complete(Int)
        case refuse(status: Int, reason: String)
    }

    private enum Step { case size, sizeEnd, data, dataEnd, dataEndLine, lastEnd, lastEndLine, done }

    private let limit: Int
    private let isChunked: Bool
    private var step: Step
    private var sizeDigits = 0
    /// The number of remaining bytes in the body or the current chunk.
    private(set) var left: Int

    /// Creates a decoder for a body of exactly `length` bytes.
    package init(length: Int) {
        limit = length
        isChunked = false
        left = length
        step = length == 0 ? .done : .data
    }

    /// Creates a decoder for a chunked body of at most `limit` bytes.
    package init(chunkedLimit limit: Int) {
        self.limit = limit
        isChunked = true
        left = 0
        step = .size
    }

    var hasKnownLength: Bool { !isChunked }

    /// Decodes bytes and appends their content to `body`, which contains the content from earlier calls.
    package mutating func decode(_ bytes: Span<UInt8>, into body: inout [UInt8]) -> Result {
        var position = 0
        while position < bytes.count, step != .done {
            if step == .data {
                let count = min(left, bytes.count - position)
                bytes.extracting(position..<(position + count)).withUnsafeBufferPointer { body.appendWiping($0) }
                position += count
                took(count)
            } else {
                if let refusal = takeFraming(bytes[position], bodyBytes: body.count) { return refusal }
                position += 1
            }
        }
        return step == .done ? .complete(position) : .needMore
    }

    /// Accounts for `count` body bytes. If the caller wrote them directly, bypassing this decoder, the body's length
    /// must be known.
    mutating func took(_ count: Int) {
        left -= count
        if left == 0 { step = isChunked ? .dataEnd : .done }
    }

    private static let badFraming = Result.refuse(status: 400, reason: "framing")

    private mutating func takeFraming(_ byte: UInt8, bodyBytes: Int) -> Result? {
        switch step {
        case .size:
            if byte == RequestHeadParser.carriageReturn, sizeDigits > 0 {
                step = .sizeEnd
                return nil
            }
            guard let digit = byte.hexadecimalValue, sizeDigits < 8 else { return Self.badFraming }
            sizeDigits += 1
            left = left << 4 | Int(digit)
        case .sizeEnd:
            guard byte == RequestHeadParser.lineFeed else { return Self.badFraming }
            guard left <= limit - bodyBytes else { return .refuse(status: 413, reason: "too_large") }
            step = left == 0 ? .lastEnd : .data
            sizeDigits = 0
        case .dataEnd, .lastEnd:
            guard byte == RequestHeadParser.carriageReturn else { return Self.badFraming }
            step = step == .dataEnd ? .dataEndLine : .lastEndLine
        case .dataEndLine, .lastEndLine:
            guard byte == RequestHeadParser.lineFeed else { return Self.badFraming }
            step = step == .dataEndLine ? .size : .done
        case .data, .done:
            // Unreachable, because `decode` processes data itself and stops at the end. If it happens, only this
            // request is refused.
            return Self.badFraming
        }
        return nil
    }
}
