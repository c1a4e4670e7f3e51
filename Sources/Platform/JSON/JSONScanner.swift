internal import Primitives

/// A scanner that validates one JSON text (RFC 8259) and records the position of each value.
///
/// The scanner is strict: it requires valid UTF-8 and rejects byte order marks, control bytes in strings, lone
/// surrogates, duplicate names in an object, and text after the value. It is bounded: nesting uses a stack of limited
/// depth instead of recursion, and the index takes at most eight times the space of the text.
struct JSONScanner {
    private(set) var nodes: [JSONNode] = []
    private var position = 0
    /// Indexes of the open containers, outermost first.
    private var open: [UInt32] = []

    private enum Expectation {
        case value, name, afterValue
    }

    private let maximumDepth: Int
    private let maximumMembers: Int
    /// The number of names still allowed.
    private var namesLeft: Int
    /// The number of array elements still allowed.
    private var elementsLeft: Int

    private init(_ limits: JSONLimits) {
        maximumDepth = limits.depth
        maximumMembers = limits.members
        namesLeft = limits.names
        elementsLeft = limits.elements
    }

    static func scan(_ bytes: [UInt8], _ limits: JSONLimits) throws(JSONError) -> [JSONNode] {
        guard bytes.count <= min(limits.bytes, JSONDocument.greatestMaximumBytes) else {
            throw JSONError(.tooLong, at: bytes.count)
        }
        var scanner = JSONScanner(limits)
        // Enough for any payload in a notification, and small enough (at most 1032 bytes) for malloc's per-thread
        // cache; a larger block would make malloc consolidate freed memory. The array grows for a notification record,
        // which has about a hundred nodes.
        scanner.nodes.reserveCapacity(60)
        scanner.open.reserveCapacity(JSONDocument.defaultMaximumDepth)
        try scanner.scanText(bytes.span)
        return scanner.nodes
    }

    private mutating func scanText(_ input: Span<UInt8>) throws(JSONError) {
        if input.count >= 3, input[0] == 0xEF, input[1] == 0xBB, input[2] == 0xBF {
            throw JSONError(.byteOrderMark, at: 0)
        }
        skipWhiteSpace(input)
        if position == input.count { throw JSONError(.empty, at: position) }
        var expectation = Expectation.value
        while true {
            switch expectation {
            case .value:
                expectation = try scanValue(input)
            case .name:
                try scanName(input)
                expectation = .value
            case .afterValue:
                skipWhiteSpace(input)
                guard let container = open.last else {
                    if position < input.count { throw JSONError(.trailingBytes, at: position) }
                    return
                }
                expectation = try scanSeparator(input, in: Int(container))
            }
        }
    }

    /// Scans a complete scalar, an empty container, or the start of any other container.
    private mutating func scanValue(_ input: Span<UInt8>) throws(JSONError) -> Expectation {
        skipWhiteSpace(input)
        switch try byte(input) {
        case UInt8(ascii: "\""):
            try scanString(input)
        case UInt8(ascii: "{"):
            return try openContainer(.object, closing: UInt8(ascii: "}"), input)
        case UInt8(ascii: "["):
            return try openContainer(.array, closing: UInt8(ascii: "]"), input)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try scanNumber(input)
        case UInt8(ascii: "t"):
            try scanWord("true", .bool, input)
        case UInt8(ascii: "f"):
            try scanWord("false", .bool, input)
        case UInt8(ascii: "n"):
            try scanWord("null", .null, input)
        default:
            throw JSONError(.syntax, at: position)
        }
        return .afterValue
    }

    private mutating func openContainer(
        _ kind: JSONNode.Kind, closing: UInt8, _ input: Span<UInt8>
    ) throws(JSONError) -> Expectation {
        guard open.count < maximumDepth else { throw JSONError(.tooDeep, at: position) }
        let index = nodes.count
        append(kind, from: position, to: position)
        position += 1
        skipWhiteSpace(input)
        if try byte(input) == closing {
            position += 1
            nodes[index].end = UInt32(truncatingIfNeeded: position)
            return .afterValue
        }
        open.append(UInt32(truncatingIfNeeded: index))
        guard kind == .array else { return .name }
        try countElement()
        return .value
    }

    private mutating func scanSeparator(
        _ input: Span<UInt8>, in container: Int
    ) throws(JSONError) -> Expectation {
        let isObject = nodes[container].kind == .object
        switch try byte(input) {
        case UInt8(ascii: ","):
            position += 1
            if isObject { return .name }
            try countElement()
            return .value
        case isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"):
            position += 1
            open.removeLast()
            nodes[container].end = UInt32(truncatingIfNeeded: position)
            nodes[container].next = UInt32(truncatingIfNeeded: nodes.count)
            if isObject {
                try JSONNames.refuseDuplicates(in: nodes, object: container, atMost: maximumMembers, input)
            }
            return .afterValue
        default:
            throw JSONError(.syntax, at: position)
        }
    }

