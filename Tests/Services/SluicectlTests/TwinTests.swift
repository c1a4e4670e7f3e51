import AppStoreModel
import JSON
import Kafka
import Records
import Testing

@testable import Sluicectl

/// Creates notifications of either stream in short form. Times are in minutes.
struct TwinDraft: Sendable {
    var trust: RecordTrust
    var type: NotificationType
    var subtype: Subtype?
    var rawType: String?
    var minute: Int64
    var purchase = "100"
    var transaction: String? = "100"
    /// Expiry of the transaction in minutes. The purchase is at 0.
    var expires: Int64 = 43_200
    var autoRenewStatus: Int64 = 1
    var isSubscription = true
    var environment = AppStoreEnvironment.production
    var ownership: InAppOwnershipType?
    var productType = ProductType.autoRenewableSubscription
    var uuid: String?

    static func signed(_ type: NotificationType, _ subtype: Subtype? = nil, at minute: Int64) -> TwinDraft {
        TwinDraft(trust: .signed, type: type, subtype: subtype, minute: minute)
    }

    static func sharedSecret(
        _ type: NotificationType, _ subtype: Subtype? = nil, raw: String? = nil, at minute: Int64
    ) -> TwinDraft {
        TwinDraft(
            trust: .sharedSecret, type: type, subtype: subtype, rawType: raw ?? type.rawValue, minute: minute)
    }

    func with(_ change: (inout TwinDraft) -> Void) -> TwinDraft {
        var copy = self
        change(&copy)
        return copy
    }

    /// Returns the time this many minutes after 2026-11-01T00:00:00Z.
    static func at(_ minute: Int64) -> AppStoreInstant {
        AppStoreInstant(clampingMillisecondsSince1970: 1_793_491_200_000 + minute * 60_000)
    }

    var id: String { uuid ?? "\(trust.rawValue)-\(type)-\(subtype?.rawValue ?? "")-\(minute)" }

    func produced(to topic: KafkaTopic) -> KafkaProducerRecord {
        let milliseconds = JSONValue.integer(Self.at(minute).millisecondsSince1970)
        var notification: JSONObject = [
            "notificationType": .string(type.rawValue), "notificationUUID": .string(id), "signedDate": milliseconds,
            "data": [
                "environment": .string(environment.rawValue), "bundleId": "com.example.app",
                "status": isSubscription ? 1 : .null,
            ],
        ]
        notification["subtype"] = subtype.map { .string($0.rawValue) }
        notification["rawType"] = rawType.map { .string($0) }
        var payload: JSONObject? = transaction.map { transaction in
            [
                "transactionId": .string(transaction), "originalTransactionId": .string(purchase),
                "productId": "pro", "type": .string(productType.rawValue), "quantity": 1, "signedDate": milliseconds,
                "purchaseDate": .integer(Self.at(0).millisecondsSince1970),
                "expiresDate": .integer(Self.at(expires).millisecondsSince1970),
            ]
        }
        payload?["inAppOwnershipType"] = ownership.map { .string($0.rawValue) }
        if !isSubscription {
            payload?["type"] = nil
            payload?["expiresDate"] = nil
        }
        let renewal: JSONObject = [
            "originalTransactionId": .string(purchase), "autoRenewProductId": "pro",
            "autoRenewStatus": .integer(autoRenewStatus), "signedDate": milliseconds,
        ]
        let content = RecordContent(
            notification: JSONValue.object(notification).json,
            transaction: payload.map { JSONValue.object($0).json },
            renewalInfo: payload == nil || !isSubscription ? nil : JSONValue.object(renewal).json)
        let identity = RecordIdentity(
            notificationUUID: NotificationUUID(id), notificationType: type, subtype: subtype,
            environment: environment, bundleId: BundleId("com.example.app"), signedDate: Self.at(minute),
            originalTransactionId: OriginalTransactionId(purchase))
        return KafkaProducerRecord(identity, to: topic, content: content, receivedAt: Self.at(minute), trust: trust)
    }

    func record() throws -> NotificationRecord {
        let produced = produced(to: TopicNames().notifications(environment))
        return try NotificationRecord(key: produced.key, value: produced.value, headers: produced.headers)
    }
}

