import AppStoreModel
import Kafka
import Records
import Testing

@testable import Webhooks

@Suite struct WebhookMessageTests {
    private func message(
        key: [UInt8]? = Array("com.example/1".utf8), value: [UInt8]?, headers: [KafkaHeader] = [],
        timestamp: Int64? = 1_793_491_201_000
    ) -> WebhookMessage? {
        WebhookMessage(
            KafkaRecord(
                topic: "appstore.entitlements.production", partition: 3, offset: 1742,
                timestampMilliseconds: timestamp, key: key, value: value, headers: headers), environment: .production)
    }

    @Test func `the identifier is the record's partition, timestamp and offset, without a dot`() {
        #expect(message(value: [1])?.id == "appstore_entitlements_production-3-1793491201000-1742")
        #expect(message(value: [1], timestamp: nil)?.id == "appstore_entitlements_production-3-0-1742")
    }

    @Test func `the same offset of a recreated topic is another delivery`() {
        #expect(message(value: [1])?.id != message(value: [1], timestamp: 1_793_491_201_001)?.id)
    }

    @Test(arguments: [[], [0, 255, 10], Array("{}".utf8)])
    func `the body is the value, byte for byte`(value: [UInt8]) {
        #expect(message(value: value)?.body == value)
        #expect(message(key: nil, value: value)?.body == value)
    }

    @Test func `a tombstone says what was erased`() {
        #expect(
            message(key: Array(#"com.example/"ü"#.utf8), value: nil)?.body
                == Array(#"{"environment":"Production","erased":true,"key":"com.example/\"ü"}"#.utf8))
    }

    @Test(arguments: [nil, [], [0xFF, 0xFE]] as [[UInt8]?])
    func `a tombstone of nothing that has a name is no message`(key: [UInt8]?) {
        #expect(message(key: key, value: nil) == nil)
    }

    @Test func `only a valid trace context goes on`() {
        let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        #expect(message(value: [], headers: [KafkaHeader(key: "traceparent", text: valid)])?.traceParent == valid)
        for value: [UInt8]? in [nil, [], Array((valid + "\r\nx: y").utf8), [0xFF]] {
            #expect(message(value: [], headers: [KafkaHeader(key: "traceparent", value: value)])?.traceParent == nil)
        }
    }
}
