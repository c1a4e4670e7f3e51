import AppStoreModel
import EntitlementRules
import JSON
import Kafka
import KeyedState
import PipelineRuntime
import Records
import TestSupport
import Testing

@testable import Entitlements

/// A record and the expected outcome.
struct ReadingCase: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Equatable {
        case facts
        case skip(String)
        case deadLetter(String)
    }

    let testDescription: String
    let outcome: Outcome
    let record: KafkaRecord

    init(_ description: String, _ outcome: Outcome, _ record: KafkaRecord) {
        testDescription = description
        self.outcome = outcome
        self.record = record
    }

    init(_ description: String, _ outcome: Outcome, _ change: (inout Draft) -> Void) {
        var draft = Draft(
            "SUBSCRIBED", signed: on(0), transaction: period("1", from: on(0), to: on(30)), renewalInfo: renewal())
        change(&draft)
        self.init(description, outcome, draft.record())
    }

    /// Creates a case from a record with this value.
    init(_ description: String, _ outcome: Outcome, value: String?) {
        self.init(
            description, outcome,
            KafkaRecord(
                topic: "appstore.notifications.production", partition: 0, offset: 0, key: [],
                value: value.map { Array($0.utf8) }))
    }

    /// Creates a case from a notification without a purchase.
    init(_ description: String, _ outcome: Outcome, type: String) {
        self.init(description, outcome) { draft in
            draft.notification["notificationType"] = .string(type)
            draft.transaction = nil
            draft.renewalInfo = nil
        }
    }

    static let values: [ReadingCase] = [
        .init("null value", .skip("null_value"), value: nil),
        .init("no bytes", .deadLetter("invalid_json"), value: ""),
        .init("no JSON", .deadLetter("invalid_json"), value: "{"),
        .init("a name twice", .deadLetter("invalid_json"), value: #"{"notification":{},"notification":{}}"#),
        .init(
            "nested too deeply", .deadLetter("invalid_json"),
            value: #"{"notification":\#(String(repeating: "[", count: 200))"#),
        .init("no object", .deadLetter("no_notification"), value: #"{"notification":"x"}"#),
        .init("another object", .deadLetter("no_notification"), value: "{}"),
        .init("an empty notification", .skip("no_purchase"), value: #"{"notification":{}}"#),
    ]

    static let types: [ReadingCase] = [
        .init("TEST", .skip("no_purchase"), type: "TEST"),
        .init("a summary", .skip("no_purchase"), type: "RENEWAL_EXTENSION"),
        .init("a token", .skip("no_purchase"), type: "EXTERNAL_PURCHASE_TOKEN"),
        .init("a change of metadata", .skip("no_purchase"), type: "METADATA_UPDATE"),
        .init("a change of price", .skip("no_purchase"), type: "PRICE_CHANGE"),
        .init("a migration", .skip("no_purchase"), type: "MIGRATION"),
        .init("seats taken back", .skip("no_purchase"), type: "UNCLAIM_SEATS"),
        .init("an unknown type", .skip("no_purchase"), type: "SOMETHING_NEW"),
        .init("REFUND without purchase", .deadLetter("transaction_missing"), type: "REFUND"),
        .init("DID_RENEW without purchase", .deadLetter("transaction_missing"), type: "DID_RENEW"),
        .init("an unknown type with facts", .facts) { $0.notification["notificationType"] = "SOMETHING_NEW" },
        .init("renewal info alone", .facts) { $0.transaction = nil },
        .init("a transaction alone", .facts) { $0.renewalInfo = nil },
        .init("no transactionId", .deadLetter("transaction_missing")) { $0.transaction?["transactionId"] = nil },
        .init("no purchase", .deadLetter("identity_missing")) {
            $0.transaction?["originalTransactionId"] = nil
            $0.renewalInfo = nil
        },
        .init("no bundleId", .deadLetter("identity_missing")) {
            $0.notification["data"] = .object(["environment": "Production"])
        },
        .init("no signedDate", .deadLetter("identity_missing")) { $0.notification["signedDate"] = nil },
    ]

    static let environments: [ReadingCase] = [
        .init("Sandbox in the production topic", .deadLetter("environment_mismatch")) {
            $0.notification["data"] = .object(["environment": "Sandbox", "bundleId": "com.example"])
        },
        .init("no environment", .deadLetter("environment_mismatch")) {
            $0.notification["data"] = .object(["bundleId": "com.example"])
        },
        .init("no data", .deadLetter("environment_mismatch")) { $0.notification["data"] = nil },
        .init("Xcode", .deadLetter("environment_mismatch")) {
            $0.notification["data"] = .object(["environment": "Xcode", "bundleId": "com.example"])
        },
        .init("a sandbox transaction", .deadLetter("environment_mismatch")) {
            $0.transaction?["environment"] = "Sandbox"
        },
        .init("sandbox renewal info", .deadLetter("environment_mismatch")) {
            $0.renewalInfo?["environment"] = "Sandbox"
        },
        .init("a transaction that names none", .facts) { $0.transaction?["environment"] = nil },
    ]

    static let decisiveFields: [ReadingCase] =
        [
            "transactionId", "originalTransactionId", "productId", "type", "purchaseDate", "expiresDate", "signedDate",
            "revocationDate", "isUpgraded", "appAccountToken", "environment",
        ].map { name in
            ReadingCase("\(name) is an array", .deadLetter("field_type")) { $0.transaction?[name] = .array([]) }
        }
        + ["autoRenewStatus", "gracePeriodExpiresDate", "isInBillingRetryPeriod"].map { name in
            ReadingCase("\(name) is an object", .deadLetter("field_type")) {
                $0.renewalInfo?[name] = .object(JSONObject())
            }
        }
        + [
            .init("notificationType is a number", .deadLetter("field_type")) {
                $0.notification["notificationType"] = 1
            },
            .init("notificationType is a number, no purchase", .deadLetter("field_type")) {
                $0.notification["notificationType"] = 1
                $0.transaction = nil
                $0.renewalInfo = nil
            },
            .init("status is text", .deadLetter("field_type")) {
                $0.notification["data"] = .object([
                    "environment": "Production", "bundleId": "com.example", "status": "1",
                ])
            },
            .init("signedDate beyond all years", .deadLetter("field_type")) {
                $0.notification["signedDate"] = .integer(.max)
            },
            .init("price is text", .facts) { $0.transaction?["price"] = "9.99" },
            .init("quantity is text", .facts) { $0.transaction?["quantity"] = "2" },
            .init("expiresDate is null", .facts) { $0.transaction?["expiresDate"] = .null },
            .init("isUpgraded is null", .facts) { $0.transaction?["isUpgraded"] = .null },
        ]

    private static let long = JSONValue.string(String(repeating: "9", count: 257))

    static let identifiers: [ReadingCase] = [
        .init("256 bytes of originalTransactionId", .facts) { draft in
            draft.transaction?["originalTransactionId"] = .string(String(repeating: "9", count: 256))
        },
        .init("originalTransactionId too long", .deadLetter("identifier_too_long")) {
            $0.transaction?["originalTransactionId"] = long
        },
        .init("originalTransactionId with a control character", .deadLetter("identifier_too_long")) {
            $0.transaction?["originalTransactionId"] = "1\u{0}2"
        },
        .init("originalTransactionId empty", .deadLetter("identifier_too_long")) {
            $0.transaction?["originalTransactionId"] = ""
        },
        .init("transactionId too long", .deadLetter("identifier_too_long")) { $0.transaction?["transactionId"] = long },
        .init("productId too long", .deadLetter("identifier_too_long")) { $0.transaction?["productId"] = long },
        .init("appAccountToken too long", .deadLetter("identifier_too_long")) {
            $0.transaction?["appAccountToken"] = long
        },
        .init("appTransactionId too long", .deadLetter("identifier_too_long")) {
            $0.renewalInfo?["appTransactionId"] = long
        },
        .init("bundleId too long", .deadLetter("identifier_too_long")) {
            $0.notification["data"] = .object(["environment": "Production", "bundleId": long])
        },
        .init("path and SQL as originalTransactionId", .facts) {
            $0.transaction?["originalTransactionId"] = "../../'; DROP TABLE purchases; --"
        },
    ]
}

@Suite struct FactsReadingTests {
    @Test(
        arguments: ReadingCase.values + ReadingCase.types + ReadingCase.environments + ReadingCase.decisiveFields
            + ReadingCase.identifiers)
    func `each record gets the expected verdict`(_ given: ReadingCase) {
        switch FactsReading.read(given.record, environment: .production) {
        case .state: #expect(given.outcome == .facts)
        case .verdict(.skip(let reason)): #expect(given.outcome == .skip(reason.code))
        case .verdict(.deadLetter(let reason)):
            #expect(given.outcome == .deadLetter(reason.code))
            // Details name fields, never their values.
            #expect(reason.detail?.contains("999") != true)
        case .verdict(let other): Issue.record("unexpected \(other)")
        }
    }

    @Test func `facts match the notification`() throws {
        let draft = lifeOfOne()[1]
        guard case .state(let facts) = FactsReading.read(draft.record(), environment: .production) else {
            Issue.record("no facts")
            return
        }
        #expect(facts == (try draft.facts()))
        #expect(facts.appAccountToken == AppAccountToken(account))
    }

    @Test func `a withdrawn consent is kept under the customer's appTransactionId`() throws {
        let value = #"""
            {"notification":{"notificationType":"RESCIND_CONSENT","notificationUUID":"u","signedDate":1767225600000,
            "appData":{"environment":"Production","bundleId":"com.example","signedAppTransactionInfo":""}},
            "appTransaction":{"appTransactionId":"704000000000000001","bundleId":"com.example"}}
            """#
        let record = KafkaRecord(
            topic: "appstore.notifications.production", partition: 0, offset: 0, key: [], value: Array(value.utf8),
            headers: [KafkaHeader(key: "ce_trust", text: "signed")])
        guard case .state(let facts) = FactsReading.read(record, environment: .production) else {
            Issue.record("no facts")
            return
        }
        let model = EntitlementsModel(rules: ProductRules(), topics: TopicNames())
        #expect(model.key(of: facts) == Array("com.example/704000000000000001".utf8))
        #expect(model.indexEntries(of: facts) == [IndexEntry("appTransactionId", "704000000000000001")])
        #expect(facts.consentRescindedAt?.millisecondsSince1970 == 1_767_225_600_000)
        #expect(facts.appTransactionId == AppTransactionId("704000000000000001"))
        let published = try #require(model.publication(of: facts, row: facts.jsonText, at: 0).value)
        #expect(try PurchaseFacts(published: published) == facts)
        guard case .verdict(.deadLetter(let reason)) = FactsReading.read(record, environment: .sandbox) else {
            Issue.record("a consent of another environment")
            return
        }
        #expect(reason.code == "environment_mismatch")
    }

    @Test(arguments: [("signed", true), ("shared-secret", false), ("something", false), (nil, false)])
    func `only a record with the header signed is treated as signed`(trust: String?, isSigned: Bool) {
        let record = lifeOfOne()[0].record()
        let headers =
            record.headers.filter { $0.key != "ce_trust" }
            + (trust.map { [KafkaHeader(key: "ce_trust", text: $0)] } ?? [])
        let changed = KafkaRecord(
            topic: record.topic, partition: 0, offset: 0, key: record.key, value: record.value, headers: headers)
        guard case .state(let facts) = FactsReading.read(changed, environment: .production) else {
            Issue.record("no facts")
            return
        }
        #expect(facts.hasSignedFacts == isSigned && (facts.status != nil) == isSigned)
        #expect((facts.legacy != nil) == !isSigned)
    }

    @Test func `the query about a version 1 notification is due by its time of receipt`() {
        let draft = lifeOfOne()[0]
        var unsigned = draft
        unsigned.trust = .sharedSecret
        guard case .state(let facts) = FactsReading.read(unsigned.record(), environment: .production) else {
            Issue.record("no facts")
            return
        }
        #expect(facts.legacyQuestion?.due.millisecondsSince1970 == draft.signedDate + 1000)
    }

    @Test func `a version 1 notification with a purchase but no transaction causes a query about the purchase`() {
        var draft = Draft("DID_RENEW", signed: on(0))
        draft.trust = .sharedSecret
        let record = draft.record()
        let named = KafkaRecord(
            topic: record.topic, partition: 0, offset: 0, key: record.key, value: record.value,
            headers: record.headers.filter { $0.key != "ce_subject" } + [KafkaHeader(key: "ce_subject", text: "1000")])
        guard case .state(let facts) = FactsReading.read(named, environment: .production) else {
            Issue.record("no facts")
            return
        }
        #expect(facts.originalTransactionId.rawValue == "1000" && facts.hasUnsettledLegacy)
        #expect(facts.legacyQuestion?.due.millisecondsSince1970 == on(0) + 1000)
        guard case .verdict(.deadLetter(let reason)) = FactsReading.read(named, environment: .sandbox) else {
            Issue.record("another environment")
            return
        }
        #expect(reason.code == "environment_mismatch")
    }

    @Test func `a version 1 notification that names neither purchase nor transaction is skipped`() {
        for type in ["DID_RENEW", "REFUND", "CONSUMPTION_REQUEST", "RENEWAL"] {
            var draft = Draft(type, signed: on(0))
            draft.trust = .sharedSecret
            let record = draft.record()
            let unnamed = KafkaRecord(
                topic: record.topic, partition: 0, offset: 0, key: record.key, value: record.value,
                headers: record.headers.filter { $0.key != "ce_subject" })
            guard case .verdict(.skip(let reason)) = FactsReading.read(unnamed, environment: .production) else {
                Issue.record("\(type) is not skipped")
                continue
            }
            #expect(reason.code == "unresolved")
        }
    }

    @Test func `a record with arbitrary bytes gets a verdict`() {
        let whole = lifeOfOne()[0].record().value ?? []
        var random = SeededGenerator(seed: 7)
        for _ in 0..<500 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            let record = KafkaRecord(
                topic: "appstore.notifications.production", partition: 0, offset: 0, key: nil, value: bytes)
            if case .verdict(.retry) = FactsReading.read(record, environment: .production) {
                Issue.record("a record is never retried because of its content")
            }
        }
    }
}
