package import JSON

/// A field that differs from Apple's documentation. It is treated as absent and does not affect the rest of the
/// payload.
public struct FieldProblem: Hashable, Sendable, CustomStringConvertible {
    public enum Expectation: String, Sendable {
        case string
        case bool
        /// A whole number that fits in 32 bits.
        case int32
        /// A whole number that fits in 64 bits.
        case int64
        /// Milliseconds since 1970 within the range of ``AppStoreInstant``.
        case date
        case array
        case object
    }

    /// The member names from the root of the payload to the field, joined by dots. Array elements are identified by
    /// their index.
    public let path: String
    public let expected: Expectation

    public var description: String { "\(path): not a valid \(expected.rawValue)" }
}

/// An object in Apple's payloads.
protocol PayloadObject: Hashable, Sendable {
    init(reading fields: inout FieldReader)
}

/// Reads the fields of one object and tracks which members were read and which were malformed.
package struct FieldReader {
    private let document: JSONDocument
    private let path: String
    /// The node index of the first member's name; `end` is the index after the last member.
    private let first: Int
    private let end: Int
    /// A bit set with one bit per member name, selected by the name's fingerprint. If the bit for a name is clear, the
    /// field is absent and no search is needed.
    private let present: UInt64
    /// The node index and the number of the member after the last match, where the next search starts.
    private var next: Int
    private var nextNumber = 0
    /// The numbers of the members read so far: those below 64 as bits in `found`, all others in `further`.
    private var found: UInt64 = 0
    private var further: Set<Int> = []
    package private(set) var problems: [FieldProblem] = []

    package init(_ element: JSONElement, path: String = "") {
        document = element.document
        self.path = path
        first = element.index + 1
        let node = document.nodes[element.index]
        end = node.kind == .object ? Int(node.next) : first
        next = first
        var present: UInt64 = 0
        var name = first
        while name < end {
            // The fingerprint covers the encoded bytes of a name. A name with escapes may denote any field, so all bits
            // are set.
            let isPlain = !document.nodes[name].hasEscapes
            present |= isPlain ? Self.bit(of: document.nodes[name].fingerprint) : .max
            name = Int(document.nodes[name + 1].next)
        }
        self.present = present
    }

    /// The members that were not read as fields, as received.
    package var unknownFields: JSONObject {
        var object = JSONObject()
        var name = first
        var number = 0
        while name < end {
            if !isFound(number) {
                let member = JSONElement.Member(
                    nameIndex: name, value: JSONElement(document: document, index: name + 1))
                object[member.name] = JSONValue(member.value)
            }
            name = Int(document.nodes[name + 1].next)
            number += 1
        }
        return object
    }

    package mutating func string(_ name: StaticString) -> String? {
        guard let value = find(name) else { return nil }
        guard document.nodes[value].kind == .string else { return wrong(name, value, .string) }
        return document.text(of: value)
    }

    /// Reads the UTF-8 bytes of a string.
    package mutating func textBytes(_ name: StaticString) -> ArraySlice<UInt8>? {
        guard let value = find(name) else { return nil }
        guard document.nodes[value].kind == .string else { return wrong(name, value, .string) }
        return document.textBytes(of: value)
    }

    @inlinable
    package mutating func identifier<Identifier: AppStoreIdentifier>(_ name: StaticString) -> Identifier? {
        guard let text = string(name) else { return nil }
        return Identifier(rawValue: text)
    }

    @inlinable
    package mutating func enumeration<Value: OpenEnumeration>(_ name: StaticString) -> Value?
    where Value.RawValue == String {
        guard let text = string(name) else { return nil }
        return Value(rawValue: text)
    }

    @inlinable
    package mutating func enumeration<Value: OpenEnumeration>(_ name: StaticString) -> Value?
    where Value.RawValue == Int32 {
        guard let number = int32(name) else { return nil }
        return Value(rawValue: number)
    }

    package mutating func bool(_ name: StaticString) -> Bool? {
        guard let value = find(name) else { return nil }
        guard document.nodes[value].kind == .bool else { return wrong(name, value, .bool) }
        return document.bytes[Int(document.nodes[value].start)] == UInt8(ascii: "t")
    }

    package mutating func int32(_ name: StaticString) -> Int32? {
        guard let value = find(name) else { return nil }
        guard let number = document.integer(of: value), let number = Int32(exactly: number) else {
            return wrong(name, value, .int32)
        }
        return number
    }

    package mutating func int64(_ name: StaticString) -> Int64? {
        guard let value = find(name) else { return nil }
        guard let number = document.integer(of: value) else { return wrong(name, value, .int64) }
        return number
    }

    mutating func appAppleId(_ name: StaticString) -> AppAppleId? { int64(name).map { AppAppleId($0) } }

    package mutating func instant(_ name: StaticString) -> AppStoreInstant? {
        guard let value = find(name) else { return nil }
        guard let number = document.flooredInteger(of: value),
            let instant = AppStoreInstant(millisecondsSince1970: number)
        else { return wrong(name, value, .date) }
        return instant
    }

    /// Reads an array of strings. Elements of other types are reported and omitted.
    package mutating func strings(_ name: StaticString) -> [String]? {
        guard let elements = read(name, .array, { $0.kind == .array ? $0.elements : nil }) else { return nil }
        var result: [String] = []
        for (index, element) in elements.enumerated() {
            if let text = element.string {
                result.append(text)
            } else {
                problems.append(FieldProblem(path: "\(path)\(name).\(index)", expected: .string))
            }
        }
        return result
    }

    /// Returns a value for the caller to read, such as an array or a string that should not be copied.
    package mutating func element(_ name: StaticString) -> JSONElement? {
        find(name).map { JSONElement(document: document, index: $0) }
    }

    /// Returns an object for the caller to read with a separate reader.
    package mutating func object(_ name: StaticString) -> JSONElement? {
        read(name, .object) { $0.kind == .object ? $0 : nil }
    }

    /// Returns the objects of an array. Elements of other types are omitted.
    package mutating func objects(_ name: StaticString) -> [JSONElement] {
        read(name, .array) { $0.kind == .array ? $0.elements.filter { $0.kind == .object } : nil } ?? []
    }

    mutating func object<Object: PayloadObject>(_ name: StaticString) -> Object? {
        guard let element = read(name, .object, { $0.kind == .object ? $0 : nil }) else { return nil }
        return object(element, path: "\(path)\(name).")
    }

    /// Reads an array of objects. Elements of other types are reported and omitted.
    mutating func objects<Object: PayloadObject>(_ name: StaticString) -> [Object]? {
        guard let elements = read(name, .array, { $0.kind == .array ? $0.elements : nil }) else { return nil }
        var result: [Object] = []
        for (index, element) in elements.enumerated() {
            if element.kind == .object {
                result.append(object(element, path: "\(path)\(name).\(index)."))
            } else {
                problems.append(FieldProblem(path: "\(path)\(name).\(index)", expected: .object))
            }
        }
        return result
    }

    private mutating func object<Object: PayloadObject>(_ element: JSONElement, path: String) -> Object {
        var fields = FieldReader(element, path: path)
        let object = Object(reading: &fields)
        problems.append(contentsOf: fields.problems)
        return object
    }

    private mutating func read<Value>(
        _ name: StaticString, _ expected: FieldProblem.Expectation, _ convert: (JSONElement) -> Value?
    ) -> Value? {
        guard let index = find(name) else { return nil }
        if let value = convert(JSONElement(document: document, index: index)) { return value }
        return wrong(name, index, expected)
    }

    /// Reports a malformed value and returns nil. `null` is treated as absent and not reported.
    private mutating func wrong<Value>(
        _ name: StaticString, _ value: Int, _ expected: FieldProblem.Expectation
    ) -> Value? {
        if document.nodes[value].kind != .null {
            problems.append(FieldProblem(path: "\(path)\(name)", expected: expected))
        }
        return nil
    }

    private func isFound(_ number: Int) -> Bool {
        number < 64 ? found & 1 << UInt64(number) != 0 : further.contains(number)
    }

    /// Returns the node of a member's value. The search starts after the last match, because Apple usually sends fields
    /// in a fixed order.
    private mutating func find(_ name: StaticString) -> Int? {
        guard let place = place(of: name) else { return nil }
        next = place.following
        nextNumber = place.number + 1
        if place.number < 64 { found |= 1 << UInt64(place.number) } else { further.insert(place.number) }
        return place.name + 1
    }

    private static func bit(of fingerprint: UInt16) -> UInt64 { 1 << UInt64(fingerprint & 63) }

    private func place(of name: StaticString) -> (name: Int, number: Int, following: Int)? {
        guard present & Self.bit(of: JSONBytes.fingerprint(name)) != 0 else { return nil }
        let input = document.bytes.span
        let nodes = document.nodes.span
        var (candidate, number, limit) = (next, nextNumber, end)
        for _ in 0..<2 {
            while candidate < limit {
                let following = Int(nodes[candidate + 1].next)
                if JSONNames.isEqual(nodes[candidate], to: name, input) { return (candidate, number, following) }
                candidate = following
                number += 1
            }
            (candidate, number, limit) = (first, 0, next)
        }
        return nil
    }
}
