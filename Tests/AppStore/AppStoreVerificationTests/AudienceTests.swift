import AppStoreModel
import AppStoreSigning
import Cryptography
import Testing

@testable import AppStoreVerification

/// Check 13: rows H-99 to H-104.
@Suite struct AudienceTests {
    @Test(arguments: rows)
    func `only notifications for configured apps are for us`(_ row: HostileInput) throws {
        try row.check()
    }

    static let rows: [HostileInput] = [
        HostileInput("H-99", "another bundleId", .notForUs(.audience)) {
            $0.identity["bundleId"] = "\"com.example.other\""
        },
        HostileInput("H-99", "bundleId in another case", .notForUs(.audience)) {
            $0.identity["bundleId"] = "\"com.example.App\""
        },
        HostileInput("H-99", "no bundleId", .notForUs(.audience)) { $0.identity["bundleId"] = nil },
        HostileInput("H-99", "bundleId a number", .notForUs(.audience)) { $0.identity["bundleId"] = "5" },
        HostileInput("H-100", "another appAppleId", .notForUs(.audience)) { $0.identity["appAppleId"] = "1234567891" },
        HostileInput("H-100", "no appAppleId in Production", .notForUs(.audience)) { $0.identity["appAppleId"] = nil },
        HostileInput("H-101", "Sandbox for an app of production only", .sandbox, .sandbox) { _ in },
        HostileInput("H-101", "Sandbox without appAppleId", .sandbox, .sandbox) { $0.identity["appAppleId"] = nil },
        HostileInput("H-101", "Sandbox with another appAppleId", .sandbox, .sandbox) {
            $0.identity["appAppleId"] = "1"
        },
        HostileInput("H-102", "Xcode", .notForUs(.audience)) { $0.identity["environment"] = "\"Xcode\"" },
        HostileInput("H-102", "LocalTesting", .notForUs(.audience)) { $0.identity["environment"] = "\"LocalTesting\"" },
        HostileInput("C3", "an unknown environment", .notForUs(.audience)) {
            $0.identity["environment"] = "\"production\""
        },
        HostileInput("C3", "no environment", .notForUs(.audience)) { $0.identity["environment"] = nil },
        HostileInput("C3", "environment null", .notForUs(.audience)) { $0.identity["environment"] = "null" },
        HostileInput(
            "H-103", "a transaction", .notForUs(.typeConfusion),
            jws: { kit in
                try kit.sign(NotificationDraft().transaction?.text ?? "")
            }),
        HostileInput(
            "H-103", "renewal info", .notForUs(.typeConfusion),
            jws: { kit in
                try kit.sign(NotificationDraft().renewalInfo?.text ?? "")
            }),
        HostileInput(
            "H-103", "an app transaction", .notForUs(.typeConfusion),
            jws: { kit in
                try kit.sign(NotificationDraft.appData.appTransaction?.text ?? "")
            }),
        HostileInput(
            "H-103", "a retention request", .notForUs(.typeConfusion),
            jws: { kit in
                try kit.sign(
                    "{\"originalTransactionId\":\"1\",\"appAppleId\":1234567890,\"productId\":\"p\",\"userLocale\":\"en-US\","
                        + "\"requestIdentifier\":\"r\",\"environment\":\"Production\",\"signedDate\":1}")
            }),
        HostileInput("H-104", "an unknown type", .accepted) { $0.outer["notificationType"] = "\"SOMETHING_NEW\"" },
        HostileInput("H-104", "an unknown subtype", .accepted) { $0.outer["subtype"] = "\"SOMETHING_NEW\"" },
        HostileInput("H-115", "two containers for others", .notForUs(.audience)) {
            $0.identity["bundleId"] = "\"com.example.other\""
            $0.outer["summary"] = "{\"bundleId\":\"com.example.third\"}"
        },
    ]

    @Test func `a refusal names the app that Apple signed`() throws {
        let kit = try SigningKit.shared()
        let body = try kit.body(.with { $0.identity["bundleId"] = "\"com.example.other\"" })
        guard case .notForUs(let refusal) = try kit.verifier().verify(body: body, at: SigningKit.now) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.bundleId == "com.example.other")
        #expect(refusal.step == .audience)
        #expect(refusal.statusClass == .forbidden)
    }

    @Test func `Production for an app of the sandbox only is refused`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier { configuration in
            configuration.apps = [
                AppIdentity(
                    bundleId: BundleId(SigningKit.bundleId), appAppleId: AppAppleId(SigningKit.appAppleId),
                    environments: [.sandbox])
            ]
        }
        #expect(ExpectedVerdict(verifier.verify(body: try kit.body(), at: SigningKit.now)) == .notForUs(.audience))
        #expect(ExpectedVerdict(verifier.verify(body: try kit.body(.sandbox), at: SigningKit.now)) == .accepted)
    }

    @Test func `a notification carries what was signed, byte for byte`() throws {
        let kit = try SigningKit.shared()
        let draft = NotificationDraft()
        let payload = try draft.payload(signingNestedWith: kit.sign)
        let jws = try kit.sign(payload)
        let verdict = try kit.verifier().verify(body: SigningKit.body(jws), at: SigningKit.now)
        guard case .accepted(let notification) = verdict else {
            Issue.record("not accepted: \(verdict)")
            return
        }
        #expect(notification.signedPayload == Array(jws.utf8))
        #expect(notification.notification == Array(payload.utf8))
        #expect(notification.transaction == draft.transaction.map { Array($0.text.utf8) })
        #expect(notification.renewalInfo == draft.renewalInfo.map { Array($0.text.utf8) })
        #expect(notification.appTransaction == nil)
        #expect(notification.reason == nil)
        #expect(notification.envelope.notificationType.value == .didRenew)
        #expect(notification.transactionEnvelope?.originalTransactionId.value?.rawValue == "2000001024993299")
        #expect(notification.certificates.leaf == kit.pki.leaf.serialNumber)
    }
}
