internal import Primitives

/// The subset of XML in responses from S3-compatible services: elements and text. Attributes are skipped. Everything
/// else is refused, including type and entity declarations, CDATA sections and comments.
package struct XMLElement: Equatable {
    var name: String
    /// The text of this element, without the text of its children.
    var text = ""
    var children: [XMLElement] = []

    /// Returns the first child with this name, or nil if there is none.
    package func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    /// Returns the text of the first child with this name, or nil if there is none.
    package func text(_ name: String) -> String? { child(name)?.text }

    /// Parses a document. Returns nil if it is outside this subset, is not UTF-8, or is nested too deeply.
    package init?(document bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var reader = XMLReader(Array(text.utf8))
        guard let root = reader.document() else { return nil }
        self = root
    }

    init(name: String) { self.name = name }
}

/// Parses depth-first without recursion, and examines each byte once.
private struct XMLReader {
    private static let maximumDepth = 16

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() -> XMLElement? {
        skip(Array("\u{FEFF}".utf8))
        if skip(Array("<?xml".utf8)) {
            guard let end = index(of: "?>") else { return nil }
            position = end + 2
        }
        skipSpace()
        var open: [XMLElement] = []
        while position < bytes.count {
            if bytes[position] != UInt8(ascii: "<") {
                guard !open.isEmpty, let text = text() else { return nil }
                open[open.count - 1].text += text
            } else if skip(Array("</".utf8)) {
                guard let element = open.popLast(), name() == element.name else { return nil }
                skipSpace()
                guard skip([UInt8(ascii: ">")]) else { return nil }
                if open.isEmpty { return end(element) }
                open[open.count - 1].children.append(element)
            } else {
                guard open.count < Self.maximumDepth, let (element, isEmpty) = start() else { return nil }
                if !isEmpty {
                    open.append(element)
                } else if open.isEmpty {
                    return end(element)
                } else {
                    open[open.count - 1].children.append(element)
                }
            }
        }
        return nil
    }

    /// Returns the root if only whitespace follows.
    private mutating func end(_ root: XMLElement) -> XMLElement? {
        skipSpace()
        return position == bytes.count ? root : nil
    }

    private mutating func start() -> (XMLElement, isEmpty: Bool)? {
        guard skip([UInt8(ascii: "<")]), let name = name() else { return nil }
        while true {
            let hadSpace = skipSpace()
            if skip([UInt8(ascii: ">")]) { return (XMLElement(name: name), false) }
            if skip(Array("/>".utf8)) { return (XMLElement(name: name), true) }
            guard hadSpace, attribute() else { return nil }
        }
    }

    private mutating func attribute() -> Bool {
        guard name() != nil else { return false }
        skipSpace()
        guard skip([UInt8(ascii: "=")]) else { return false }
        skipSpace()
        guard position < bytes.count else { return false }
        let quote = bytes[position]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return false }
        guard let end = bytes[(position + 1)...].firstIndex(where: { $0 == quote || $0 == UInt8(ascii: "<") }),
            bytes[end] == quote
        else { return false }
        position = end + 1
        return true
    }

    /// Parses a name and drops its namespace prefix.
    private mutating func name() -> String? {
        let start = position
        while position < bytes.count, Self.isNameByte(bytes[position]) { position += 1 }
        let parts = bytes[start..<position].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }), let last = parts.last else { return nil }
        return String(decoding: last, as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// Parses text up to the next tag.
    private mutating func text() -> String? {
        var result: [UInt8] = []
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") {
            if bytes[position] == UInt8(ascii: "&") {
                guard let character = reference() else { return nil }
                result += Array(String(character).utf8)
            } else {
                result.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func reference() -> Unicode.Scalar? {
        guard let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        position = end + 1
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst(name.hasPrefix("#x") ? 2 : 1)
            guard digits.utf8.allSatisfy({ $0.hexadecimalValue != nil }),
                let number = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10), number > 0
            else { return nil }
            return Unicode.Scalar(number)
        }
    }

    private func index(of text: String) -> Int? {
        let wanted = Array(text.utf8)
        var index = position
        while index + wanted.count <= bytes.count {
            if bytes[index..<(index + wanted.count)].elementsEqual(wanted) { return index }
            index += 1
        }
        return nil
    }

    @discardableResult
    private mutating func skip(_ text: [UInt8]) -> Bool {
        guard bytes[position...].starts(with: text) else { return false }
        position += text.count
        return true
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while position < bytes.count, [9, 10, 13, 32].contains(bytes[position]) { position += 1 }
        return position > start
    }
}