@Suite("Comparison of the version 2 and version 1 streams") struct TwinTests {
    private func comparison(
        _ drafts: [TwinDraft], from: Int64? = nil, to: Int64 = 20_000, tolerance minutes: Int64 = 60
    ) throws -> TwinComparison {
        let environment = drafts.first?.environment ?? .production
        var states = TwinStates(environment)
        let records = try drafts.map { try $0.record() }
        for (draft, record) in zip(drafts, records) where draft.minute >= from ?? 0 && draft.minute < to {
            states.take(record)
        }
        return TwinComparison(
            try records.map { try #require(TwinNotification($0)) }, states: states, environment: environment,
            from: from.map { TwinDraft.at($0) }, to: TwinDraft.at(to), toleranceMilliseconds: minutes * 60_000)
    }

    private static let both: [TwinDraft] = [
        .signed(.subscribed, .initialBuy, at: 0), .sharedSecret(.subscribed, .initialBuy, raw: "INITIAL_BUY", at: 1),
    ]

    // MARK: Matching

    @Test func `an event that both streams report agrees`() throws {
        let comparison = try comparison(Self.both)
        #expect(comparison.types == [.subscribed: .init(both: 1)])
        #expect(comparison.lone.isEmpty)
        #expect(comparison.states.same == 1)
        #expect(comparison.isSame)
    }

    @Test func `notifications received further apart than the tolerance are two events`() throws {
        let drafts: [TwinDraft] = [.signed(.didRenew, at: 0), .sharedSecret(.didRenew, at: 61)]
        #expect(try comparison(drafts).types == [.didRenew: .init(onlySigned: 1, onlySharedSecret: 1)])
        #expect(try comparison(drafts, tolerance: 61).types == [.didRenew: .init(both: 1)])
    }

    @Test(arguments: [
        TwinDraft.sharedSecret(.didRenew, at: 0).with { $0.purchase = "200" },
        TwinDraft.sharedSecret(.didRenew, at: 0).with { $0.transaction = "101" },
        TwinDraft.sharedSecret(.didRenew, at: 0).with { $0.transaction = nil },
        TwinDraft.sharedSecret(.didFailToRenew, at: 0),
    ])
    func `another purchase, transaction or type is another event`(other: TwinDraft) throws {
        let comparison = try comparison([.signed(.didRenew, at: 0), other])
        #expect(comparison.lone.count == 2)
        #expect(!comparison.isSame)
    }

    @Test func `each notification is matched once, with the nearest of the same subtype first`() throws {
        let off = Subtype.autoRenewDisabled
        let on = Subtype.autoRenewEnabled
        let comparison = try comparison([
            .signed(.didChangeRenewalStatus, off, at: 0), .signed(.didChangeRenewalStatus, on, at: 10),
            .signed(.didChangeRenewalStatus, off, at: 20), .sharedSecret(.didChangeRenewalStatus, on, at: 1),
            .sharedSecret(.didChangeRenewalStatus, off, at: 19), .sharedSecret(.didChangeRenewalStatus, on, at: 21),
        ])
        #expect(comparison.types == [.didChangeRenewalStatus: .init(both: 3, otherSubtype: 1)])
    }

    @Test func `a repeated notification is counted once`() throws {
        let repeated =
            Self.both
            + Self.both.map { draft in
                draft.with {
                    $0.uuid = draft.id
                    $0.minute = 30
                }
            }
        #expect(try comparison(repeated).types == [.subscribed: .init(both: 1)])
    }

    // MARK: Time

    @Test func `a counterpart just outside the time range is not missing`() throws {
        let drafts: [TwinDraft] = [.signed(.didRenew, at: 99), .sharedSecret(.didRenew, at: 101)]
        #expect(try comparison(drafts, to: 100).types == [.didRenew: .init(both: 1)])
        #expect(try comparison(drafts, from: 100, to: 200).types == [.didRenew: .init(both: 1)])
        #expect(try comparison(drafts, from: 102, to: 200).types.isEmpty)
    }

    // MARK: Expected differences

    @Test(arguments: [NotificationType.oneTimeCharge, .refundDeclined, .gracePeriodExpired, .expired])
    func `an event that version 1 never reports is not missing there`(type: NotificationType) throws {
        let comparison = try comparison(Self.both + [.signed(type, at: 5)])
        #expect(comparison.types[type] == .init(onlySigned: 1, expected: 1))
        #expect(comparison.isSame)
    }

    /// Notifications, and whether version 1 omits them, according to app-store.md 6.4 to 6.7.
    private static let silences: [(String, TwinDraft, Bool)] = [
        ("an expiry after failed renewals", .signed(.expired, .billingRetry, at: 5), false),
        ("a voluntary expiry", .signed(.expired, .voluntary, at: 5), true),
        ("a failed renewal", .signed(.didFailToRenew, at: 5), false),
        ("a failed renewal in the sandbox", .signed(.didFailToRenew, at: 5).with { $0.environment = .sandbox }, true),
        ("a renewal in the sandbox", .signed(.didRenew, at: 5).with { $0.environment = .sandbox }, false),
        ("a recovery", .signed(.didRenew, .billingRecovery, at: 5), false),
        (
            "a recovery in the sandbox",
            .signed(.didRenew, .billingRecovery, at: 5).with { $0.environment = .sandbox }, true
        ),
        ("a revocation in the sandbox", .signed(.revoke, at: 5).with { $0.environment = .sandbox }, true),
        (
            "a renewal of a family member in the sandbox",
            .signed(.didRenew, at: 5).with {
                $0.environment = .sandbox
                $0.ownership = .familyShared
            }, true
        ),
        ("a renewal of a family member", .signed(.didRenew, at: 5).with { $0.ownership = .familyShared }, false),
        (
            "a first purchase of a family member",
            .signed(.subscribed, .initialBuy, at: 5).with { $0.ownership = .familyShared }, true
        ),
        ("a refund of a family member", .signed(.refund, at: 5).with { $0.ownership = .familyShared }, true),
        ("a refund of a subscription", .signed(.refund, at: 5), false),
        ("a refund of a consumable", .signed(.refund, at: 5).with { $0.productType = .consumable }, true),
        ("a refund of a non-consumable", .signed(.refund, at: 5).with { $0.productType = .nonConsumable }, false),
        ("a revocation of a family member", .signed(.revoke, at: 5).with { $0.ownership = .familyShared }, false),
        ("a question about a subscription", .signed(.consumptionRequest, at: 5), true),
        ("an increase that asks for consent", .signed(.priceIncrease, .pending, at: 5), false),
        ("an increase that was accepted", .signed(.priceIncrease, .accepted, at: 5), true),
        ("a type that is newer than version 1", .signed(NotificationType("SOMETHING_NEW"), at: 5), true),
        ("seats taken back", .signed(.unclaimSeats, at: 5), true),
        (
            "a version 1 refund without a transaction",
            .sharedSecret(.refund, at: 5).with { $0.transaction = nil }, true
        ),
        (
            "a version 1 renewal without a transaction", .sharedSecret(.didRenew, at: 5).with { $0.transaction = nil },
            false
        ),
    ]

    @Test(arguments: Self.silences.indices)
    func `the events that version 1 reports depend on type, subtype, environment, ownership and product`(
        _ index: Int
    ) throws {
        let (name, draft, isSilent) = Self.silences[index]
        let comparison = try comparison([draft])
        #expect(comparison.lone.map(\.isExpected) == [isSilent], "\(name)")
    }

    @Test func `a change of status that accompanies another version 1 notification is not missing`() throws {
        let accompanying = TwinDraft.sharedSecret(
            .didChangeRenewalStatus, .autoRenewEnabled, raw: "DID_CHANGE_RENEWAL_STATUS", at: 2)
        #expect(try comparison(Self.both + [accompanying]).isSame)
        let alone = accompanying.with { $0.minute = 100 }
        #expect(try !comparison(Self.both + [alone]).isSame)
    }

    @Test func `a renewal in only one stream is reported as missing`() throws {
        #expect(try !comparison(Self.both + [.signed(.didRenew, at: 5)]).isSame)
        #expect(try !comparison(Self.both + [.sharedSecret(.didRenew, at: 5)]).isSame)
    }

    // MARK: States

    @Test func `purchases with different states are listed with both`() throws {
        let other = TwinDraft.sharedSecret(.subscribed, .initialBuy, at: 1).with { $0.expires = 10 }
        let comparison = try comparison([.signed(.subscribed, .initialBuy, at: 0), other], to: 11_000)
        let difference = try #require(comparison.states.differences.first)
        #expect(difference.purchase.originalTransactionId.rawValue == "100")
        #expect(difference.signed.map(\.isEntitled) == [true])
        #expect(difference.sharedSecret.map(\.isEntitled) == [false])
        #expect(!comparison.isSame)
    }

    @Test func `a renewal switched off in only one stream is a difference`() throws {
        let other = TwinDraft.sharedSecret(.subscribed, .initialBuy, at: 1).with { $0.autoRenewStatus = 0 }
        let states = try comparison([.signed(.subscribed, .initialBuy, at: 0), other]).states
        #expect(
            states.differences.map { [$0.signed, $0.sharedSecret].map { $0.first?.willRenew } } == [[true, false]])
    }

    @Test func `a one-time purchase without a product type in version 1 is not compared`() throws {
        let request = TwinDraft.sharedSecret(.consumptionRequest, at: 1).with { $0.isSubscription = false }
        let states = try comparison([.signed(.consumptionRequest, at: 0), request]).states
        #expect(states.notComparable == 1 && states.differences.isEmpty)
    }

    @Test func `a purchase in only one stream is counted but not compared`() throws {
        let states = try comparison(
            Self.both + [
                .signed(.didRenew, at: 5).with { $0.purchase = "200" },
                .sharedSecret(.didRenew, at: 5).with { $0.purchase = "300" },
            ]
        ).states
        #expect(states.same == 1 && states.onlySigned == 1 && states.onlySharedSecret == 1)
        #expect(states.differences.isEmpty)
    }
}
