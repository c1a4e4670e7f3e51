import AppStoreModel
import JSON
import Kafka
import Records
import Testing

@testable import Webhooks

/// The message that the receiver gets for a record.
@Suite struct WebhookMessageTests {
    private let reading = MessageReading(.state, TopicNames(), certificates: CertificateDirectory())

    private func record(
        key: [UInt8]? = TestState.key("1"), value: [UInt8]?, headers: [KafkaHeader] = [],
        timestamp: Int64? = 1_793_491_201_000
    ) -> KafkaRecord {
        KafkaRecord(
            topic: "appstore.entitlements.production", partition: 3, offset: 1742, timestampMilliseconds: timestamp,
            key: key, value: value, headers: headers)
    }

    private func object(_ message: WebhookMessage) throws -> JSONObject {
        try #require(try JSONValue(json: message.body).object)
    }

    // MARK: webhook-id

    @Test func `the id of a state depends on its purchase, version and value, not on its offset`() throws {
        let value = TestState.value("1", 1)
        let id = try reading.message(record(value: value)).id
        let parts = id.split(separator: "-")
        #expect(parts.count == 6 && parts[0] == "state" && parts[1] == "production")
        #expect(parts[2].count == 16 && parts[5].count == 16)
        #expect("\(parts[3])-\(parts[4])" == "000000000100001-000001793491201000")
        #expect(!id.contains("."))
        let moved = KafkaRecord(
            topic: "appstore.entitlements.production", partition: 0, offset: 9, timestampMilliseconds: 7,
            key: TestState.key("1"), value: value)
        #expect(try reading.message(moved).id == id)
        #expect(try reading.message(record(value: TestState.value("1", 2))).id != id)
        #expect(try reading.message(record(value: TestState.value("1", 1, states: ["GRACE"]))).id != id)
        #expect(try reading.message(record(key: TestState.key("2"), value: value)).id != id)
        let sandbox = KafkaRecord(
            topic: "appstore.entitlements.sandbox", partition: 0, offset: 9, key: TestState.key("1"), value: value)
        #expect(try reading.message(sandbox).id.hasPrefix("state-sandbox-"))
    }

    @Test func `an id contains its content and environment`() throws {
        let id = WebhookID(.notification, .production, notificationUUID: "7e3fb204-2ab3")
        #expect(id.text == "notification-production-7e3fb204-2ab3")
        #expect(WebhookID(id.text) == id)
        #expect(WebhookID(.signed, .sandbox, notificationUUID: "u").text == "signed-sandbox-u")
        // If an id is not valid in a header, its digest is used instead.
        for odd in ["a.b", "", "a\r\nb: c", String(repeating: "a", count: 65)] {
            let text = WebhookID(.signed, .sandbox, notificationUUID: odd).text
            #expect(text.count == "signed-sandbox-".count + 16 && !text.contains("."), "\(odd)")
        }
        for text in ["", "state", "state-production", "state-production-", "other-production-1", "state-xcode-1"] {
            #expect(WebhookID(text) == nil, "\(text)")
        }
        #expect(WebhookID("appstore_entitlements_production-3-1742-1793491201000-0c3f9a4b5d6e7f80") == nil)
    }

