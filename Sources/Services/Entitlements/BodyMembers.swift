internal import AppStoreModel
internal import JSON
internal import Records

/// The members of a request body, which is one JSON object. Unknown members are an error.
struct BodyMembers {
    private let object: JSONObject

    /// Maximum length of an unknown member name in an error message.
    private static let longestName = 64

    init(_ body: [UInt8], names: [StaticString]) throws(Refusal) {
        guard let object = (try? JSONValue(json: body))?.object else {
            throw Refusal(
                message: "expected a JSON object with \(names.map(\.description).joined(separator: ", "))")
        }
        try self.init(object, names: names)
    }

    init(_ object: JSONObject, names: [StaticString]) throws(Refusal) {
        let known = names.map(\.description)
        if let name = object.names.first(where: { !known.contains($0) }) {
            throw Refusal(
                message:
                    "\(name.prefix(Self.longestName)): unknown member; known members: \(known.joined(separator: ", "))")
        }
        self.object = object
    }

    subscript(name: StaticString) -> JSONValue? { object[name.description] }

    func text(_ name: StaticString) throws(Refusal) -> String {
        guard let text = try textIfAny(name) else { throw Self.noText(name) }
        return text
    }

    func textIfAny(_ name: StaticString) throws(Refusal) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string, BoundedText.accepts(text) else { throw Self.noText(name) }
        return text
    }

    /// Parses a time: an RFC 3339 string, or milliseconds since 1970 as a number.
    func instantIfAny(_ name: StaticString) throws(Refusal) -> AppStoreInstant? {
        guard let value = self[name] else { return nil }
        let instant =
            value.integer.flatMap { AppStoreInstant(millisecondsSince1970: $0) }
            ?? value.string.flatMap { AppStoreInstant(rfc3339: $0) }
        guard let instant else {
            throw Refusal(
                message: "\(name): expected RFC 3339, such as 2026-11-21T10:00:00Z, or milliseconds since 1970")
        }
        return instant
    }

    private static func noText(_ name: StaticString) -> Refusal {
        Refusal(
            message: "\(name): expected a string of 1 to \(BoundedText.maximumBytes) bytes without control characters")
    }
}
