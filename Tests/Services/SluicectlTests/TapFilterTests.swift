import AppStoreModel
import JSON
import Kafka
import KafkaDevBroker
import Primitives
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// Records selected by `sluicectl tap`.
@Suite(.timeLimit(.minutes(2))) struct TapFilterTests {
    /// - Parameter headers: values by name.
    private func record(
        key: String? = "com.example.app/2000000000000001", value: String? = "{}", at moment: Int64? = 1_000,
        _ headers: KeyValuePairs<String, String> = [:]
    ) -> KafkaRecord {
        KafkaRecord(
            topic: "t", partition: 0, offset: 0, timestampMilliseconds: moment, key: key.map { Array($0.utf8) },
            value: value.map { Array($0.utf8) }, headers: headers.map { KafkaHeader(key: $0.key, text: $0.value) })
    }

    private func filter(_ change: (inout TapFilter) -> Void) -> TapFilter {
        var filter = TapFilter()
        change(&filter)
        return filter
    }

    @Test func `everything matches a filter without conditions`() {
        #expect(TapFilter().matches(record()))
        #expect(TapFilter().matches(record(key: nil, value: nil, at: nil)))
    }

    @Test(arguments: [
        ("com.apple.appstore.SUBSCRIBED.RESUBSCRIBE", "SUBSCRIBED", true),
        ("com.apple.appstore.SUBSCRIBED.RESUBSCRIBE", "SUBSCRIBED.RESUBSCRIBE", true),
        ("com.apple.appstore.SUBSCRIBED.RESUBSCRIBE", "SUBSCRIBED.INITIAL_BUY", false),
        ("com.apple.appstore.REFUND", "REFUND", true), ("com.apple.appstore.REFUND_DECLINED", "REFUND", false),
        ("org.example.REFUND", "REFUND", false), ("", "REFUND", false),
    ])
    func `a type selects its subtypes and no other type`(header: String, type: String, matches: Bool) {
        let filter = filter { $0.type = type }
        #expect(filter.matches(record(["ce_type": header])) == matches)
        #expect(!filter.matches(record()))
    }

    @Test func `the type of a quarantined notification is the one that its body claims`() {
        let payload = Base64URL.encode(Array(#"{"notificationType":"SUBSCRIBED","subtype":"RESUBSCRIBE"}"#.utf8))
        let body = #"{"signedPayload":"e30.\#(String(decoding: payload, as: UTF8.self)).c2ln"}"#
        let quarantined = record(value: body, ["sluice.quarantine.reason": "profile_date"])
        #expect(filter { $0.type = "SUBSCRIBED" }.matches(quarantined))
        #expect(filter { $0.type = "SUBSCRIBED.RESUBSCRIBE" }.matches(quarantined))
        #expect(!filter { $0.type = "REFUND" }.matches(quarantined))
    }

    @Test func `an app is determined by its header or the key`() {
        let filter = filter { $0.bundleId = "com.example.app" }
        #expect(filter.matches(record()))
        #expect(filter.matches(record(key: nil, ["ce_bundleid": "com.example.app"])))
        #expect(filter.matches(record(key: "uuid", ["sluice.quarantine.bundleid": "com.example.app"])))
        #expect(!filter.matches(record(["ce_bundleid": "com.example.other"])))
        #expect(!filter.matches(record(key: "com.example.app2/1")))
        #expect(!filter.matches(record(key: nil)))
    }

    @Test func `text is found in the key and in the value`() {
        let filter = filter { $0.text = ByteSearch(Array("2000000000000001".utf8)) }
        #expect(filter.matches(record()))
        #expect(filter.matches(record(key: "k", value: #"{"transactionId":"2000000000000001"}"#)))
        #expect(!filter.matches(record(key: "com.example.app/2000000000000002")))
        #expect(!filter.matches(record(key: nil, value: nil)))
    }

    /// The body of a version 2 notification, and a notification from Apple's history, which is a compact JWS.
    @Test(arguments: [false, true])
    func `text is found in the payloads of a quarantined notification`(_ isCompact: Bool) {
        func jws(_ payload: String) -> String {
            "e30.\(String(decoding: Base64URL.encode(Array(payload.utf8)), as: UTF8.self)).c2ln"
        }
        let transaction = jws(#"{"transactionId":"2000000000000001"}"#)
        let notification = jws(
            #"{"notificationType":"REFUND","data":{"signedTransactionInfo":"\#(transaction)"}}"#)
        let value = isCompact ? notification : #"{"signedPayload":"\#(notification)"}"#
        let quarantined = record(key: nil, value: value, ["sluice.quarantine.reason": "profile_date"])
        for text in ["2000000000000001", "REFUND", "signedTransactionInfo"] {
            #expect(filter { $0.text = ByteSearch(Array(text.utf8)) }.matches(quarantined), "\(text)")
        }
        #expect(!filter { $0.text = ByteSearch(Array("2000000000000002".utf8)) }.matches(quarantined))
    }

    @Test func `a header must have the value`() {
        let filter = filter { $0.header = ("ce_origin", "history") }
        #expect(filter.matches(record(["ce_origin": "history"])))
        #expect(!filter.matches(record(["ce_origin": "live"])))
        #expect(!filter.matches(record()))
    }

    @Test func `a time selects records at or after it, and records without a timestamp`() {
        let filter = filter { $0.since = 1_000 }
        #expect(filter.matches(record(at: 1_000)))
        #expect(!filter.matches(record(at: 999)))
        #expect(filter.matches(record(at: nil)))
    }

    @Test func `all conditions must be satisfied`() {
        let filter = filter {
            $0.type = "REFUND"
            $0.bundleId = "com.example.app"
        }
        #expect(filter.matches(record(["ce_type": "com.apple.appstore.REFUND"])))
        #expect(!filter.matches(record(key: "b/1", ["ce_type": "com.apple.appstore.REFUND"])))
    }

    @Test func `tap counts only selected records`() async throws {
        let names = TopicNames(prefix: "tapfilter")
        let topic: KafkaTopic = "tapfilter.notifications.production"
        let broker = try DevBroker(topics: [topic: 1])
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let producer = try KafkaProducer(kafka, topics: [topic]) { _ in }
        for (number, type) in ["TEST", "REFUND", "TEST", "REFUND", "REFUND"].enumerated() {
            _ = try await producer.send(
                KafkaProducerRecord(
                    topic: topic, timestampMilliseconds: 1_793_491_200_000 + Int64(number) * 1_000,
                    key: Array("com.example.app/\(number)".utf8), value: Array("x".utf8),
                    headers: [KafkaHeader(key: "ce_type", text: "com.apple.appstore.\(type)")]))
        }
        let flags = [
            "tap", "--no-follow", "--output", "json", "--kafka.bootstrap.servers", broker.bootstrapServers,
            "--topics.prefix", names.prefix, "--type", "REFUND",
        ]
        let (_, all) = await sluicectl(flags)
        #expect(try all.objects.map { $0["offset"]?.integer } == [1, 3, 4])
        let (_, two) = await sluicectl(flags + ["--limit", "2"])
        #expect(try two.objects.map { $0["offset"]?.integer } == [1, 3])
        let (_, late) = await sluicectl(flags + ["--from", "2026-11-01T00:00:03Z"])
        #expect(try late.objects.map { $0["offset"]?.integer } == [3, 4])
        let (code, wrong) = await sluicectl(["tap", "--header", "ce_origin"])
        #expect(code == 64 || code == 78)
        #expect(wrong.complaints.contains { $0.contains("NAME=VALUE") })
        await producer.close(within: .seconds(5))
    }
}
