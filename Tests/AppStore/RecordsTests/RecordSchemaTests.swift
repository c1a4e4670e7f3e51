import AppStoreModel
import Foundation
import JSON
import KafkaModel
import Records
import TestSupport
import Testing

/// Compares the published JSON Schema with the golden records.
@Suite("Record schema") struct RecordSchemaTests {
    private static func schema() throws -> JSONObject {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        let file = folder.appending(path: "deploy/notification-record.schema.json")
        return try #require(try JSONValue(json: Array(Data(contentsOf: file))).object)
    }

    @Test(arguments: GoldenRecord.all)
    func `golden records satisfy the published schema`(golden: GoldenRecord) throws {
        let record = try #require(try golden.produced())
        let faults = faults(of: try JSONValue(json: try #require(record.value)), in: try Self.schema(), at: "$")
        #expect(faults == [])
    }

    @Test(arguments: [
        (#"{}"#, "$: notification is missing"), (#"{"notification":[]}"#, "$.notification: not of type object"),
        (#"{"notification":{"notificationType":1}}"#, "$.notification.notificationType: not of type string"),
        (#"{"notification":{}}"#, "$: none of the alternatives"),
        (#"{"notification":{},"proof":{}}"#, "$.proof: notification is missing"),
        (
            #"{"notification":{},"proof":{"notification":{"header":""}}}"#, "$.proof.notification: signature is missing"
        ),
        (#"{"notification":{},"transaction":{}}"#, "$.transaction: transactionId is missing"),
    ])
    func `a value that is not a record violates the schema`(text: String, fault: String) throws {
        let faults = faults(of: try JSONValue(json: Array(text.utf8)), in: try Self.schema(), at: "$")
        #expect(faults.contains(fault))
    }

    @Test func `the schema names every member that a record can have`() throws {
        let properties = try #require(try Self.schema()["properties"]?.object)
        let written = try GoldenRecord.all.flatMap { golden in
            try JSONValue(json: try #require(try golden.produced()?.value)).object?.names ?? []
        }
        #expect(Set(properties.names) == Set(written))
    }

    /// Evaluates the keywords used in the schema: type, required, properties, anyOf, and $ref to its only definition.
    private func faults(of value: JSONValue, in schema: JSONObject, at path: String) -> [String] {
        if let type = schema["type"]?.string, type != typeName(of: value) { return ["\(path): not of type \(type)"] }
        guard let object = value.object else { return [] }
        var faults = (schema["required"]?.array ?? []).compactMap(\.string).filter { object[$0] == nil }
            .map { "\(path): \($0) is missing" }
        for member in schema["properties"]?.object?.members ?? [] {
            guard let value = object[member.name], var schema = member.value.object else { continue }
            if schema["$ref"]?.string == "#/$defs/part" {
                schema = (try? Self.schema()["$defs"]?.object?["part"]?.object) ?? schema
            }
            faults += self.faults(of: value, in: schema, at: "\(path).\(member.name)")
        }
        if let alternatives = schema["anyOf"]?.array?.compactMap(\.object),
            !alternatives.contains(where: { self.faults(of: value, in: $0, at: path).isEmpty })
        {
            faults.append("\(path): none of the alternatives")
        }
        return faults
    }

    private func typeName(of value: JSONValue) -> String {
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
