import AppStoreModel
import ArchiveLog
import KafkaModel
import Records
import RefundRules
import Testing

struct ArchivedTopicTests {
    static let names = TopicNames(prefix: "acme")

    @Test(
        arguments: [
            ("acme.notifications.production", .notification), ("acme.notifications.sandbox", .notification),
            ("acme.quarantine", .quarantine), ("acme.refunds.production", .refund), ("acme.erasures", .erasure),
            ("acme.certificates", .certificate), ("acme.notifications.sandbox.sluice-refunds.dlq", .deadLetter),
            ("acme.entitlements.production.sluice-webhooks.dlq", .deadLetter),
            ("acme.refunds.sandbox.my.group.dlq", .deadLetter),
            ("acme.entitlements.production", nil), ("acme.reconciliation.sandbox", nil),
            ("acme.archive.checkpoints", nil), ("acme.archive.keys", nil), ("acme.archive.sluice-archive.dlq", nil),
            ("acme.notifications.production.dlq", nil), ("acme.notifications.production..dlq", nil),
            ("appstore.quarantine", nil), ("other.dlq", nil), ("", nil),
        ] as [(String, ArchiveKind?)])
    func `a topic's name determines the kind of its archived records`(topic: String, kind: ArchiveKind?) {
        #expect(ArchiveKind(topic: KafkaTopic(rawValue: topic), names: Self.names) == kind)
    }

    @Test func `every topic of an installation except the derived ones is archived`() {
        let all = Self.names.specifications().map(\.name)
        let left = all.filter { ArchiveKind(topic: $0, names: Self.names) == nil }
        #expect(
            Set(left.map(\.rawValue)) == [
                "acme.entitlements.production", "acme.entitlements.sandbox", "acme.reconciliation.production",
                "acme.reconciliation.sandbox", "acme.refunds.preferences", "acme.archive.checkpoints",
                "acme.archive.keys", "acme.archive.sluice-archive.dlq", "acme.control", "acme.operations",
            ])
    }

    @Test func `a notification and its dead letter are about the same purchase`() throws {
        let purchase = ArchiveSubject(
            .production, BundleId("com.example.app"), OriginalTransactionId("2000000000000001"))
        let notifications = try topic("acme.notifications.production")
        let dead = try topic("acme.notifications.production.sluice-entitlements.dlq")
        let record = Samples.record
        #expect(notifications.subject(of: record) == purchase)
        #expect(dead.subject(of: record) == purchase)
        #expect(try topic("acme.notifications.sandbox").subject(of: record) != purchase)
        #expect(purchase.text == "Production/com.example.app/2000000000000001")
    }

    @Test func `a refund is about the purchase of its transaction`() throws {
        let refunds = try topic("acme.refunds.production")
        let value = Array(
            #"""
            {"formatVersion":1,"environment":"Production","bundleId":"com.example.app","transactionId":"77",
            "transaction":{"signedDate":1790000000000,"originalTransactionId":"70"},
            "granted":{"signedDate":1790000005000,"revocationDate":1790000004000}}
            """#.utf8)
        let record = KafkaRecord(
            topic: refunds.topic, partition: 0, offset: 9, timestampMilliseconds: 1_800_000_000_000,
            key: Array("com.example.app/77".utf8), value: value)
        #expect(refunds.subject(of: record)?.text == "Production/com.example.app/70")
        #expect(refunds.eventTime(of: record) == 1_790_000_005_000)
        let tombstone = KafkaRecord(
            topic: refunds.topic, partition: 0, offset: 10, timestampMilliseconds: 5,
            key: Array("com.example.app/77".utf8), value: nil)
        #expect(refunds.subject(of: tombstone)?.text == "Production/com.example.app/77")
        #expect(refunds.eventTime(of: tombstone) == 5)
    }

    @Test func `a record that identifies no person is its own subject`() throws {
        let quarantine = try topic("acme.quarantine")
        let keyed = KafkaRecord(topic: quarantine.topic, partition: 2, offset: 8, key: Array("uuid".utf8), value: [1])
        #expect(quarantine.subject(of: keyed)?.text == "acme.quarantine/2/8")
        let notifications = try topic("acme.notifications.production")
        for key in [nil, [], [0xFF]] as [[UInt8]?] {
            let record = KafkaRecord(topic: notifications.topic, partition: 0, offset: 3, key: key, value: [1])
            #expect(notifications.subject(of: record)?.text == "acme.notifications.production/0/3")
        }
    }

    @Test func `certificates and erasures have no subject`() throws {
        for name in ["acme.certificates", "acme.erasures"] {
            let record = KafkaRecord(topic: KafkaTopic(rawValue: name), partition: 0, offset: 0, key: [1], value: [1])
            #expect(try topic(name).subject(of: record) == nil)
        }
    }

    @Test func `a record's event time is that of Apple's signature, even if it is produced again`() throws {
        let notifications = try topic("acme.notifications.production")
        #expect(notifications.eventTime(of: Samples.record) == 1_790_000_000_000)
        let unreadable = KafkaRecord(
            topic: notifications.topic, partition: 0, offset: 0, timestampMilliseconds: 7, key: nil, value: [],
            headers: [KafkaHeader(key: "ce_time", text: "yesterday")])
        #expect(notifications.eventTime(of: unreadable) == 7)
        let timeless = KafkaRecord(topic: notifications.topic, partition: 0, offset: 0, key: nil, value: nil)
        #expect(notifications.eventTime(of: timeless) == nil)
    }

    private func topic(_ name: String) throws -> ArchivedTopic {
        try #require(ArchivedTopic(KafkaTopic(rawValue: name), names: Self.names))
    }
}
