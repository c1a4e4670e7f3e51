internal import AppStoreModel
internal import JSON

/// A JSON value that must match the documentation exactly, with its location. Every error includes the line and the
/// member.
struct RefundInput {
    private let element: JSONElement
    private let name: String
    private let member: String

    private init(_ element: JSONElement, name: String, member: String) {
        self.element = element
        self.name = name
        self.member = member
    }

    /// Parses complete JSON text, which must be an object.
    init(json: [UInt8], name: String, maximumBytes: Int) throws(RefundInputError) {
        do throws(JSONError) {
            element = try JSONDocument.object(json, maximumBytes: maximumBytes, maximumDepth: 8).root
        } catch {
            let message =
                error.code == .notAnObject ? "expected an object" : "is not JSON: \(error.code.rawValue)"
            throw RefundInputError(
                name: name, line: Self.line(of: error.offset, in: json), member: "", message: message)
        }
        self.name = name
        member = ""
    }

    /// Returns the value as compact JSON, without one member.
    func json(without member: String) -> [UInt8] {
        var object = JSONObject(element)
        object[member] = nil
        return JSONValue.object(object).json
    }

    func error(_ message: String) -> RefundInputError {
        RefundInputError(
            name: name, line: Self.line(of: element.range.lowerBound, in: element.document.bytes), member: member,
            message: message)
    }

    private static func line(of offset: Int, in bytes: [UInt8]) -> Int {
        1 + bytes.prefix(max(0, offset)).count { $0 == UInt8(ascii: "\n") }
    }

    // MARK: Containers

    /// Returns the members of the object. Unknown names are an error.
    func members(_ known: [String]) throws(RefundInputError) -> [String: RefundInput] {
        guard element.kind == .object else { throw error("expected an object") }
        var members: [String: RefundInput] = [:]
        for found in element.members {
            let value = RefundInput(
                found.value, name: name, member: member.isEmpty ? found.name : "\(member).\(found.name)")
            guard known.contains(found.name) else {
                var quoted: [UInt8] = []
                JSONBytes.append(visible: found.name, limit: 64, to: &quoted)
                let place = RefundInput(found.value, name: name, member: member)
                throw place.error(
                    "unknown member \(String(decoding: quoted, as: UTF8.self)); allowed are "
                        + known.joined(separator: ", "))
            }
            members[found.name] = value
        }
        return members
    }

    /// Returns the members with the given names, and the names of up to eight others, made printable.
    func knownMembers(
        _ known: [String]
    ) throws(RefundInputError) -> (members: [String: RefundInput], unknown: [String]) {
        guard element.kind == .object else { throw error("expected an object") }
        var members: [String: RefundInput] = [:]
        var unknown: [String] = []
        for found in element.members {
            guard known.contains(found.name) else {
                guard unknown.count < 8 else { continue }
                var quoted: [UInt8] = []
                JSONBytes.append(visible: found.name, limit: 64, to: &quoted)
                unknown.append(String(decoding: quoted, as: UTF8.self))
                continue
            }
            members[found.name] = RefundInput(
                found.value, name: name, member: member.isEmpty ? found.name : "\(member).\(found.name)")
        }
        return (members, unknown)
    }

    /// Returns the elements of an array, which must have from one to `limit` elements.
    func elements(atMost limit: Int, of expected: String) throws(RefundInputError) -> [RefundInput] {
        let elements = element.elements
        guard element.kind == .array, !elements.isEmpty, elements.count <= limit else {
            throw error("expected a list of 1 to \(limit) \(expected)")
        }
        return elements.enumerated().map { RefundInput($1, name: name, member: "\(member)[\($0)]") }
    }

    /// Whether the value is an empty array.
    var isEmptyList: Bool { element.kind == .array && element.elements.isEmpty }

    // MARK: Values

    func bool() throws(RefundInputError) -> Bool {
        guard let value = element.bool else { throw error("expected true or false") }
        return value
    }

    /// Parses a time: RFC 3339 text or milliseconds since 1970.
    func instant() throws(RefundInputError) -> AppStoreInstant {
        if let text = element.string {
            if let instant = AppStoreInstant(rfc3339: text) { return instant }
        } else if let instant = element.integer.flatMap(AppStoreInstant.init(millisecondsSince1970:)) {
            return instant
        }
        throw error("expected a time such as \"2026-11-25T12:00:00Z\", or milliseconds since 1970")
    }

    func integer(in range: ClosedRange<Int64>) throws(RefundInputError) -> Int64 {
        guard let value = element.integer, range.contains(value) else {
            throw error("expected a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Parses a string with `read`.
    ///
    /// - Parameter expected: the rest of the error message "expected …".
    func text<Value>(_ expected: String, _ read: (String) -> Value?) throws(RefundInputError) -> Value {
        guard let value = element.string.flatMap(read) else { throw error("expected \(expected)") }
        return value
    }

    /// Parses a raw value of an enum.
    func oneOf<Value: RawRepresentable & CaseIterable>(
        _ type: Value.Type = Value.self
    ) throws(RefundInputError) -> Value where Value.RawValue == String {
        try text("one of " + Value.allCases.map(\.rawValue).joined(separator: ", "), Value.init(rawValue:))
    }
}
