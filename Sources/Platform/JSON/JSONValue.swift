/// A JSON value as a tree, for code outside hot paths. It preserves the text of numbers and the order of members.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// Copies a scanned value. The recursion is bounded, because the scanner limits the nesting depth.
    public init(_ element: JSONElement) {
        switch element.kind {
        case .null: self = .null
        case .bool: self = .bool(element.bool == true)
        case .number: self = element.number.map { .number($0) } ?? .null
        case .string: self = .string(element.string ?? "")
        case .array: self = .array(element.elements.map { JSONValue($0) })
        case .object: self = .object(JSONObject(element))
        }
    }

    /// Parses text as strictly as ``JSONDocument``.
    public init(json: [UInt8]) throws(JSONError) { self.init(try JSONDocument(json).root) }

    public static func integer(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }

    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }
    /// The value as an `Int64`, or nil if it is not a whole number or does not fit.
    public var integer: Int64? { number?.exactInteger }
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The value as compact JSON text.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}

/// A JSON object that preserves the order of its members. Names are unique.
public struct JSONObject: Hashable, Sendable {
    public struct Member: Hashable, Sendable {
        public let name: String
        public let value: JSONValue
    }

    public private(set) var members: [Member] = []

    public init() {}

    /// Copies the members of a scanned object; empty if the element is not an object.
    public init(_ element: JSONElement) {
        members = element.members.map { Member(name: $0.name, value: JSONValue($0.value)) }
    }

    public var isEmpty: Bool { members.isEmpty }
    public var names: [String] { members.map(\.name) }

    /// The value of the member with this name. Setting a value replaces the existing one in place or appends a member;
    /// setting nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index] = Member(name: name, value: value)
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }

    /// Creates an object from members. The last value of a repeated name applies.
    init(_ elements: [(String, JSONValue)]) {
        for (name, value) in elements { self[name] = value }
    }
}

extension JSONObject {
    /// Returns the members of both objects, sorted by name. If values with the same name differ, the value with the
    /// greater text is used, so the operation is associative, commutative and idempotent.
    package func union(_ other: JSONObject) -> JSONObject {
        var values: [String: JSONValue] = [:]
        for member in members + other.members {
            if let known = values[member.name], !known.json.lexicographicallyPrecedes(member.value.json) { continue }
            values[member.name] = member.value
        }
        var union = JSONObject()
        union.members = values.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: $0.value) }
        return union
    }
}
