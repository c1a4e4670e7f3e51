import AppStoreModel
import JSON
import KafkaModel
import Records
import Testing

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite("Writing notification records") struct RecordWritingTests {
    @Test(arguments: GoldenRecord.all)
    func `a record equals its golden copy`(golden: GoldenRecord) throws {
        let record = try #require(try golden.produced())
        #expect(record.key.map { String(decoding: $0, as: UTF8.self) } == golden.key)
        #expect(String(decoding: record.value ?? [], as: UTF8.self) == golden.value)
        #expect(record.headers.map { "\($0.key): \($0.text ?? "-")" } == golden.headers)
    }

    @Test func `a notification without a mandatory field has no identity`() throws {
        let whole =
            #"{"notificationType":"T","notificationUUID":"u","signedDate":1,"data":{"bundleId":"b","environment":"E"}}"#
        func identity(_ text: String) throws -> RecordIdentity? {
            RecordIdentity(NotificationEnvelope(try JSONDocument.object(bytes(text))))
        }
        #expect(try identity(whole.replacing("\"E\"", with: "\"Sandbox\"")) != nil)
        for environment in ["Xcode", "LocalTesting", "production", "E"] {
            #expect(try identity(whole.replacing("\"E\"", with: "\"\(environment)\"")) == nil)
        }
        let sandbox = whole.replacing("\"E\"", with: "\"Sandbox\"")
        for member in ["notificationType", "notificationUUID", "signedDate", "bundleId", "environment"] {
            #expect(try identity(sandbox.replacing("\"\(member)\"", with: "\"other\"")) == nil)
        }
    }

    @Test func `the key falls back in a fixed order`() throws {
        var identity = RecordIdentity(
            notificationUUID: NotificationUUID("u"), notificationType: .test, environment: .sandbox,
            bundleId: BundleId("b"),
            signedDate: .earliest, originalTransactionId: OriginalTransactionId("o"),
            appTransactionId: AppTransactionId("a"), requestIdentifier: RequestIdentifier("r"),
            externalPurchaseId: ExternalPurchaseId("e"))
        #expect(identity.key == "b/o")
        identity.originalTransactionId = nil
        #expect(identity.key == "b/a")
        identity.appTransactionId = nil
        #expect(identity.key == "b/r")
        identity.requestIdentifier = nil
        #expect(identity.key == "b/e")
        identity.externalPurchaseId = nil
        #expect(identity.key == "b/u")
    }

    @Test func `keys are split at the first slash`() {
        #expect(RecordKey.parts(of: "b/1/2").map { "\($0.bundleId)|\($0.subject)" } == "b|1/2")
        for key in ["", "b", "/1", "b/", "/"] { #expect(RecordKey.parts(of: key) == nil) }
        #expect(RecordKey.purchase(BundleId("b"), OriginalTransactionId("7")) == "b/7")
    }

    @Test(arguments: ["DROP TABLE x;--", "../../etc/passwd", "=cmd|' /C calc'!A0", "<script>", "\u{202E}evil", "a/b"])
    func `hostile identifiers are opaque text in key and headers`(text: String) throws {
        let payload =
            #"{"notificationType":"\#(text)","notificationUUID":"\#(text)","signedDate":1,"#
            + #""data":{"bundleId":"com.example","environment":"Sandbox"}}"#
        let identity = try #require(
            RecordIdentity(
                NotificationEnvelope(try JSONDocument.object(bytes(payload))),
                transaction: TransactionEnvelope(
                    try JSONDocument.object(bytes(#"{"transactionId":"1","originalTransactionId":"\#(text)"}"#)))))
        let record = KafkaProducerRecord(
            identity, to: "t", content: RecordContent(notification: bytes(payload)), receivedAt: .earliest)
        #expect(record.key.map { String(decoding: $0, as: UTF8.self) } == "com.example/\(text)")
        #expect(record.headers.text(.subject) == text)
        #expect(record.headers.text(.id) == text)
        let read = try NotificationRecord(key: record.key, value: record.value, headers: record.headers)
        #expect(read.notification.notificationUUID == NotificationUUID(text))
    }

    @Test(arguments: ["a\\u0000", "a\\nb", "", String(repeating: "x", count: 10_000)])
    func `identifiers that cannot be keys yield no identity`(text: String) throws {
        let payload =
            #"{"notificationType":"TEST","notificationUUID":"\#(text)","signedDate":1,"#
            + #""data":{"bundleId":"com.example","environment":"Sandbox"}}"#
        #expect(RecordIdentity(NotificationEnvelope(try JSONDocument.object(bytes(payload)))) == nil)
    }

    @Test func `ranges that do not fit are ignored`() {
        let content = RecordContent(notification: bytes("{}"), nestedJWSTexts: [5..<9, 1..<3])
        #expect(content.value == bytes(#"{"notification":{}}"#))
    }
}

@Suite("Reading notification records") struct NotificationRecordTests {
    @Test(arguments: GoldenRecord.all)
    func `a record is parsed as it was written`(golden: GoldenRecord) throws {
        let produced = try #require(try golden.produced())
        let record = try NotificationRecord(key: produced.key, value: produced.value, headers: produced.headers)
        let envelope = NotificationEnvelope(try JSONDocument.object(bytes(golden.notification)))
        #expect(record.key == golden.key)
        #expect(record.notification.notificationUUID == envelope.notificationUUID.value)
        #expect(record.notificationUUID == envelope.notificationUUID.value)
        #expect(record.notification.notificationType == envelope.notificationType.value)
        #expect(record.notification.signedDate == envelope.signedDate.value)
        #expect(record.notification.data?.signedTransactionInfo ?? "" == "")
        #expect(record.environment == envelope.environment.value)
        #expect(record.bundleId == envelope.bundleId.value)
        #expect(record.receivedAt == GoldenRecord.receivedAt)
        #expect(record.trust == golden.trust)
        #expect(record.origin == golden.origin)
        #expect(record.traceParent == golden.traceParent)
        #expect((record.proof == nil) == !(golden.evidence.isProof))
        #expect((record.signedPayload == nil) == !(golden.evidence.isSignedPayload))
        #expect((record.transaction != nil) == (golden.transaction != nil))
        #expect((record.renewalInfo != nil) == (golden.renewalInfo != nil))
        #expect((record.appTransaction != nil) == (golden.appTransaction != nil))
        #expect((record.legacy != nil) == (golden.legacy != nil))
    }

    @Test func `a null value is a defined error`() {
        #expect(throws: RecordError(.nullValue)) { try NotificationRecord(key: nil, value: nil, headers: []) }
    }

    @Test(arguments: [
        ("", RecordError(.invalidJSON, cause: JSONError(.empty, at: 0))),
        ("[]", RecordError(.invalidJSON, cause: JSONError(.notAnObject, at: 0))),
        (
            #"{"notification":{},"notification":{}}"#,
            RecordError(.invalidJSON, cause: JSONError(.duplicateName, at: 20))
        ),
        ("{}", RecordError(.noNotification)), (#"{"notification":null}"#, RecordError(.noNotification)),
        (#"{"notification":[]}"#, RecordError(.noNotification)),
    ])
    func `a value that is not a record is an error`(value: String, error: RecordError) {
        #expect(throws: error) { try NotificationRecord(key: nil, value: bytes(value), headers: []) }
    }

    @Test func `malformed headers, members of the wrong type and missing keys are tolerated`() throws {
        let value = #"{"more":1,"notification":{"x":1},"transaction":[],"renewalInfo":null,"signedPayload":5}"#
        let record = try NotificationRecord(
            key: [0xFF], value: bytes(value),
            headers: [
                KafkaHeader(key: "ce_trust", value: [0xFF]), KafkaHeader(key: "ce_origin", value: nil),
                KafkaHeader(key: "ce_environment", value: bytes("Moon")), KafkaHeader(key: "x", value: nil),
            ])
        #expect(record.key == nil)
        #expect(record.trust == nil && record.origin == nil && record.environment == nil && record.receivedAt == nil)
        #expect(
            record.transaction == nil && record.renewalInfo == nil && record.signedPayload == nil && record.proof == nil
        )
        #expect(record.notification.unknownFields["x"] == 1)
    }

    @Test func `a payload as deep as the ingress accepts can be parsed inside its record`() throws {
        let deep =
            #"{"notificationType":"TEST","notificationUUID":"u","signedDate":1,"data":{"bundleId":"b","#
            + #""environment":"Sandbox"},"deep":"# + String(repeating: "[", count: 31)
            + String(repeating: "]", count: 31) + "}"
        let content = RecordContent(notification: try JSONDocument.object(bytes(deep)).bytes)
        #expect(throws: Never.self) { try NotificationRecord(key: nil, value: content.value, headers: []) }
    }
}

@Suite("Topic names") struct TopicNamesTests {
    @Test func `topic names match the contract`() {
        let names = TopicNames()
        #expect(
            names.all.map(\.rawValue) == [
                "appstore.notifications.production", "appstore.notifications.sandbox", "appstore.quarantine",
                "appstore.certificates", "appstore.entitlements.production", "appstore.entitlements.sandbox",
                "appstore.refunds.production", "appstore.refunds.sandbox", "appstore.refunds.preferences",
                "appstore.reconciliation.production",
                "appstore.reconciliation.sandbox", "appstore.erasures", "appstore.archive.keys",
                "appstore.archive.checkpoints", "appstore.control", "appstore.operations",
            ])
        #expect(
            names.notifications(.production).deadLetters(of: "sluice-entitlements").rawValue
                == "appstore.notifications.production.sluice-entitlements.dlq")
        #expect(names.archiveDeadLetters == "appstore.archive.sluice-archive.dlq")
        #expect(TopicNames(prefix: "acme").quarantine == "acme.quarantine")
    }

    @Test func `only Production and Sandbox have topics`() {
        #expect(AppStoreEnvironment.published.map(\.topicSuffix) == ["production", "sandbox"])
        for environment in [AppStoreEnvironment.xcode, .localTesting, AppStoreEnvironment("sandbox")] {
            #expect(!environment.isPublished && AppStoreEnvironment(published: environment.rawValue) == nil)
        }
    }

    @Test func `header names match the contract`() {
        #expect(
            RecordHeaderName.allCases.map(\.rawValue) == [
                "ce_specversion", "ce_id", "ce_type", "ce_source", "ce_subject", "ce_time", "content-type",
                "ce_environment", "ce_bundleid", "ce_receivedtime", "ce_trust", "ce_origin", "traceparent",
                "sluice.quarantine.reason", "sluice.quarantine.detail", "sluice.quarantine.receivedtime",
                "sluice.quarantine.environment", "sluice.quarantine.bundleid", "sluice.quarantine.source",
                "sluice.replay.reason",
            ])
    }
}

@Suite("Quarantine record") struct QuarantineRecordTests {
    @Test func `the reason of a version 1 body is the one in archived records`() {
        #expect(QuarantineRecord.legacyProfileReason == "v1_profile")
    }

    @Test func `the bytes are exact, and the reasons are in the headers`() {
        let record = QuarantineRecord(
            reason: "profile_dup", detail: "duplicate_name at byte 7", receivedAt: GoldenRecord.receivedAt,
            environment: .sandbox, bundleId: BundleId("b"), notificationUUID: NotificationUUID("u"), source: .history,
            receivedBytes: [0, 0xFF, 0x0A])
        let produced = record.produced(to: "appstore.quarantine")
        #expect(produced.value == [0, 0xFF, 0x0A])
        #expect(produced.key == bytes("u"))
        #expect(
            produced.headers.map { "\($0.key): \($0.text ?? "-")" } == [
                "sluice.quarantine.reason: profile_dup", "sluice.quarantine.detail: duplicate_name at byte 7",
                "sluice.quarantine.receivedtime: 2026-09-21T14:13:21.042Z", "sluice.quarantine.environment: Sandbox",
                "sluice.quarantine.bundleid: b", "sluice.quarantine.source: history",
            ])
        #expect(QuarantineRecord(key: produced.key, value: produced.value, headers: produced.headers) == record)
    }

    @Test func `without a usable notificationUUID the record has no key`() {
        func key(_ notificationUUID: NotificationUUID?) -> [UInt8]? {
            QuarantineRecord(
                reason: "r", receivedAt: nil, notificationUUID: notificationUUID, receivedBytes: []
            ).produced(to: "q").key
        }
        #expect(key(nil) == nil)
        #expect(key(NotificationUUID("")) == nil)
        #expect(key(NotificationUUID("a\u{0}b")) == nil)
        #expect(key(NotificationUUID(String(repeating: "x", count: 300))) == nil)
    }

    @Test func `untrusted details are truncated and have no control characters`() {
        for (repeated, length) in [("x", 512), ("é", 511), ("€", 512), ("😀", 509)] {
            let record = QuarantineRecord(
                reason: "r", detail: "a\r\nb\u{0}" + String(repeating: repeated, count: 1000), receivedAt: nil,
                receivedBytes: [])
            let detail = record.produced(to: "q").headers.text(.quarantineDetail) ?? ""
            #expect(detail.hasPrefix("a??b?" + repeated + repeated))
            #expect(detail.utf8.count == length)
        }
    }

    @Test func `an unrecognized record is parsed as far as possible`() {
        let record = QuarantineRecord(key: [0xFF], value: nil, headers: [])
        #expect(record.reason == "unknown")
        #expect(record.receivedBytes.isEmpty)
        #expect(record.notificationUUID == nil && record.receivedAt == nil && record.source == nil)
    }
}

extension RecordContent.Evidence? {
    fileprivate var isProof: Bool {
        if case .proof = self { true } else { false }
    }

    fileprivate var isSignedPayload: Bool {
        if case .signedPayload = self { true } else { false }
    }
}
