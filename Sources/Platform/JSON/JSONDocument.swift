/// Text validated as strict JSON, with an index of its values.
///
/// The document keeps the original bytes, and ``JSONElement`` reads values from them on demand.
public struct JSONDocument: Sendable {
    /// The default maximum nesting depth.
    public static let defaultMaximumDepth = 32
    /// The default maximum length of the text in bytes.
    public static let defaultMaximumBytes = 4 << 20
    static let greatestMaximumBytes = 1 << 30
    /// The maximum number of names in text from an untrusted client. Processing a name costs more than its length
    /// suggests.
    public static let maximumUntrustedNames = 1000

    /// The original text.
    public let bytes: [UInt8]
    /// The index of the text's values.
    package let nodes: [JSONNode]

    /// Scans text as strict JSON (RFC 8259). ``JSONError/Code`` lists the reasons for a rejection.
    public init(
        _ bytes: [UInt8], maximumBytes: Int = defaultMaximumBytes, maximumDepth: Int = defaultMaximumDepth,
        maximumNames: Int = .max
    ) throws(JSONError) {
        var limits = JSONLimits()
        (limits.bytes, limits.depth, limits.names) = (maximumBytes, maximumDepth, maximumNames)
        try self.init(bytes, limits: limits)
    }

    /// Scans text as strict JSON (RFC 8259) within the given limits.
    public init(_ bytes: [UInt8], limits: JSONLimits) throws(JSONError) {
        self.nodes = try JSONScanner.scan(bytes, limits)
        self.bytes = bytes
    }

    /// Scans text like ``init(_:maximumBytes:maximumDepth:maximumNames:)`` and requires an object.
    public static func object(
        _ bytes: [UInt8], maximumBytes: Int = defaultMaximumBytes, maximumDepth: Int = defaultMaximumDepth,
        maximumNames: Int = .max
    ) throws(JSONError) -> JSONDocument {
        let document = try JSONDocument(
            bytes, maximumBytes: maximumBytes, maximumDepth: maximumDepth, maximumNames: maximumNames)
        guard document.root.kind == .object else { throw JSONError(.notAnObject, at: 0) }
        return document
    }

    /// Whether any string contains an escape; computed from the index without reading the text.
    public var hasEscapes: Bool { nodes.contains { $0.hasEscapes } }

    /// The outermost value.
    public var root: JSONElement { JSONElement(document: self, index: 0) }
}

/// One value in a ``JSONDocument``.
public struct JSONElement: Sendable {
    public enum Kind: Sendable {
        case null, bool, number, string, array, object
    }

    /// One member of an object.
    public struct Member: Sendable {
        let nameIndex: Int
        public let value: JSONElement

        package init(nameIndex: Int, value: JSONElement) {
            self.nameIndex = nameIndex
            self.value = value
        }

        /// The name, with escapes resolved.
        public var name: String { value.document.text(of: nameIndex) }
    }

    package let document: JSONDocument
    package let index: Int

    /// Creates an element for the value at an index of ``JSONDocument/nodes``.
    package init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    private var node: JSONNode { document.nodes[index] }

