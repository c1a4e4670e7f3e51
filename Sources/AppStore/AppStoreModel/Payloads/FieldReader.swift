/// A field that is not what its documentation says. It reads as absent; the rest of the payload is unharmed.
public struct FieldProblem: Hashable, Sendable, CustomStringConvertible {
    public enum Expectation: String, Sendable {
        case string
        case bool
        /// A whole number within 32 bits.
        case int32
        /// A whole number within 64 bits.
        case int64
        /// Milliseconds since 1970 within ``AppStoreInstant``.
        case date
        case array
        case object
    }

    /// Names from the payload's root, joined by dots; elements of arrays by index.
    public let path: String
    public let expected: Expectation

    public var description: String { "\(path): not a valid \(expected.rawValue)" }
}

/// An object of Apple's payloads.
protocol PayloadObject: Hashable, Sendable {
    init(reading fields: inout FieldReader)
}

/// Reads the fields of one object, remembers which were asked for, and what was wrong with them.
package struct FieldReader {
    private let document: JSONDocument
    private let path: String
    /// Node indexes of the members' names.
    private var names: [Int] = []
    private var isRead: [Bool]
    private var next = 0
    package private(set) var problems: [FieldProblem] = []

    package init(_ element: JSONElement, path: String = "") {
        document = element.document
        self.path = path
        if element.kind == .object {
            names.reserveCapacity(48)
            let end = Int(document.nodes[element.index].next)
            var name = element.index + 1
            while name < end {
                names.append(name)
                name = Int(document.nodes[name + 1].next)
            }
        }
        isRead = Array(repeating: false, count: names.count)
    }

    /// The members that no field was read from, as they came.
    package var unknownFields: JSONObject {
        var object = JSONObject()
        for (position, name) in names.enumerated() where !isRead[position] {
            let member = JSONElement.Member(
                nameIndex: name, value: JSONElement(document: document, index: name + 1))
            object[member.name] = JSONValue(member.value)
        }
        return object
    }

    package mutating func string(_ name: StaticString) -> String? { read(name, .string) { $0.string } }

    package mutating func identifier<Identifier: AppStoreIdentifier>(_ name: StaticString) -> Identifier? {
        read(name, .string) { $0.string }.map { Identifier($0) }
    }

    package mutating func enumeration<Value: OpenEnumeration>(_ name: StaticString) -> Value?
    where Value.RawValue == String {
        read(name, .string) { $0.string }.map { Value($0) }
    }

    package mutating func enumeration<Value: OpenEnumeration>(_ name: StaticString) -> Value?
    where Value.RawValue == Int32 {
        int32(name).map { Value($0) }
    }

    package mutating func bool(_ name: StaticString) -> Bool? { read(name, .bool) { $0.bool } }

    package mutating func int32(_ name: StaticString) -> Int32? {
        read(name, .int32) { $0.integer.flatMap { Int32(exactly: $0) } }
    }

    package mutating func int64(_ name: StaticString) -> Int64? { read(name, .int64) { $0.integer } }

    mutating func appAppleId(_ name: StaticString) -> AppAppleId? { int64(name).map { AppAppleId($0) } }

    package mutating func instant(_ name: StaticString) -> AppStoreInstant? {
        read(name, .date) { $0.flooredInteger.flatMap(AppStoreInstant.init(millisecondsSince1970:)) }
    }

    /// Elements of another type than text are reported and left out.
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

    /// An object to be read with a reader of its own.
    package mutating func object(_ name: StaticString) -> JSONElement? {
        read(name, .object) { $0.kind == .object ? $0 : nil }
    }

    /// The objects of an array; elements of other kinds are left out.
    package mutating func objects(_ name: StaticString) -> [JSONElement] {
        read(name, .array) { $0.kind == .array ? $0.elements.filter { $0.kind == .object } : nil } ?? []
    }

    mutating func object<Object: PayloadObject>(_ name: StaticString) -> Object? {
        guard let element = read(name, .object, { $0.kind == .object ? $0 : nil }) else { return nil }
        return object(element, path: "\(path)\(name).")
    }

    /// Elements of another type than object are reported and left out.
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

    /// `null` reads as absent.
    private mutating func read<Value>(
        _ name: StaticString, _ expected: FieldProblem.Expectation, _ convert: (JSONElement) -> Value?
    ) -> Value? {
        guard let element = find(name), !element.isNull else { return nil }
        if let value = convert(element) { return value }
        problems.append(FieldProblem(path: "\(path)\(name)", expected: expected))
        return nil
    }

    /// Starts where the last search ended, since fields mostly come in a constant order.
    private mutating func find(_ name: StaticString) -> JSONElement? {
        let document = document
        let input = document.bytes.span
        for step in 0..<names.count {
            let position = next + step < names.count ? next + step : next + step - names.count
            if JSONNames.isEqual(document.nodes[names[position]], to: name, input) {
                isRead[position] = true
                next = position + 1
                return JSONElement(document: document, index: names[position] + 1)
            }
        }
        return nil
    }
}
