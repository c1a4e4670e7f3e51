internal import Foundation
internal import JSON

/// A validator for our published JSON Schemas. It supports only the keywords that they use: type, required, properties,
/// additionalProperties (false), items, limits on counts and integers, pattern, const, enum, oneOf, and $ref to a
/// definition. Any other keyword is reported as an error in the schema.
package struct JSONSchema: Sendable {
    private let root: JSONObject

    package init(_ text: [UInt8]) throws {
        guard let root = try JSONValue(json: text).object else { throw JSONError(.notAnObject, at: 0) }
        self.root = root
    }

    /// Reads the schema with this file name from `deploy`.
    package static func deployed(_ name: String) throws -> JSONSchema {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return try JSONSchema(Array(Data(contentsOf: folder.appending(path: "deploy/\(name)"))))
    }

    /// Returns the members of an object that the schema allows but does not name.
    package func unnamedMembers(of text: [UInt8]) -> [String] {
        let known = root["properties"]?.object?.names ?? []
        return ((try? JSONValue(json: text))?.object?.names ?? []).filter { !known.contains($0) }
    }

    /// Returns the violations in a text, each with its path; empty if the text conforms.
    package func faults(in text: [UInt8]) -> [String] {
        guard let value = try? JSONValue(json: text) else { return ["$: no JSON"] }
        return faults(of: value, root, "$")
    }

    private func faults(of value: JSONValue, _ schema: JSONObject, _ path: String) -> [String] {
        schema.members.flatMap { faults(of: value, $0.name, $0.value, path) } + unknownMembers(value, schema, path)
    }

    private func unknownMembers(_ value: JSONValue, _ schema: JSONObject, _ path: String) -> [String] {
        guard schema["additionalProperties"]?.bool == false, let object = value.object else { return [] }
        let known = schema["properties"]?.object?.names ?? []
        return object.names.filter { !known.contains($0) }.map { "\(path): unknown \($0)" }
    }

    private func faults(of value: JSONValue, _ keyword: String, _ rule: JSONValue, _ path: String) -> [String] {
        switch keyword {
        case "$schema", "$id", "$defs", "title", "description": return []
        case "type": return rule.string == typeName(value) || isInteger(value, rule) ? [] : ["\(path): not \(rule)"]
        // This keyword is evaluated together with the properties.
        case "additionalProperties": return rule.bool == false ? [] : ["additionalProperties is not false"]
        case "minimum", "maximum", "minItems", "maxItems", "minProperties":
            return isWithin(value, keyword, rule) ? [] : ["\(path): \(keyword) \(rule)"]
        case "const": return value == rule ? [] : ["\(path): not \(rule)"]
        case "enum": return rule.array?.contains(value) == true ? [] : ["\(path): none of \(rule)"]
        case "pattern": return matches(value, rule) ? [] : ["\(path): not like \(rule)"]
        case "required":
            guard let object = value.object else { return [] }
            return (rule.array ?? []).compactMap(\.string).filter { object[$0] == nil }.map { "\(path): no \($0)" }
        case "properties":
            guard let object = value.object else { return [] }
            return (rule.object?.members ?? []).flatMap { member in
                object[member.name].map { faults(of: $0, member.value.object ?? [:], "\(path).\(member.name)") } ?? []
            }
        case "items":
            return (value.array ?? []).enumerated().flatMap { index, element in
                faults(of: element, rule.object ?? [:], "\(path)[\(index)]")
            }
        case "oneOf":
            let each = (rule.array ?? []).compactMap(\.object).map { faults(of: value, $0, path) }
            let fitting = each.count(where: \.isEmpty)
            return fitting == 1 ? [] : ["\(path): \(fitting) alternatives"] + each.flatMap(\.self)
        case "$ref":
            let name = String(rule.string?.split(separator: "/").last ?? "")
            guard let definition = root["$defs"]?.object?[name]?.object else { return ["no definition \(name)"] }
            return faults(of: value, definition, path)
        default: return ["unknown keyword \(keyword)"]
        }
    }

    private func isWithin(_ value: JSONValue, _ keyword: String, _ rule: JSONValue) -> Bool {
        guard let bound = rule.integer else { return false }
        switch keyword {
        case "minimum": return value.integer.map { $0 >= bound } ?? true
        case "maximum": return value.integer.map { $0 <= bound } ?? true
        case "minItems": return value.array.map { $0.count >= bound } ?? true
        case "maxItems": return value.array.map { $0.count <= bound } ?? true
        default: return value.object.map { $0.members.count >= bound } ?? true
        }
    }

    private func matches(_ value: JSONValue, _ rule: JSONValue) -> Bool {
        guard let text = value.string else { return true }
        guard let regex = try? Regex(rule.string ?? "(") else { return false }
        return text.firstMatch(of: regex) != nil
    }

    private func isInteger(_ value: JSONValue, _ rule: JSONValue) -> Bool { rule == "integer" && value.integer != nil }

    private func typeName(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