    public var kind: Kind {
        switch node.kind {
        case .null: .null
        case .bool: .bool
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    public var isNull: Bool { node.kind == .null }

    /// The range of the value in the document's bytes, including the quotes of a string.
    public var range: Range<Int> {
        node.kind == .string ? document.quotedRange(of: index) : Int(node.start)..<Int(node.end)
    }

    /// The value's original bytes.
    public var bytes: ArraySlice<UInt8> { document.bytes[range] }

    /// The range of a string's text without its quotes, or nil if the string contains escapes or the value is not a
    /// string.
    public var plainTextRange: Range<Int>? {
        node.kind == .string && !node.hasEscapes ? Int(node.start)..<Int(node.end) : nil
    }

    /// The text of a string, with escapes resolved, or nil if the value is not a string.
    public var string: String? { node.kind == .string ? document.text(of: index) : nil }

    /// The UTF-8 text of a string, with escapes resolved, or nil if the value is not a string. Use it for secrets,
    /// which must not be stored in a `String`.
    package var textBytes: [UInt8]? {
        guard node.kind == .string else { return nil }
        return JSONBytes.decoded(document.bytes.span, from: Int(node.start), to: Int(node.end))
    }

    public var bool: Bool? { node.kind == .bool ? document.bytes[Int(node.start)] == UInt8(ascii: "t") : nil }

    /// A number in its original notation, or nil if the value is not a number.
    public var number: JSONNumber? {
        node.kind == .number ? JSONNumber(scanned: document.bytes[Int(node.start)..<Int(node.end)]) : nil
    }

    /// The value as an `Int64`, or nil if it is not a whole number or does not fit.
    public var integer: Int64? { document.integer(of: index) }

    /// The value rounded down to a whole number, or nil if it is not a number or does not fit in an `Int64`.
    public var flooredInteger: Int64? { document.flooredInteger(of: index) }

    /// The value of the member with this name, which may be `null`, or nil if there is no such member or the element is
    /// not an object.
    public subscript(name: StaticString) -> JSONElement? {
        document.member(name, of: index).map { JSONElement(document: document, index: $0) }
    }

    /// The members of an object in text order; empty if the value is not an object.
    public var members: [Member] {
        guard node.kind == .object else { return [] }
        var result: [Member] = []
        var name = index + 1
        while name < Int(node.next) {
            result.append(Member(nameIndex: name, value: JSONElement(document: document, index: name + 1)))
            name = Int(document.nodes[name + 1].next)
        }
        return result
    }

    /// The elements of an array in order; empty if the value is not an array.
    public var elements: [JSONElement] {
        guard node.kind == .array else { return [] }
        var result: [JSONElement] = []
        var child = index + 1
        while child < Int(node.next) {
            result.append(JSONElement(document: document, index: child))
            child = Int(document.nodes[child].next)
        }
        return result
    }
}

extension JSONElement {
    /// Calls `body` with each element of an array in order, or not at all if the value is not an array.
    package func forEachElement(_ body: (JSONElement) -> Void) {
        guard node.kind == .array else { return }
        var child = index + 1
        while child < Int(node.next) {
            body(JSONElement(document: document, index: child))
            child = Int(document.nodes[child].next)
        }
    }

    /// The elements of a two-element array, or nil for any other value.
    package var pair: (first: JSONElement, second: JSONElement)? {
        guard node.kind == .array, index + 1 < Int(node.next) else { return nil }
        let second = Int(document.nodes[index + 1].next)
        guard second < Int(node.next), document.nodes[second].next == node.next else { return nil }
        return (JSONElement(document: document, index: index + 1), JSONElement(document: document, index: second))
    }
}

extension JSONDocument {
    /// Returns the index of a member's value, or nil if there is no such member or `object` is not an object.
    package func member(_ name: StaticString, of object: Int) -> Int? {
        guard nodes[object].kind == .object else { return nil }
        let input = bytes.span
        let end = Int(nodes[object].next)
        var nameIndex = object + 1
        while nameIndex < end {
            if JSONNames.isEqual(nodes[nameIndex], to: name, input) { return nameIndex + 1 }
            nameIndex = Int(nodes[nameIndex + 1].next)
        }
        return nil
    }

    /// Returns a value as an `Int64`, or nil if it is not a whole number or does not fit.
    package func integer(of index: Int) -> Int64? {
        let node = nodes[index]
        guard node.kind == .number else { return nil }
        if let number = JSONBytes.plainInteger(bytes.span, from: Int(node.start), to: Int(node.end)) { return number }
        return JSONDecimal(bytes[Int(node.start)..<Int(node.end)]).exactInteger
    }

    /// Returns the value of a number with at most 18 digits and no sign, fraction or exponent, or nil for any other
    /// value.
    package func plainInteger(of index: Int) -> Int64? {
        let node = nodes[index]
        guard node.kind == .number else { return nil }
        return JSONBytes.plainInteger(bytes.span, from: Int(node.start), to: Int(node.end))
    }

    /// Returns a value rounded down to a whole number, or nil if it is not a number or does not fit in an `Int64`.
    package func flooredInteger(of index: Int) -> Int64? {
        let node = nodes[index]
        guard node.kind == .number else { return nil }
        if let number = JSONBytes.plainInteger(bytes.span, from: Int(node.start), to: Int(node.end)) { return number }
        return JSONDecimal(bytes[Int(node.start)..<Int(node.end)]).flooredInteger
    }

    func quotedRange(of index: Int) -> Range<Int> {
        // A string node covers the text between the quotes, so the quotes are the bytes before and after.
        Int(nodes[index].start) - 1..<Int(nodes[index].end) + 1
    }

    /// Returns the original bytes of a value, including the quotes of a string.
    package func valueBytes(of index: Int) -> ArraySlice<UInt8> {
        let node = nodes[index]
        return bytes[node.kind == .string ? quotedRange(of: index) : Int(node.start)..<Int(node.end)]
    }

    /// Returns the UTF-8 text of a string, with escapes resolved.
    package func textBytes(of index: Int) -> ArraySlice<UInt8> {
        let node = nodes[index]
        guard !node.hasEscapes else {
            return JSONBytes.decoded(bytes.span, from: Int(node.start), to: Int(node.end))[...]
        }
        return bytes[Int(node.start)..<Int(node.end)]
    }

    package func text(of index: Int) -> String {
        let node = nodes[index]
        if node.hasEscapes {
            return String(
                decoding: JSONBytes.decoded(bytes.span, from: Int(node.start), to: Int(node.end)), as: UTF8.self)
        }
        return String(decoding: bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
    }
}
