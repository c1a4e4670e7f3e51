import AppStoreModel
import Foundation
import JSON
import KafkaModel
import Records
import TestSupport
import Testing

/// The published JSON Schema against the golden records.
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
        (#"{"notification":{},"transaction":{}}"#, "$.transaction: transactionId is missing"),
    ])
    func `a value that is no record does not`(text: String, fault: String) throws {
        let faults = faults(of: try JSONValue(json: Array(text.utf8)), in: try Self.schema(), at: "$")
        #expect(faults.contains(fault))
    }

    @Test func `the schema names every member that is written`() throws {
        let properties = try #require(try Self.schema()["properties"]?.object)
        let written = try GoldenRecord.all.flatMap { golden in
            try JSONValue(json: try #require(try golden.produced()?.value)).object?.names ?? []
        }
        #expect(Set(properties.names) == Set(written))
    }

    /// The keywords that the schema uses: type, required, properties, anyOf.
    private func faults(of value: JSONValue, in schema: JSONObject, at path: String) -> [String] {
        if let type = schema["type"]?.string, type != typeName(of: value) { return ["\(path): not of type \(type)"] }
        guard let object = value.object else { return [] }
        var faults = (schema["required"]?.array ?? []).compactMap(\.string).filter { object[$0] == nil }
            .map { "\(path): \($0) is missing" }
        for member in schema["properties"]?.object?.members ?? [] {
            guard let value = object[member.name], let schema = member.value.object else { continue }
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

@Suite("Records of genuine notifications", .enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
struct AppleSampleRecordTests {
    @Test(arguments: [
        "01-DID_RENEW", "02-SUBSCRIBED-RESUBSCRIBE", "03-DID_CHANGE_RENEWAL_STATUS-AUTO_RENEW_DISABLED",
        "04-EXPIRED-VOLUNTARY", "05-SUBSCRIBED-RESUBSCRIBE", "06-CONSUMPTION_REQUEST", "07-REFUND",
    ])
    func `Apple's text is in the record as signed`(name: String) throws {
        let signedPayload = try TestVectors.bytes("genuine/\(name).jws")
        let document = try JSONDocument.object(try CompactJWS.payload(signedPayload))
        let envelope = NotificationEnvelope(document)
        let transaction = try CompactJWS.payload(
            Array(document.bytes[try #require(envelope.signedTransactionInfo.value)]))
        let renewalInfo = try CompactJWS.payload(
            Array(document.bytes[try #require(envelope.signedRenewalInfo.value)]))
        let identity = try #require(
            RecordIdentity(envelope, transaction: TransactionEnvelope(try JSONDocument(transaction))))
        let record = KafkaProducerRecord(
            identity, to: "t",
            content: RecordContent(
                notification: document.bytes, omitted: envelope.nestedJWSMembers, transaction: transaction,
                renewalInfo: renewalInfo, signedPayload: signedPayload[...]), receivedAt: .latest)
        #expect(
            record.key.map { String(decoding: $0, as: UTF8.self) }
                == "com.loki-project.loki-messenger/2000001024993299")
        let read = try NotificationRecord(key: record.key, value: record.value, headers: record.headers)
        #expect(read.value["transaction"].map { Array($0.bytes) } == transaction)
        #expect(read.value["renewalInfo"].map { Array($0.bytes) } == renewalInfo)
        #expect(read.signedPayload.map { Array($0.utf8) } == signedPayload)
        var expected = try #require(try JSONValue(json: document.bytes).object)
        var data = try #require(expected["data"]?.object)
        data["signedTransactionInfo"] = nil
        data["signedRenewalInfo"] = nil
        expected["data"] = .object(data)
        #expect(read.value["notification"].map { JSONValue($0) } == .object(expected))
        #expect(read.transaction?.fieldProblems == [] && read.notification.fieldProblems == [])
    }
}
