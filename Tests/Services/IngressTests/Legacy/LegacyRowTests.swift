import AppStoreModel
import AppStoreSettings
import AppStoreVerification
import Foundation
import HTTPClient
import HTTPServer
import JSON
import Kafka
import KafkaDevBroker
import Primitives
import Records
import Telemetry
import TestSupport
import Testing

@testable import Ingress

/// Version 1 and older bodies over HTTP: rows H-40, H-41 and H-121 to H-128 of the threat model, and 13.4 of Apple's
/// notifications.
@Suite(.timeLimit(.minutes(5))) struct LegacyRowTests {
    private static let shared = Result { try DevBroker() }
    private let broker: DevBroker
    private let directory: TemporaryDirectory
    private let secrets: String

    init() throws {
        broker = try Self.shared.get()
        directory = try TemporaryDirectory()
        secrets = try directory.write("# App Information\n\(LegacyBody.secret)\n", to: "secrets")
    }

    private func with(
        clocks: Clocks = TestTime.clocks, _ change: (inout IngressConfiguration) throws -> Void = { _ in },
        _ body: (IngressHarness) async throws -> Void
    ) async throws {
        try await IngressHarness.with(
            broker, clocks: clocks,
            { settings in
                settings.legacyApps = [.init(bundleId: BundleId(TestAppStore.bundleId), path: secrets)]
                settings.proxies = []
                try change(&settings)
            }, body)
    }

    @Test func `a version 1 body is published as a record like any other`() async throws {
        try await with { harness async throws in
            #expect(try await harness.post(LegacyBody().bytes).status == 200)
            let records = try await harness.records(harness.production)
            let record = try NotificationRecord(try #require(records.first))
            #expect(records.count == 1 && record.trust == .sharedSecret && record.origin == .live)
            #expect(record.key == "com.example.app/440000599543880")
            #expect(record.notification.notificationType == .didRenew)
            #expect(record.transaction?.originalTransactionId?.rawValue == "440000599543880")
            #expect(record.renewalInfo?.autoRenewProductId?.rawValue == "com.example.pro.month")
            #expect(record.legacy?["password"] == nil && record.legacy?["bvrs"]?.string == "42")
            #expect(record.legacy?["unified_receipt"]?["latest_receipt"] == nil)
            #expect(record.notificationUUID?.rawValue.utf8.count == 64)
            #expect(harness.value("sluice_ingress_legacy_notifications_total{type=\"DID_RENEW\"}") == 1)
            // Apple's next attempt may contain a newer receipt.
            var retry = LegacyBody()
            retry.receiptBytes = 128
            #expect(try await harness.post(retry.bytes).status == 200)
            #expect(harness.decisions("duplicate", 200) == 1)
            #expect(try await harness.records(harness.production).count == 1)
        }
    }

    @Test func `a body in the oldest format is published without the identifiers of the device`() async throws {
        try await with { harness async throws in
            #expect(try await harness.post(LegacyBody.statusUpdate()).status == 200)
            let record = try #require(try await harness.records(harness.production).first)
            #expect(record.text("ce_type") == "com.apple.appstore.SUBSCRIBED.INITIAL_BUY")
            let value = String(decoding: record.value ?? [], as: UTF8.self)
            for secret in [LegacyBody.secret, "device-1234567890", "vendor-1234567890", "MIITabcdefgh"] {
                #expect(!value.contains(secret), "\(secret)")
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let row: String
        let status: Int
        let reason: String
        let change: @Sendable (inout LegacyBody) -> Void
        /// Number of records in the production, sandbox and quarantine topics.
        var records = [0, 0, 0]
        var testDescription: String { row }
    }

    static let rows: [Row] = [
        Row(row: "H-41 another app", status: 403, reason: "audience") { $0.bid = "com.example.none" },
        Row(row: "H-121 a wrong password", status: 401, reason: "v1_password") {
            $0.password = "\"\(LegacyBody.secret.dropLast())1\""
        },
        Row(row: "H-121 the password in capitals", status: 401, reason: "v1_password") {
            $0.password = "\"\(LegacyBody.secret.uppercased())\""
        },
        Row(row: "H-121 a wrong password without bid", status: 401, reason: "v1_password") {
            $0.bid = nil
            $0.password = "\"guess\""
        },
        Row(row: "H-122 an empty password", status: 401, reason: "v1_password") { $0.password = "\"\"" },
        Row(row: "H-122 a null password", status: 401, reason: "v1_password") { $0.password = "null" },
        Row(row: "H-122 a number as password", status: 401, reason: "v1_password") { $0.password = "12345678" },
        Row(row: "H-122 an array as password", status: 401, reason: "v1_password") {
            $0.password = "[\"\(LegacyBody.secret)\"]"
        },
        Row(row: "H-122 a password of 1 MiB", status: 401, reason: "v1_password") {
            $0.password = "\"\(String(repeating: "a", count: 1 << 20))\""
        },
        Row(
            row: "H-124 an unknown type", status: 200, reason: "accepted", change: { $0.type = "DID_SOMETHING" },
            records: [1, 0, 0]),
        Row(
            row: "H-124 a receipt that cannot be read", status: 200, reason: "v1_profile",
            change: { $0.receiptInfo = "{}" }, records: [0, 0, 1]),
        Row(
            row: "H-124 an identifier that is SQL", status: 200, reason: "v1_profile",
            change: { $0.namedTransactionId = "\"1' OR 1\"" }, records: [0, 0, 1]),
        Row(
            row: "H-125 the sandbox, for an app without it", status: 200, reason: "sandbox",
            change: {
                $0.environment = "Sandbox"
                $0.receiptEnvironment = "Sandbox"
            }, records: [0, 1, 0]),
        Row(
            row: "V4 Production at the top", status: 200, reason: "v1_profile",
            change: { $0.environment = "Production" }, records: [0, 0, 1]),
        Row(
            row: "V4 an unknown environment", status: 200, reason: "v1_profile", change: { $0.environment = "Xcode" },
            records: [0, 0, 1]),
        Row(
            row: "V5 two environments", status: 200, reason: "v1_profile",
            change: { $0.receiptEnvironment = "Sandbox" }, records: [0, 0, 1]),
        Row(
            row: "V6 a type that is no text", status: 200, reason: "v1_profile", change: { $0.typeValue = "7" },
            records: [0, 0, 1]),
        Row(row: "V7a an unknown environment and a wrong password", status: 401, reason: "v1_password") {
            $0.environment = "Xcode"
            $0.password = "\"guess\""
        },
        Row(row: "V7a two environments and no password", status: 401, reason: "v1_password") {
            $0.receiptEnvironment = "Sandbox"
            $0.password = "null"
        },
        Row(row: "V7a 1,001 transactions and a wrong password", status: 401, reason: "v1_password") {
            $0.transactions = 1001
            $0.password = "\"guess\""
        },
        Row(row: "V7a a bid that is no text and a wrong password", status: 401, reason: "v1_password") {
            $0.bidValue = "7"
            $0.password = "\"guess\""
        },
        Row(
            row: "a bid that is no text", status: 200, reason: "v1_profile", change: { $0.bidValue = "7" },
            records: [0, 0, 1]),
        Row(
            row: "V7 no transactions", status: 200, reason: "accepted", change: { $0.receiptInfo = "[]" },
            records: [1, 0, 0]),
        Row(
            row: "V7 1,001 transactions", status: 200, reason: "v1_profile", change: { $0.transactions = 1001 },
            records: [0, 0, 1]),
        Row(
            row: "V8 a date that is no number", status: 200, reason: "accepted",
            change: { $0.further = #""auto_renew_status_change_date_ms":"soon","# }, records: [1, 0, 0]),
        Row(
            row: "no bid", status: 200, reason: "accepted", change: { $0.bid = nil }, records: [1, 0, 0]),
        Row(
            row: "the password spelled with escapes", status: 200, reason: "accepted",
            change: { body in
                let escaped = LegacyBody.secret.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
                body.password = "\"\(escaped)\""
            }, records: [1, 0, 0]),
        Row(row: "both forms", status: 400, reason: "json_shape") { $0.further = #""signedPayload":"a.b.c","# },
        Row(row: "the password twice", status: 400, reason: "json_dup") { $0.further = #""p\u0061ssword":"x","# },
    ]

    @Test(arguments: rows)
    func `each row has its response and its records, and the secret appears nowhere`(row: Row) async throws {
        var body = LegacyBody()
        row.change(&body)
        try await with { harness async throws in
            #expect(try await harness.post(body.bytes).status == row.status)
            #expect(await eventually(within: .seconds(10)) { harness.decisions(row.reason, row.status) == 1 })
            #expect(try await harness.counts() == row.records)
            var kept = harness.log.lines.joined(separator: "\n")
            kept += String(decoding: harness.metrics.prometheusText(), as: UTF8.self)
            for topic in [harness.production, harness.sandbox, harness.topics.quarantine] {
                for record in try await harness.records(topic) {
                    kept += String(decoding: record.value ?? [], as: UTF8.self)
                    for header in record.headers { kept += String(decoding: header.value ?? [], as: UTF8.self) }
                }
            }
            #expect(!kept.lowercased().contains(LegacyBody.secret))
        }
    }

    @Test func `H-40, H-128: without a shared secret version 1 bodies are rejected`() async throws {
        var other = LegacyBody()
        other.bid = "com.example.other"
        let app = AppIdentity(bundleId: BundleId("com.example.other"), appAppleId: AppAppleId(7))
        try await with({ $0.verifier.apps.append(app) }) { harness async throws in
            // Another configured app has a secret, but this app has none.
            #expect(try await harness.post(other.bytes).status == 403)
            #expect(harness.decisions("v1_disabled", 403) == 1)
            #expect(try await harness.post(LegacyBody().bytes).status == 200)
        }
        try await with({ $0.legacyApps = [] }) { harness async throws in
            #expect(try await harness.post(LegacyBody().bytes).status == 403)
            #expect(harness.decisions("v1_disabled", 403) == 1)
        }
    }

    @Test func `a body without bid is quarantined when several apps have its secret`() async throws {
        var body = LegacyBody()
        body.bid = nil
        let other = AppIdentity(bundleId: BundleId("com.example.other"), appAppleId: AppAppleId(7))
        try await with({ settings in
            settings.verifier.apps.append(other)
            settings.legacyApps.append(.init(bundleId: other.bundleId, path: secrets))
        }) { harness async throws in
            #expect(try await harness.post(body.bytes).status == 200)
            #expect(try await harness.counts() == [0, 0, 1])
            let record = try #require(try await harness.records(harness.topics.quarantine).first)
            #expect(record.text("sluice.quarantine.reason") == "v1_profile")
            #expect(record.text("sluice.quarantine.bundleid") == nil)
            #expect(!String(decoding: record.value ?? [], as: UTF8.self).contains(LegacyBody.secret))
            // With `bid`, the app is unambiguous.
            #expect(try await harness.post(LegacyBody().bytes).status == 200)
            #expect(try await harness.counts() == [1, 0, 1])
        }
    }

    @Test func `H-123: wrong passwords for one app do not block another app's notifications from Apple's network`()
        async throws
    {
        let changed = try directory.write("ffffffffffffffffffffffffffffffff\n", to: "changed")
        let other = AppIdentity(bundleId: BundleId("com.example.other"), appAppleId: AppAppleId(7))
        // The secret was changed in App Store Connect but not here.
        var stale = LegacyBody()
        stale.bid = other.bundleId.rawValue
        var unnamed = LegacyBody()
        unnamed.bid = nil
        unnamed.password = "\"guessed\""
        try await with({ settings in
            settings.verifier.apps.append(other)
            settings.legacyApps.append(.init(bundleId: other.bundleId, path: changed))
        }) { harness async throws in
            for _ in 0..<8 { #expect(try await harness.post(stale.bytes).status == 401) }
            #expect(try await harness.post(unnamed.bytes).status == 401)
            #expect(try await harness.post(LegacyBody().bytes).status == 200)
            #expect(harness.decisions("v1_password", 401) == 9)
            let passwords = "sluice_ingress_legacy_passwords_total"
            #expect(harness.value(passwords + "{bundleid=\"com.example.other\",outcome=\"wrong\"}") == 8)
            #expect(harness.value(passwords + "{bundleid=\"-\",outcome=\"wrong\"}") == 1)
            #expect(harness.value(passwords + "{bundleid=\"com.example.app\",outcome=\"right\"}") == 1)
            #expect(harness.value(passwords + "{bundleid=\"com.example.app\",outcome=\"wrong\"}") == 0)
        }
    }

    @Test func `behind proxies, the log does not mention a limit on wrong passwords`() async throws {
        try await with({ $0.proxies = ["127.0.0.0/8"] }) { harness async throws in
            #expect(harness.log.lines.contains { $0.contains(#""listener":"notifications""#) })
            #expect(!harness.log.lines.contains { $0.contains("wrong passwords") })
        }
    }

    @Test func `the third change of the next product is published although it equals the first`() async throws {
        var change = LegacyBody()
        change.type = "DID_CHANGE_RENEWAL_PREF"
        let clock = ManualClock()
        let clocks = Clocks(
            wallMilliseconds: { TestTime.start + Int64(clamping: clock.now / 1_000_000) },
            monotonicNanoseconds: { clock.now })
        try await with(clocks: clocks) { harness async throws in
            for product in ["basic", "pro", "basic"] {
                clock.advance(by: .seconds(60))
                change.nextProduct = "com.example.\(product)"
                #expect(try await harness.post(change.bytes).status == 200)
            }
            let products = try await harness.records(harness.production).map {
                try NotificationRecord($0).renewalInfo?.autoRenewProductId?.rawValue
            }
            #expect(products == ["com.example.basic", "com.example.pro", "com.example.basic"])
            #expect(harness.decisions("duplicate", 200) == 0)
        }
    }

    @Test func `a body that names its purchase but none of its transactions is unresolved`() async throws {
        var empty = LegacyBody()
        empty.receiptInfo = "[]"
        try await with { harness async throws in
            #expect(try await harness.post(empty.bytes).status == 200)
            #expect(try await harness.post(LegacyBody().bytes).status == 200)
            #expect(harness.value("sluice_ingress_legacy_unresolved_total") == 1)
        }
    }

    @Test(arguments: ["unknown", "\"", ""])
    func `behind a forwarding proxy, clients with an unreadable address are logged once`(
        _ address: String
    ) async throws {
        try await with({
            $0.proxies = ["127.0.0.0/8"]
            $0.forwarded = .xForwardedFor
        }) { harness async throws in
            let fields = address.isEmpty ? [] : [("X-Forwarded-For", address)]
            for _ in 0..<5 { #expect(try await harness.post(LegacyBody().bytes, headers: fields).status == 200) }
            let warning = "unidentified clients share one limit"
            #expect(harness.log.lines.filter { $0.contains(warning) }.count == 1)
        }
    }

    @Test func `H-127: a query is ignored, and a password in it or in a header is neither logged nor stored`()
        async throws
    {
        try await with { harness async throws in
            let response = try await harness.client.send(
                HTTPClientRequest(
                    method: "POST", url: harness.address + "?password=canary-in-query",
                    headers: [(name: "Password", value: "canary-in-header")], body: LegacyBody().bytes))
            #expect(response.status == 200)
            let record = try #require(try await harness.records(harness.production).first)
            let kept = harness.log.lines.joined() + String(decoding: record.value ?? [], as: UTF8.self)
            #expect(!kept.contains("canary"))
        }
    }

    @Test func `a body of a version 2 notification has its own size limit`() async throws {
        try await with { harness async throws in
            let limit = NotificationListener.maximumBody
            let body = TestAppStore.body(try TestAppStore.shared().renewal())
            let long = Array(#"{"padding":"\#(String(repeating: "x", count: limit))","#.utf8) + body.dropFirst()
            #expect(try await harness.post(long).status == 413)
            #expect(harness.decisions("too_large", 413) == 1)
            #expect(try await harness.post(body).status == 200)
        }
    }

    @Test func `a body of 1.9 MiB with 1,000 transactions is accepted`() async throws {
        var body = LegacyBody()
        body.transactions = 1000
        body.receiptBytes = 1_900_000 - body.bytes.count
        try await with { harness async throws in
            #expect(try await harness.post(body.bytes).status == 200)
            let record = try #require(try await harness.records(harness.production).first)
            #expect(try NotificationRecord(record).transaction?.transactionId?.rawValue == "440000610001000")
        }
    }

    @Test func `secrets are reloaded: first the old and the new one together, then only the new one`() async throws {
        let clock = ManualClock()
        let new = "ffffffffffffffffffffffffffffffff"
        var body = LegacyBody()
        var answers: [Int] = []
        try await with(clocks: TestTime.standing(clock)) { harness async throws in
            for text in ["\(LegacyBody.secret)\n\(new)\n", "\(new)\n", "short\n"] {
                _ = try directory.write(text, to: "secrets")
                clock.advance(by: .seconds(2))
                for password in [LegacyBody.secret, new] {
                    body.password = "\"\(password)\""
                    body.originalTransactionId += "1"
                    answers.append(try await harness.post(body.bytes).status)
                }
            }
            let log = harness.log.lines.joined()
            #expect(log.contains("failed to reload shared secrets") && log.contains("shared.secret.file"))
            #expect(!log.contains(new) && !log.contains("short\\n"))
        }
        // An invalid file leaves the secrets unchanged.
        #expect(answers == [200, 200, 401, 200, 401, 200])
    }
}
