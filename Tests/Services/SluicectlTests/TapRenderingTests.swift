import AppStoreModel
import JSON
import Kafka
import Records
import Testing

@testable import Sluicectl

/// Formatting of records as text and as JSON.
@Suite struct TapRenderingTests {
    private func tapped(_ record: KafkaRecord) -> TappedRecord { TappedRecord(record, names: Sample.names) }

    private func json(_ record: KafkaRecord) -> String {
        String(decoding: JSONValue.object(tapped(record).json).json, as: UTF8.self)
    }

    /// Returns the line of a record, without the column titles.
    private func line(_ record: KafkaRecord) -> String { tapped(record).cells.joined(separator: " ") }

    @Test func `a notification is one line under the column names`() {
        var columns = TapColumns()
        #expect(
            columns.lines([tapped(Sample.record(value: Sample.value)).cells]) == """
                TIME                  TYPE                    BUNDLE           KEY               PRODUCT              \
                EXPIRES               UUID                                  PARTITION@OFFSET
                2026-11-01T00:00:01Z  SUBSCRIBED.INITIAL_BUY  com.example.app  2000000000000001  com.example.monthly  \
                2026-12-01T00:00:00Z  7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55  3@17

                """)
        // Later lines keep the column widths, and an overlong cell shifts the following ones.
        let second = columns.lines([
            tapped(Sample.record(key: "a/\(String(repeating: "9", count: 60))", value: nil)).cells
        ])
        #expect(
            second == """
                2026-11-01T00:00:01Z  (tombstone)             a                \(String(repeating: "9", count: 60))  -  \
                                  -                     -                                     3@17

                """)
    }

    @Test func `a notification in JSON is one object with its headers and value`() {
        let record = Sample.record(
            value: #"{"notification": {"notificationType":"TEST","price":1.10},"# + "\n" + #""signedPayload":"a.b.c"}"#,
            headers: [
                KafkaHeader(key: "ce_id", text: "7e3fb204"), KafkaHeader(key: "none", value: nil),
                KafkaHeader(key: "bytes", value: [0xFF, 0x00]),
            ])
        #expect(
            json(record) == """
                {"topic":"appstore.notifications.production","partition":3,"offset":17,"timestamp":1793491201000,\
                "kind":"notification","key":"com.example.app/2000000000000001",\
                "headers":{"ce_id":"7e3fb204","none":null,"bytes":{"base64":"/wA="}},\
                "value":{"notification":{"notificationType":"TEST","price":1.10},"signedPayload":"a.b.c"}}
                """)
    }

    @Test func `a tombstone is shown as a tombstone`() {
        let record = Sample.record(topic: Sample.names.entitlements(.production), value: nil)
        #expect(line(record).contains("(tombstone)"))
        #expect(
            json(record) == """
                {"topic":"appstore.entitlements.production","partition":3,"offset":17,"timestamp":1793491201000,\
                "kind":"tombstone","key":"com.example.app/2000000000000001","headers":{},"value":null}
                """)
    }

    @Test func `a quarantined record is shown with its reason and received bytes`() throws {
        let uuid = "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"
        let produced = QuarantineRecord(
            reason: "profile_version", detail: "version is missing",
            receivedAt: AppStoreInstant(millisecondsSince1970: Sample.timestamp), bundleId: BundleId("com.example.app"),
            notificationUUID: NotificationUUID(uuid), receivedBytes: Array("{ \"signedPayload\":1}".utf8)
        ).produced(to: Sample.names.quarantine)
        let record = Sample.record(
            topic: Sample.names.quarantine, key: uuid, value: String(decoding: produced.value ?? [], as: UTF8.self),
            headers: produced.headers)
        let line = self.line(record)
        #expect(line.contains("(quarantine)"))
        #expect(line.contains("com.example.app"))
        #expect(line.contains(uuid))
        #expect(line.hasSuffix("profile_version: version is missing (20 bytes)"))
        #expect(json(record).hasSuffix(#""value":"{ \"signedPayload\":1}"}"#))
    }

    @Test(arguments: [
        ("no JSON", "undecodable"), ("", "undecodable"), ("[1]", "undecodable"), ("{}", "undecodable"),
        (#"{"notification":1}"#, "undecodable"), (#"{"notification":{}}"#, "notification"),
    ])
    func `any other record of a notification topic is undecodable`(_ value: String, _ kind: String) {
        #expect(tapped(Sample.record(value: value)).content.kind == kind)
        let deadLetters = Sample.names.notifications(.sandbox).deadLetters(of: "sluice-entitlements")
        #expect(tapped(Sample.record(topic: deadLetters, value: value)).content.kind == kind)
    }

    @Test func `an undecodable record is shown with its bytes and the reason`() {
        let record = KafkaRecord(
            topic: "appstore.notifications.production", partition: 0, offset: 0, key: [], value: [0x80])
        let text = json(record)
        #expect(
            text.contains(#""kind":"undecodable","key":"","headers":{},"value":{"base64":"gA=="},"error":"invalid_"#))
        #expect(line(record).contains("invalid_json"))
        #expect(text.contains(#""timestamp":null"#))
    }

    @Test func `JSON of other topics is shown unchanged`() {
        let record = Sample.record(topic: Sample.names.entitlements(.sandbox), value: #"{"active": ["a"]}"#)
        #expect(line(record).hasSuffix(#"{"active":["a"]}"#))
        #expect(
            json(record).hasSuffix(
                #""kind":"json","key":"com.example.app/2000000000000001","headers":{},"#
                    + #""value":{"active":["a"]}}"#))
    }

    @Test func `control characters from untrusted clients do not reach the terminal`() {
        let record = Sample.record(
            topic: "other", key: "\u{1B}[31m/\u{9B}2J\n", value: #"{"a":"\u001b[2J \u009b"}"#)
        let line = self.line(record)
        #expect(line.unicodeScalars.count { $0.properties.generalCategory == .control } == 0)
        for value in ["{\"a\":\"\u{7F}\u{9B}\"}", "x\u{1B}[2J"] {
            let line = self.line(Sample.record(topic: "other", value: value))
            #expect(line.unicodeScalars.count { $0.properties.generalCategory == .control } == 0)
        }
    }

    @Test(
        arguments: [
            (TapStart.beginning, 5), (.end, 20), (.last(3), 17), (.last(15), 5), (.last(1_000_000_000), 5),
        ] as [(TapStart, KafkaOffset)])
    func `each partition is read from the requested start`(_ start: TapStart, _ expected: KafkaOffset) {
        #expect(TapReader.offset(of: start, low: 5, high: 20) == expected)
    }
}
