import AppStoreModel
import JSON
import Kafka
import Records
import Testing

@testable import Webhooks

/// What the receiver gets of a record.
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

    @Test func `the id is the record's partition, offset, timestamp and digest, without a dot`() throws {
        let id = try reading.message(record(value: TestState.value("1", 1))).id
        #expect(id.hasPrefix("appstore_entitlements_production-3-1742-1793491201000-"))
        #expect(id.split(separator: "-").last?.count == 16)
        #expect(!id.contains("."))
    }

    /// The offset begins again with a recreated topic, and an erasure keeps its timestamp.
    @Test func `records that differ in anything have different ids`() {
        let records = [
            record(value: [1]), record(value: [1], timestamp: 7), record(value: [1], timestamp: nil),
            record(value: [2]), record(value: nil), record(value: []), record(key: nil, value: [1]),
            record(key: [], value: TestState.key("1") + [1]), record(key: TestState.key("2"), value: [1]),
        ]
        let ids = WebhookContent.allCases.flatMap { content in
            records.map { WebhookID($0, content: content).text }
        }
        #expect(Set(ids).count == WebhookContent.allCases.count * (records.count - 1) + WebhookContent.allCases.count)
        #expect(WebhookID(record(value: [1]), content: .state) == WebhookID(record(value: [1]), content: .state))
    }

    @Test func `an id says where its record is`() throws {
        let id = WebhookID(record(value: [1]), content: .state)
        #expect(WebhookID(id.text) == id)
        let dashes = WebhookID("a-b_c-3-1742-0-0123456789abcdef")
        #expect(dashes?.topic == "a-b_c" && dashes?.partition == 3 && dashes?.offset == 1742)
        for text in ["", "a-1-2-3", "a-x-1-2-3", "a-1-x-2-3", "a-1--2-3-4", "msg_p5jXN8AQM9LWM0D4loKWxJek"] {
            #expect(WebhookID(text) == nil, "\(text)")
        }
    }

    // MARK: State

    @Test func `a state is its record without what is internal, in an envelope`() throws {
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
    func `the type of a state is that of its grants where they agree`(states: [String], type: String) throws {
        let message = try reading.message(record(value: TestState.value("1", 1, states: states)))
        #expect(message.type == type)
        #expect(try object(message)["type"]?.string == type)
    }

    @Test func `an erasure says what was erased, and is newer than what it erased`() throws {
        let erasure = try object(try reading.message(record(key: Array(#"com.example/"ü"#.utf8), value: nil)))
        #expect(erasure["type"] == "purchase.erased")
        let data = try #require(erasure["data"]?.object)
        #expect(data["environment"] == "Production")
        #expect(data["bundleId"] == "com.example")
        #expect(data["originalTransactionId"] == "\"ü")
        #expect(data["version"] == "001793491201000-001793491201000")
    }

    @Test func `a state that says no version is older than one that does`() throws {
        let state = Array(#"{"bundleId":"b","originalTransactionId":"1"}"#.utf8)
        let version = try object(try reading.message(record(value: state)))["data"]?.object?["version"]?.string
        #expect(version == "000000000000000-000000000000000")
    }

    @Test func `only a valid trace context goes on`() throws {
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
    func `a type stands for everything under it`(filter: String, type: String, isCovered: Bool) {
        let message = WebhookMessage(id: "1", type: type, bundleId: BundleId("b"), body: [], traceParent: nil)
        #expect((WebhookFilter(apps: [], types: [filter]).refusal(message) == nil) == isCovered)
        #expect(WebhookFilter(apps: [], types: ["x", filter]).refusal(message) == (isCovered ? nil : "other_type"))
        #expect(WebhookFilter(apps: ["a"], types: []).refusal(message) == "other_app")
        #expect(WebhookFilter(apps: ["a", "b"], types: []).refusal(message) == nil)
    }
}
