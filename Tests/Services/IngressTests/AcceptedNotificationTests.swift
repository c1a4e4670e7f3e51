import AppStoreModel
import AppStoreSigning
import AppStoreTestSupport
import Foundation
import HTTPClient
import Kafka
import KafkaDevBroker
import Records
import Simulator
import Telemetry
import Testing

@testable import Ingress

@Suite(.timeLimit(.minutes(5))) struct AcceptedNotificationTests {
    private static let shared = Result { try DevBroker() }
    private let broker: DevBroker
    private let appStore: TestAppStore

    init() throws {
        broker = try Self.shared.get()
        appStore = try TestAppStore.shared()
    }

    @Test func `a notification answered 200 has one record with Apple's bytes, its key and its headers`() async throws {
        let draft = TestAppStore.Draft()
        let jws = try appStore.renewal(draft)
        try await IngressHarness.with(broker) { harness async throws in
            let response = try await harness.post(TestAppStore.body(jws))
            #expect(response.status == 200)
            #expect(response.body.isEmpty)
            #expect(response.header("server") == nil)
            #expect(harness.decisions("accepted", 200) == 1)

            let record = try #require(try await harness.records(harness.production).first)
            #expect(try await harness.counts() == [1, 0, 0])
            #expect(record.keyText == "com.example.app/2000000000000001")
            let value =
                #"{"notification":\#(draft.emptiedNotification),"transaction":\#(draft.transaction),"#
                + #""renewalInfo":\#(draft.renewalInfo),"proof":{"notification":{"header":""#
            let text = String(decoding: record.value ?? [], as: UTF8.self)
            #expect(text.hasPrefix(value))
            #expect(!text.contains(#""signedPayload""#))
            #expect(harness.value("sluice_ingress_records_with_signed_payload_total") == 0)
            #expect(harness.value("sluice_ingress_certificate_headers_published_total") == 1)
            let headers = try await harness.headers()
            #expect(headers.count == 1)
            #expect(try NotificationRecord(record).rebuild { headers[$0] } == Array(jws.utf8))
            let receivedTime = try #require(record.text("ce_receivedtime"))
            let receivedAt = try #require(AppStoreInstant(rfc3339: receivedTime)).millisecondsSince1970
            #expect((TestTime.start...TestTime.start + 60_000).contains(receivedAt))
            #expect(
                record.headers.map { "\($0.key): \(record.text($0.key) ?? "nil")" } == [
                    "ce_specversion: 1.0", "ce_id: \(draft.notificationUUID)",
                    "ce_type: com.apple.appstore.DID_RENEW.BILLING_RECOVERY",
                    "ce_source: /appstore/Production/com.example.app", "ce_subject: 2000000000000001",
                    "ce_time: 2027-01-15T07:59:00.000Z", "content-type: application/json",
                    "ce_environment: Production", "ce_bundleid: com.example.app",
                    "ce_receivedtime: \(receivedTime)", "ce_trust: signed", "ce_origin: live",
                ])
        }
    }

    @Test func `every notification of many customers is stored under its key`() async throws {
        let notifications = try appStore.corpus(120)
        try await IngressHarness.with(broker) { harness async throws in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for notification in notifications {
                    group.addTask { try await harness.post(notification.body).status }
                }
                for try await status in group { #expect(status == 200) }
            }
            let records = try await harness.records(harness.production)
            #expect(
                Set(records.map { [$0.text("ce_id"), $0.keyText] })
                    == Set(notifications.map { [$0.notificationUUID.rawValue, $0.key] }))
            #expect(records.count == notifications.count)
            let headers = try await harness.headers()
            let posted = Dictionary(
                uniqueKeysWithValues: notifications.map {
                    (TestAppStore.jws(of: $0.body), $0.notificationUUID.rawValue)
                }
            )
            for record in records {
                let read = try NotificationRecord(record)
                #expect(posted[try read.rebuild { headers[$0] }] == record.text("ce_id"))
                #expect(read.notification.notificationUUID?.rawValue == record.text("ce_id"))
            }
        }
    }

    @Test func `an acknowledged notification is answered again without a second record`() async throws {
        let body = TestAppStore.body(try appStore.renewal())
        try await IngressHarness.with(broker) { harness async throws in
            for _ in 0..<5 { #expect(try await harness.post(body).status == 200) }
            #expect(harness.decisions("accepted", 200) == 1)
            #expect(harness.decisions("duplicate", 200) == 4)
            #expect(try await harness.counts() == [1, 0, 0])
        }
    }

    @Test func `a notification signed again is a duplicate`() async throws {
        let draft = TestAppStore.Draft()
        let bodies = [
            TestAppStore.body(try appStore.renewal(draft)), TestAppStore.body(try appStore.renewal(draft)),
        ]
        #expect(bodies[0] != bodies[1])
        try await IngressHarness.with(broker) { harness async throws in
            for body in bodies { #expect(try await harness.post(body).status == 200) }
            #expect(try await harness.counts() == [1, 0, 0])
        }
    }

    @Test func `another notification with an acknowledged UUID is answered 200, counted and logged`() async throws {
        let draft = TestAppStore.Draft()
        var other = draft
        other.notificationType = "OFFER_REDEEMED"
        let (first, second) = (try appStore.renewal(draft), try appStore.renewal(other))
        try await IngressHarness.with(broker) { harness async throws in
            // A retry that Apple signs again is the same notification.
            for signed in [first, try appStore.renewal(draft)] {
                #expect(try await harness.post(TestAppStore.body(signed)).status == 200)
            }
            #expect(harness.value("sluice_ingress_contradictions_total") == 0)
            #expect(try await harness.post(TestAppStore.body(second)).status == 200)
            #expect(harness.value("sluice_ingress_contradictions_total") == 1)
            #expect(harness.log.lines.contains { $0.contains("keeping the first") })
            #expect(try await harness.counts() == [1, 0, 0])
        }
    }

    @Test func `the nested objects of an acknowledged notification are not verified again`() async throws {
        let draft = TestAppStore.Draft()
        // Apple's signature over the same UUID, with a transaction for which a first post would be quarantined.
        var payloads = draft.payloads
        payloads.transactionInfo = "{}"
        let again = try NotificationSigner(JWSSigner(appStore.pki), nested: JWSSigner(appStore.pki)).sign(payloads)
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(TestAppStore.body(try appStore.renewal(draft))).status == 200)
            #expect(try await harness.post(TestAppStore.body(again.signedPayload)).status == 200)
            #expect(harness.decisions("duplicate", 200) == 1)
            #expect(try await harness.counts() == [1, 0, 0])
        }
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(TestAppStore.body(again.signedPayload)).status == 200)
            #expect(harness.decisions("duplicate", 200) == 0)
            #expect(try await harness.counts() == [0, 0, 1])
        }
    }

    @Test func `concurrent copies of a notification produce one record and are all answered`() async throws {
        let body = TestAppStore.body(try appStore.renewal())
        // A separate broker that delays its responses, so that the copies overlap.
        let slow = try DevBroker()
        try await IngressHarness.with(slow) { harness async throws in
            try slow.setRoundTripTime(.milliseconds(300))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await harness.post(body).status } }
                for try await status in group { #expect(status == 200) }
            }
            try slow.setRoundTripTime(.zero)
            #expect(harness.decisions("accepted", 200) == 1)
            #expect(harness.decisions("duplicate", 200) == 19)
            #expect(try await harness.counts() == [1, 0, 0])
        }
        await slow.stop()
    }

    @Test func `a sandbox notification for an app without sandbox is written to the sandbox topic`() async throws {
        var draft = TestAppStore.Draft()
        draft.environment = "Sandbox"
        let jws = try appStore.renewal(draft)
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(TestAppStore.body(jws)).status == 200)
            #expect(harness.decisions("sandbox", 200) == 1)
            #expect(try await harness.counts() == [0, 1, 0])
            let record = try #require(try await harness.records(harness.sandbox).first)
            #expect(record.text("ce_environment") == "Sandbox")
            #expect(record.text("ce_source") == "/appstore/Sandbox/com.example.app")
        }
    }

    @Test func `a notification about a subscription without renewal info is published and counted`() async throws {
        var payloads = TestAppStore.Draft().payloads
        payloads.notification = payloads.notification.replacing(
            #""signedRenewalInfo":"{signedRenewalInfo}","#, with: "")
        payloads.renewalInfo = nil
        let jws = try NotificationSigner(JWSSigner(appStore.pki)).sign(payloads).signedPayload
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(TestAppStore.body(jws)).status == 200)
            #expect(harness.decisions("accepted", 200) == 1)
            #expect(try await harness.counts() == [1, 0, 0])
            #expect(harness.value("sluice_ingress_renewal_info_missing_total") == 1)
        }
    }

    @Test func `production and sandbox notifications with one UUID are not duplicates`() async throws {
        let production = TestAppStore.Draft()
        var sandbox = production
        sandbox.environment = "Sandbox"
        let bodies = [
            TestAppStore.body(try appStore.renewal(production)), TestAppStore.body(try appStore.renewal(sandbox)),
        ]
        try await IngressHarness.with(broker) { harness async throws in
            for body in bodies { #expect(try await harness.post(body).status == 200) }
            #expect(try await harness.counts() == [1, 1, 0])
        }
    }

    @Test func `a notification of an unknown type in a body with unknown members is accepted`() async throws {
        var draft = TestAppStore.Draft()
        draft.notificationType = "INVENTED_TOMORROW"
        let body = Array(#"{"new":{"a":[1]},"signedPayload":"\#(try appStore.renewal(draft))","x":null}"#.utf8)
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(body).status == 200)
            let record = try #require(try await harness.records(harness.production).first)
            #expect(record.text("ce_type") == "com.apple.appstore.INVENTED_TOMORROW.BILLING_RECOVERY")
            #expect(
                harness.value("sluice_ingress_notifications_total{environment=\"production\",type=\"other\"}") == 1)
        }
    }

    @Test(arguments: [
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true),
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", false),
        ("00-00000000000000000000000000000000-b7ad6b7169203331-01", false),
        ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false),
        ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false),
        ("00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01", false), ("x", false), ("", false),
    ])
    func `trace context is forwarded only if valid`(traceparent: String, isValid: Bool) async throws {
        let body = TestAppStore.body(try appStore.renewal())
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(body, headers: [("traceparent", traceparent)]).status == 200)
            let record = try #require(try await harness.records(harness.production).first)
            #expect(record.text("traceparent") == (isValid ? traceparent : nil))
        }
    }
}