    private mutating func countElement() throws(JSONError) {
        guard elementsLeft > 0 else { throw JSONError(.tooManyElements, at: position) }
        elementsLeft -= 1
    }

    private mutating func scanName(_ input: Span<UInt8>) throws(JSONError) {
        guard namesLeft > 0 else { throw JSONError(.tooManyNames, at: position) }
        namesLeft -= 1
        skipWhiteSpace(input)
        guard try byte(input) == UInt8(ascii: "\"") else { throw JSONError(.syntax, at: position) }
        try scanString(input)
        skipWhiteSpace(input)
        guard try byte(input) == UInt8(ascii: ":") else { throw JSONError(.syntax, at: position) }
        position += 1
    }

    private mutating func scanWord(
        _ word: StaticString, _ kind: JSONNode.Kind, _ input: Span<UInt8>
    ) throws(JSONError) {
        let start = position
        for index in 0..<word.utf8CodeUnitCount {
            guard try byte(input) == word.utf8Start[index] else { throw JSONError(.syntax, at: position) }
            position += 1
        }
        append(kind, from: start, to: position)
    }

    // MARK: Numbers

    private mutating func scanNumber(_ input: Span<UInt8>) throws(JSONError) {
        let start = position
        if input[position] == UInt8(ascii: "-") { position += 1 }
        if try byte(input) == UInt8(ascii: "0") {
            position += 1
        } else {
            try scanDigits(input)
        }
        if position < input.count, input[position] == UInt8(ascii: ".") {
            position += 1
            try scanDigits(input)
        }
        if position < input.count, input[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            let sign = try byte(input)
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            try scanDigits(input)
        }
        append(.number, from: start, to: position)
    }

    /// Scans at least one digit.
    private mutating func scanDigits(_ input: Span<UInt8>) throws(JSONError) {
        guard isDigit(try byte(input)) else { throw JSONError(.syntax, at: position) }
        while position < input.count, isDigit(input[position]) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    // MARK: Strings

    private mutating func scanString(_ input: Span<UInt8>) throws(JSONError) {
        let start = position + 1
        var hasEscapes = false
        position = start
        while true {
            position = JSONBytes.firstSpecial(in: input, from: position)
            let special = try byte(input)
            if special == UInt8(ascii: "\"") {
                break
            } else if special == UInt8(ascii: "\\") {
                hasEscapes = true
                try scanEscape(input)
            } else if special < 0x20 {
                throw JSONError(.controlCharacter, at: position)
            } else {
                guard let length = JSONBytes.utf8SequenceLength(in: input, at: position) else {
                    throw JSONError(.invalidUTF8, at: position)
                }
                position += length
            }
        }
        append(
            .string, from: start, to: position, hasEscapes: hasEscapes,
            fingerprint: JSONBytes.fingerprint(input, from: start, to: position))
        position += 1
    }

    private mutating func scanEscape(_ input: Span<UInt8>) throws(JSONError) {
        let start = position
        position += 1
        switch try byte(input) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            let unit = try scanCodeUnit(input)
            if unit & 0xFC00 == 0xDC00 { throw JSONError(.loneSurrogate, at: start) }
            guard unit & 0xFC00 == 0xD800 else { return }
            guard position + 1 < input.count, input[position] == UInt8(ascii: "\\"),
                input[position + 1] == UInt8(ascii: "u")
            else { throw JSONError(.loneSurrogate, at: start) }
            position += 1
            if try scanCodeUnit(input) & 0xFC00 != 0xDC00 { throw JSONError(.loneSurrogate, at: start) }
        default:
            throw JSONError(.invalidEscape, at: start)
        }
    }

    /// Scans `uXXXX`.
    private mutating func scanCodeUnit(_ input: Span<UInt8>) throws(JSONError) -> UInt32 {
        position += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = try byte(input).hexadecimalValue else {
                throw JSONError(.invalidEscape, at: position)
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    // MARK: Nodes and bytes

    private mutating func append(
        _ kind: JSONNode.Kind, from start: Int, to end: Int, hasEscapes: Bool = false, fingerprint: UInt16 = 0
    ) {
        // Offsets fit in 32 bits, because the text has at most `greatestMaximumBytes` bytes.
        nodes.append(
            JSONNode(
                start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: nodes.count + 1), fingerprint: fingerprint, kind: kind,
                hasEscapes: hasEscapes))
    }

    private func byte(_ input: Span<UInt8>) throws(JSONError) -> UInt8 {
        guard position < input.count else { throw JSONError(.unexpectedEnd, at: position) }
        return input[position]
    }

    private mutating func skipWhiteSpace(_ input: Span<UInt8>) {
        while position < input.count {
            let byte = input[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }
}
