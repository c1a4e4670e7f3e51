import Foundation
import JSON

@testable import Entitlements

/// Checks responses against the OpenAPI document that the service publishes. The operation must document the status and
/// its header fields, and the body must match the schema. Stricter than the document in one respect: an undocumented
/// member is a problem. Supports the keywords that the document uses and rejects any other.
struct OpenAPIValidator {
    let document: JSONValue

    init(_ text: [UInt8] = PackageResources.entitlements_openapi_json) throws { document = try JSONValue(json: text) }

    /// Returns the problems of a response; empty if it conforms.
    ///
    /// - Parameter header: returns the value of a header field of the response.
    func problems(
        of method: String, _ path: String, status: Int, body: [UInt8], header: (String) -> String?
    ) -> [String] {
        // A HEAD is a GET without the body. Requests that match no operation have no documentation.
        let method = method == "HEAD" ? "get" : method.lowercased()
        guard let operation = self[["paths", path, method]] else {
            return [401, 404, 405].contains(status) ? [] : ["\(method) \(path) is not documented"]
        }
        guard let response = operation.object?["responses"]?.object?[String(status)].map(resolved) else {
            return ["\(method) \(path): status \(status) is not documented"]
        }
        var problems: [String] = []
        for (name, field) in members(response, "headers") where field.object?["required"] == true {
            if header(name) == nil { problems.append("\(status) without \(name)") }
        }
        guard let schema = self[["content", "application/json", "schema"], in: response] else {
            return body.isEmpty ? problems : problems + ["\(status) has a body"]
        }
        guard !body.isEmpty else { return problems }
        if header("content-type") != "application/json" { problems.append("\(status): not application/json") }
        guard let value = try? JSONValue(json: body) else { return problems + ["\(status): not JSON"] }
        return problems + self.problems(of: value, against: schema, at: "")
    }

    // MARK: Schemas

    private static let keywords: Set<String> = [
        "$ref", "type", "format", "description", "enum", "default", "minLength", "maxLength", "minimum", "maximum",
        "minItems", "maxItems", "minProperties", "maxProperties", "properties", "required", "items", "anyOf",
        "additionalProperties",
    ]

    func problems(of value: JSONValue, against schema: JSONValue, at place: String) -> [String] {
        let schema = resolved(schema).object ?? JSONObject()
        var problems = schema.names.filter { !Self.keywords.contains($0) }.map { "\(place): keyword \($0)" }
        func expect(_ holds: Bool, _ problem: String) {
            if !holds { problems.append("\(place): \(problem)") }
        }
        if let any = schema["anyOf"]?.array {
            expect(any.contains { self.problems(of: value, against: $0, at: place).isEmpty }, "none of anyOf")
        }
        if let values = schema["enum"]?.array { expect(values.contains(value), "not one of \(values.count) values") }
        switch (schema["type"]?.string, value) {
        case (nil, _): break
        case ("string", .string(let text)):
            expect(text.unicodeScalars.count >= schema["minLength"]?.integer ?? 0, "too short")
            expect(text.unicodeScalars.count <= schema["maxLength"]?.integer ?? .max, "too long")
            if schema["format"] == "uuid" { expect(UUID(uuidString: text) != nil, "no UUID") }
        case ("boolean", .bool): break
        case ("integer", .number(let number)):
            expect(number.exactInteger != nil, "no whole number")
            expect(number.exactInteger ?? 0 >= schema["minimum"]?.integer ?? .min, "too small")
            expect(number.exactInteger ?? 0 <= schema["maximum"]?.integer ?? .max, "too large")
        case ("array", .array(let elements)):
            expect(elements.count >= schema["minItems"]?.integer ?? 0, "too few")
            expect(elements.count <= schema["maxItems"]?.integer ?? .max, "too many")
            guard let items = schema["items"] else { break }
            for (index, element) in elements.enumerated() {
                problems += self.problems(of: element, against: items, at: "\(place)[\(index)]")
            }
        case ("object", .object(let object)): problems += self.problems(of: object, against: schema, at: place)
        default: problems.append("\(place): not of type \(schema["type"]?.string ?? "")")
        }
        return problems
    }

    private func problems(of object: JSONObject, against schema: JSONObject, at place: String) -> [String] {
        var problems = (schema["required"]?.array ?? []).compactMap(\.string).filter { object[$0] == nil }
            .map { "\(place): without \($0)" }
        // An object with arbitrary members, such as this document.
        guard let properties = schema["properties"]?.object else { return problems }
        for member in object.members {
            guard let property = properties[member.name] else {
                problems.append("\(place): member \(member.name) is not documented")
                continue
            }
            problems += self.problems(of: member.value, against: property, at: "\(place).\(member.name)")
        }
        return problems
    }

    // MARK: Document

    /// Returns the target of a `$ref`, or any other value unchanged.
    private func resolved(_ value: JSONValue) -> JSONValue {
        guard let reference = value.object?["$ref"]?.string, reference.hasPrefix("#/") else { return value }
        return self[reference.dropFirst(2).split(separator: "/").map(String.init)] ?? .null
    }

    private func members(_ value: JSONValue, _ name: String) -> [(String, JSONValue)] {
        (value.object?[name]?.object?.members ?? []).map { ($0.name, $0.value) }
    }

    subscript(path: [String], in root: JSONValue? = nil) -> JSONValue? {
        path.reduce(root ?? document) { $0?.object?[$1] }
    }
}
