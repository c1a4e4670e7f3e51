internal import JSON

/// Adds members from optional values. A nil value adds nothing.
extension JSONObject {
    mutating func put(_ name: String, _ value: String?) { self[name] = value.map { .string($0) } }

    mutating func put(_ name: String, _ value: Int64?) { self[name] = value.map { .integer($0) } }

    mutating func put(_ name: String, _ value: Bool?) { self[name] = value.map { .bool($0) } }

    mutating func put(_ name: String, _ value: JSONObject?) { self[name] = value.map { .object($0) } }

    mutating func put(_ name: String, _ values: [JSONObject]) { self[name] = .array(values.map { .object($0) }) }

    mutating func put(_ name: String, _ values: [String]?) {
        self[name] = values.map { .array($0.map { .string($0) }) }
    }

    /// The object as compact JSON.
    var bytes: [UInt8] { JSONValue.object(self).json }

    /// The object as compact JSON text.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
