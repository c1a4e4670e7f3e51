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

/// Compares the scan of a record with the models of its payloads. All facts that the scan returns must be equal.
@Suite struct FactsScanTests {
    /// A notification with every member that facts require and the scan reads.
    private static var whole: JSONObject {
        var transaction = period("2000000900000001", from: on(0), to: on(30), token: account)
        let transactionMembers: JSONObject = [
            "originalTransactionId": "2000000900000000", "environment": "Production", "bundleId": "com.example",
            "signedDate": .integer(on(0)), "subscriptionGroupIdentifier": "21000001",
            "originalPurchaseDate": .integer(on(-30)), "revocationReason": 1, "revocationDate": .integer(on(10)),
            "revocationType": "REFUND_FULL", "revocationPercentage": 100_000, "isUpgraded": true, "offerType": 2,
            "offerIdentifier": "früh", "offerDiscountType": "PAY_AS_YOU_GO", "transactionReason": "PURCHASE",
            "storefront": "DEU", "storefrontId": "143443", "price": 4990, "currency": "EUR",
            "appTransactionId": "704897469903783919", "previousOriginalTransactionId": "2000000800000000",
            "billingPlanType": "UPFRONT", "webOrderLineItemId": "1", "laterMember": ["x"],
        ]
        transaction = transaction.merging(transactionMembers)
        let renewalInfo: JSONObject = [
            "originalTransactionId": "2000000900000000", "productId": "com.example.monthly",
            "autoRenewProductId": "com.example.yearly", "autoRenewStatus": 0, "isInBillingRetryPeriod": false,
            "gracePeriodExpiresDate": .integer(on(31)), "expirationIntent": 1, "priceIncreaseStatus": 0,
            "renewalDate": .integer(on(30)), "renewalPrice": 5990, "currency": "EUR", "offerType": 1,
            "offerIdentifier": "spring", "recentSubscriptionStartDate": .integer(on(0)),
            "signedDate": .integer(on(1)), "environment": "Production", "appAccountToken": .string(account),
            "appTransactionId": "704897469903783919", "renewalQuantity": 3, "eligibleWinBackOfferIds": ["a"],
        ]
        let notification: JSONObject = [
            "notificationType": "DID_CHANGE_RENEWAL_PREF", "subtype": "UPGRADE",
            "notificationUUID": "10000037-1c2d-4e3f-8a4b-100007919777", "version": "2.0",
            "signedDate": .integer(on(2)),
            "data": ["environment": "Production", "bundleId": "com.example", "status": 1, "appAppleId": 1],
        ]
        return [
            "notification": .object(notification), "transaction": .object(transaction),
            "renewalInfo": .object(renewalInfo),
        ]
    }

    /// Values that a member may have, regardless of the writer.
    private static let values: [JSONValue] = [
        .null, true, false, 0, 1, -1, 4_294_967_296, .integer(.max), .integer(on(3)), "", "x", "PURCHASED", "ü",
        "Production", "Sandbox", "7E3FB204-2D5B-4A5C-8F1E-0A1B2C3D4E5F", "a\"b", "a\nb", "\u{7F}", .array([]),
        .object(JSONObject()), .object(["revocationDate": "x", "SKU": 1, "items": [["SKU": "a"]]]),
        .object(["billingPeriodNumber": 2, "commitmentExpiresDate": 1_800_000_000_000]),
        .string(String(repeating: "9", count: 256)), .string(String(repeating: "9", count: 257)),
    ]

    /// Number formats that no JSON writer in this project uses.
    private static let numbers = ["1.0", "1e3", "-0", "1.5", "17672256000000e-1", "123456789012345678901234567890"]

    private static let names: [String: [String]] = [
        "notification": [
            "notificationType", "subtype", "notificationUUID", "signedDate", "data", "summary",
            "externalPurchaseToken", "appData", "unclaimInfo", "version", "other",
        ],
        "transaction": (whole["transaction"]?.object?.names ?? []) + [
            "additionalTransactionReason", "advancedCommerceInfo", "commitmentInfo", "multiSeatInfo", "other",
        ],
        "renewalInfo": (whole["renewalInfo"]?.object?.names ?? []) + [
            "advancedCommerceInfo", "commitmentInfo", "multiSeatInfo", "other",
        ],
    ]

    private func record(_ value: [UInt8]) throws -> NotificationRecord {
        try NotificationRecord(key: nil, value: value, headers: [KafkaHeader(key: "ce_trust", text: "signed")])
    }