    @Test func `an erasure has one id and time, even if its tombstone is written again`() throws {
        func erasure(_ timestamp: Int64, _ headers: [KafkaHeader]) throws -> WebhookMessage {
            try reading.message(record(value: nil, headers: headers, timestamp: timestamp))
        }
        let moment = KafkaHeader(key: "sluice.state.moment", text: "1793491201000")
        let first = try erasure(1_793_491_205_000, [moment])
        #expect(first.type == "purchase.erased" && first.id.hasSuffix("-erased"))
        #expect(try object(first)["timestamp"] == "2026-11-01T00:00:01.000Z")
        #expect(try object(first)["data"]?.object?["version"] == "001793491201000-001793491201000")
        #expect(try erasure(1_793_499_999_000, [moment]) == first)
        // An earlier version wrote the record without the header.
        #expect(try erasure(1_793_491_201_000, []) == first)
        #expect(throws: WebhookMessageError.unwanted("expired")) {
            try erasure(1_797_379_201_000, [KafkaHeader(key: "sluice.state.expired", text: "1")])
        }
    }

    // MARK: State

    @Test func `a state message is the record without internal members, in an envelope`() throws {
        let message = try reading.message(record(value: TestState.value("1", 5, states: ["GRACE"])))
        let object = try object(message)
        #expect(object.names == ["type", "timestamp", "data"])
        #expect(object["type"] == "purchase.grace")
        #expect(object["timestamp"] == "2026-11-01T00:00:01.000Z")
        let data = try #require(object["data"]?.object)
        #expect(
            data.names == [
                "version", "environment", "bundleId", "originalTransactionId", "asOf", "active", "grants", "inactive",
                "number",
            ])
        #expect(data["number"]?.integer == 5)
        #expect(message.bundleId == BundleId("com.example"))
    }

    @Test(arguments: [
        ([], "purchase.updated"), (["ACTIVE"], "purchase.active"), (["ACTIVE", "ACTIVE"], "purchase.active"),
        (["ACTIVE", "REVOKED"], "purchase.updated"), (["PARTLY_REFUNDED"], "purchase.partly_refunded"),
        (["a b"], "purchase.updated"), ([""], "purchase.updated"),
    ])
    func `a state has the type of its grants when they agree`(states: [String], type: String) throws {
        let message = try reading.message(record(value: TestState.value("1", 1, states: states)))
        #expect(message.type == type)
        #expect(try object(message)["type"]?.string == type)
    }

    @Test func `an erasure names its purchase, and is newer than the erased state`() throws {
        let erasure = try object(try reading.message(record(key: Array(#"com.example/"ü"#.utf8), value: nil)))
        #expect(erasure["type"] == "purchase.erased")
        let data = try #require(erasure["data"]?.object)
        #expect(data["environment"] == "Production")
        #expect(data["bundleId"] == "com.example")
        #expect(data["originalTransactionId"] == "\"ü")
        #expect(data["version"] == "001793491201000-001793491201000")
    }

    @Test func `a state without a version is older than one with a version`() throws {
        let state = Array(#"{"bundleId":"b","originalTransactionId":"1"}"#.utf8)
        let version = try object(try reading.message(record(value: state)))["data"]?.object?["version"]?.string
        #expect(version == "000000000000000-000000000000000")
    }

    @Test func `only a valid trace context is forwarded`() throws {
        let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        func traceParent(_ value: [UInt8]?) throws -> String? {
            try reading.message(
                record(value: Array("{}".utf8), headers: [KafkaHeader(key: "traceparent", value: value)])
            ).traceParent
        }
        #expect(try traceParent(Array(valid.utf8)) == valid)
        for value: [UInt8]? in [nil, [], Array((valid + "\r\nx: y").utf8), [0xFF]] {
            #expect(try traceParent(value) == nil)
        }
    }

    // MARK: Filter

    @Test(arguments: [
        ("purchase", "purchase.active", true), ("purchase.active", "purchase.active", true),
        ("purchase.act", "purchase.active", false), ("purchase.active.now", "purchase.active", false),
        ("com.apple.appstore.DID_RENEW", "com.apple.appstore.DID_RENEW.BILLING_RECOVERY", true),
    ])
    func `a type covers every type under it`(filter: String, type: String, isCovered: Bool) {
        let message = WebhookMessage(id: "1", type: type, bundleId: BundleId("b"), body: [], traceParent: nil)
        #expect((WebhookFilter(apps: [], types: [filter]).refusal(message) == nil) == isCovered)
        #expect(WebhookFilter(apps: [], types: ["x", filter]).refusal(message) == (isCovered ? nil : "other_type"))
        #expect(WebhookFilter(apps: ["a"], types: []).refusal(message) == "other_app")
        #expect(WebhookFilter(apps: ["a", "b"], types: []).refusal(message) == nil)
    }
}