    /// Returns whether the scan read the record. If so, its facts must equal the models' facts byte for byte.
    @discardableResult
    private func isScanned(_ value: [UInt8]) throws -> Bool {
        guard let parsed = try? record(value),
            let scanned = FactsReading.scan(signed: parsed, environment: .production)
        else { return false }
        guard case .state(let facts) = scanned,
            case .state(let expected) = FactsReading.read(parsed, environment: .production)
        else {
            Issue.record("only one of them has facts: \(String(decoding: value, as: UTF8.self))")
            return true
        }
        let text = String(decoding: facts.jsonText, as: UTF8.self)
        #expect(text == String(decoding: expected.jsonText, as: UTF8.self))
        #expect(facts == expected && facts.hashValue == expected.hashValue)
        let moment = AppStoreInstant(clampingMillisecondsSince1970: on(5))
        let published = facts.published(at: moment, rules: ProductRules())
        #expect(published == expected.published(at: moment, rules: ProductRules()))
        return true
    }

    private func text(_ object: JSONObject) -> [UInt8] { JSONValue.object(object).json }

    @Test func `a notification with all members is scanned, and the facts equal those of the models`() throws {
        #expect(try isScanned(text(Self.whole)))
        #expect(try isScanned(text(Self.whole.with("renewalInfo", nil))))
    }

    @Test func `generated notifications are scanned, and the facts equal those of the models`() throws {
        var generator = HistoryGenerator(SeededGenerator(seed: 31))
        for number in 0..<300 {
            for entry in generator.history("\(3_000_000 + number)") {
                #expect(try isScanned(entry.record(partition: 0).value ?? []))
            }
        }
    }

    @Test func `scanned facts merged in any order lead to the same row as those of the models`() throws {
        var random = SeededGenerator(seed: 32)
        var generator = HistoryGenerator(SeededGenerator(seed: 33))
        for number in 0..<200 {
            var row: PurchaseFacts?
            var expected: PurchaseFacts?
            for entry in generator.history("\(4_000_000 + number)").shuffled(using: &random) {
                let parsed = try record(entry.record(partition: 0).value ?? [])
                guard case .state(let facts) = FactsReading.scan(signed: parsed, environment: .production),
                    case .state(let others) = FactsReading.read(parsed, environment: .production)
                else { continue }
                let outcome = row?.merge(facts)
                let expectedOutcome = expected?.merge(others)
                #expect(outcome == expectedOutcome)
                (row, expected) = (row ?? facts, expected ?? others)
                // Some are written and parsed again, like a stored row.
                if Bool.random(using: &random) { row = try row.map { try PurchaseFacts(json: $0.jsonText) } }
            }
            #expect(row?.jsonText == expected?.jsonText && row == expected && row != nil)
        }
    }

    @Test(arguments: ["notification", "transaction", "renewalInfo"])
    func `a member with any value is parsed as the models parse it`(object: String) throws {
        for name in try #require(Self.names[object]) {
            for value in Self.values.map(Optional.some) + [JSONValue?.none] {
                let members = try #require(Self.whole[object]?.object).with(name, value)
                try isScanned(text(Self.whole.with(object, .object(members))))
            }
            for number in Self.numbers {
                let members = try #require(Self.whole[object]?.object).with(name, "NUMBER")
                let whole = String(decoding: text(Self.whole.with(object, .object(members))), as: UTF8.self)
                try isScanned(Array(whole.replacing("\"NUMBER\"", with: number).utf8))
            }
        }
    }

    @Test(arguments: [
        #""signedDate""#, #""transactionId""#, #""appAccountToken""#, #""environment""#, #""status""#, #""type""#,
    ])
    func `a record with an escaped name is parsed by the models`(name: String) throws {
        let escaped = name.replacing(/[a-z]"$/) { "\\u00\(String($0.output.utf8.first ?? 0, radix: 16))\"" }
        let value = String(decoding: text(Self.whole), as: UTF8.self).replacing(name, with: escaped)
        #expect(try !isScanned(Array(value.utf8)))
    }

    @Test func `the facts of a mutated record equal those of the models`() throws {
        var random = SeededGenerator(seed: 34)
        var scanned = 0
        for _ in 0..<1500 {
            var whole = Self.whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard let (object, names) = Self.names.sorted(by: { $0.key < $1.key }).randomElement(using: &random),
                    let name = names.randomElement(using: &random), let members = whole[object]?.object
                else { continue }
                let value = Bool.random(using: &random) ? nil : Self.values.randomElement(using: &random)
                whole[object] = .object(members.with(name, value))
            }
            if try isScanned(text(whole)) { scanned += 1 }
            var bytes = text(whole)
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            try isScanned(bytes)
        }
        // Ensures that many records were compared.
        #expect(scanned > 300)
    }

    @Test func `only records in the topic of their environment are scanned`() throws {
        let record = try record(text(Self.whole))
        #expect(FactsReading.scan(signed: record, environment: .production) != nil)
        #expect(FactsReading.scan(signed: record, environment: .sandbox) == nil)
    }
}
