import AppStoreModel
import EntitlementRules
import Foundation
import JSON
import TestSupport
import Testing

@Suite("Chain facts as JSON") struct ChainJSONTests {
    private static let golden =
        #"{"formatVersion":1,"environment":"Production","bundleId":"com.example","originalTransactionId":"1","#
        + #""purchases":[{"transactionId":"1","productId":"monthly","type":"Auto-Renewable Subscription","#
        + #""purchaseDate":1767225600000,"expiresDate":1769817600000,"quantity":1,"signedDate":1767225600000,"#
        + #""notificationUUID":"u1"},{"transactionId":"2","productId":"yearly","type":"Auto-Renewable Subscription","#
        + #""purchaseDate":1768089600000,"expiresDate":1799625600000,"quantity":1,"items":[{"SKU":"a"}],"#
        + #""signedDate":1768089600000,"notificationUUID":"u2"}],"renewalInfo":{"autoRenewProductId":"monthly","#
        + #""autoRenewStatus":1,"signedDate":1767225600000,"notificationUUID":"u1"},"status":{"status":1,"#
        + #""signedDate":1768089600000,"notificationUUID":"u2"},"claim":{"appAccountToken":"t","#
        + #""claimedAt":1767225600005},"upgrades":[{"transactionId":"2","signedDate":1768089600000}],"events":["#
        + #"{"notificationType":"SUBSCRIBED","subtype":"INITIAL_BUY","transactionId":"1","status":1,"#
        + #""signedDate":1767225600000,"notificationUUID":"u1"},{"notificationType":"DID_CHANGE_RENEWAL_PREF","#
        + #""subtype":"UPGRADE","transactionId":"2","status":1,"signedDate":1768089600000,"notificationUUID":"u2"}]}"#

    private func goldenChain() throws -> ChainFacts {
        let items: JSONValue = ["items": [["SKU": "a"]]]
        var chain = try chain(
            Notification(
                .subscribed, .initialBuy, signed: 0, uuid: "u1", status: .active,
                transaction: period("1", from: 0, to: 30 * day), renewalInfo: renewal()),
            Notification(
                .didChangeRenewalPref, .upgrade, signed: 10 * day, uuid: "u2", status: .active,
                transaction: period("2", from: 10 * day, to: 375 * day, product: "yearly")
                    .with("advancedCommerceInfo", items)))
        chain.insert(OwnerClaim(appAccountToken: AppAccountToken("T"), claimedAt: at(5)))
        return chain
    }

    @Test func `the form is that of the golden copy`() throws {
        #expect(String(decoding: try goldenChain().jsonText, as: UTF8.self) == Self.golden)
        #expect(try ChainFacts(json: Array(Self.golden.utf8)) == goldenChain())
    }

    @Test func `unknown members survive at every level`() throws {
        let text = Self.golden
            .replacing(#""formatVersion":1,"#, with: #""formatVersion":1,"later":{"x":1},"#)
            .replacing(#""productId":"monthly","type""#, with: #""productId":"monthly","mood":"good","type""#)
            .replacing(#""autoRenewStatus":1"#, with: #""autoRenewStatus":1,"newer":[2]"#)
        var chain = try ChainFacts(json: Array(text.utf8))
        #expect(chain.unknownFields["later"] == ["x": 1])
        #expect(chain.purchases[TransactionId("1")]?.unknownFields["mood"] == "good")
        #expect(chain.renewal?.unknownFields["newer"] == [2])
        #expect(try ChainFacts(json: chain.jsonText) == chain)
        var other = try ChainFacts(json: Array(text.replacing(#""x":1"#, with: #""x":2"#).utf8))
        let before = chain
        chain.merge(other)
        other.merge(before)
        #expect(chain == other)
        #expect(chain.unknownFields["later"] == ["x": 2])
    }

    @Test func `every field survives the way there and back`() throws {
        let transaction = period("1", from: 0, to: day).with("appAccountToken", "7e3f").with("offerType", 3)
            .with("subscriptionGroupIdentifier", "g").with("originalPurchaseDate", date: -5).with("quantity", 0)
            .with("inAppOwnershipType", "ASSIGNED").with("isUpgraded", true).with("revocationDate", date: 7)
            .with("revocationReason", 1).with("revocationType", "REFUND_PRORATED").with("revocationPercentage", 5)
            .with("appTransactionId", "a").with("offerIdentifier", "o").with("offerDiscountType", "FREE_TRIAL")
            .with("transactionReason", "RENEWAL").with("additionalTransactionReason", "SEAT_ADDITION")
            .with("multiSeatInfo", ["revokedSeatQuantity": 2]).with("previousOriginalTransactionId", "p")
            .with("price", 9_007_199_254_740_993).with("currency", "EUR").with("storefront", "DEU")
        let renewalInfo = renewal().with("productId", "monthly").with("isInBillingRetryPeriod", false)
            .with("gracePeriodExpiresDate", date: 9).with("expirationIntent", 5).with("priceIncreaseStatus", 1)
            .with("renewalDate", date: 3).with("renewalPrice", 1).with("currency", "EUR").with("offerType", 1)
            .with("offerIdentifier", "o").with("recentSubscriptionStartDate", date: 1).with("appAccountToken", "7e3f")
            .with("appTransactionId", "a").with("renewalQuantity", 4)
        let facts = try #require(
            try Notification(.refund, .seats, signed: 9, transaction: transaction, renewalInfo: renewalInfo)
                .facts(isSigned: false))
        #expect(try ChainFacts(json: facts.jsonText) == facts)
        #expect(facts.purchases[TransactionId("1")]?.price == 9_007_199_254_740_993)
        #expect(facts.purchases[TransactionId("1")]?.amountProblems == [.quantity])
        #expect(facts.purchases[TransactionId("1")]?.version.isSigned == false)
    }

    @Test(arguments: [
        ("", ChainFormatError.Code.invalidJSON), ("[]", .noIdentity), ("{}", .unknownFormat),
        (#"{"formatVersion":2,"environment":"Production","bundleId":"b","originalTransactionId":"1"}"#, .unknownFormat),
        (#"{"formatVersion":1,"environment":"Production","bundleId":"b"}"#, .noIdentity),
    ])
    func `a text that is no chain is an error`(text: String, code: ChainFormatError.Code) {
        #expect { try ChainFacts(json: Array(text.utf8)) } throws: { ($0 as? ChainFormatError)?.code == code }
    }

    @Test func `members of the wrong kind read as absent`() throws {
        let text =
            #"{"formatVersion":1,"environment":"Production","bundleId":"b","originalTransactionId":"1","#
            + #""purchases":[1,{},{"transactionId":"1"},{"transactionId":"2","signedDate":5,"quantity":1e99}],"#
            + #""renewalInfo":[],"status":{"signedDate":1},"events":[{"signedDate":1e300}],"upgrades":[{}],"claim":0}"#
        let chain = try ChainFacts(json: Array(text.utf8))
        #expect(chain.purchases.keys.map(\.rawValue) == ["2"])
        #expect(chain.renewal == nil && chain.status == nil && chain.claim == nil && chain.events.isEmpty)
    }

    @Test func `a published record carries an answer for readers and the facts for the join`() throws {
        let chain = try goldenChain()
        let text = try #require(chain.published(at: at(11 * day), rules: ProductRules()).value)
        let object = try #require(try JSONValue(json: text).object)
        #expect(object["active"] == ["yearly"])
        #expect(object["appAccountToken"] == "t")
        #expect(object["nextChange"]?.integer == at(375 * day).millisecondsSince1970)
        #expect(object["grants"]?.array?.first?.object?["state"] == "ACTIVE")
        #expect(try ChainFacts(published: text) == chain)
        #expect(throws: ChainFormatError.self) { try ChainFacts(published: Array("{}".utf8)) }
    }

    @Test func `facts from the App Store Server API compete by their own signedDate`() throws {
        var chain = try chain(
            Notification(
                .didFailToRenew, signed: 30 * day, status: .billingRetry,
                transaction: period("1", from: 0, to: 30 * day), renewalInfo: renewal()))
        let facts = try #require(
            ChainFacts(
                environment: .production, bundleId: BundleId("com.example"),
                transaction: try TransactionPayload(
                    json: JSONValue.object(period("2", from: 31 * day, to: 61 * day).with("signedDate", date: 31 * day))
                        .json),
                renewalInfo: try RenewalInfoPayload(
                    json: JSONValue.object(renewal().with("signedDate", date: 32 * day)).json), status: .active))
        #expect(facts.status?.version.signedDate == at(32 * day))
        #expect(facts.events.isEmpty)
        chain.merge(facts)
        #expect(chain.state(at: at(33 * day))?.phase == .active)
    }
}

@Suite("A genuine chain", .enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
struct AppleSampleTests {
    private static let files = [
        "01-DID_RENEW", "02-SUBSCRIBED-RESUBSCRIBE", "03-DID_CHANGE_RENEWAL_STATUS-AUTO_RENEW_DISABLED",
        "04-EXPIRED-VOLUNTARY", "05-SUBSCRIBED-RESUBSCRIBE", "06-CONSUMPTION_REQUEST", "07-REFUND",
    ]

    private func facts() throws -> [ChainFacts] {
        try Self.files.map { name in
            let notification = try NotificationPayload(json: TestVectors.payload(ofJWS: "genuine/\(name).jws"))
            let data = try #require(notification.data)
            let transaction = try TransactionPayload(
                json: CompactJWS.payload(#require(data.signedTransactionInfo)))
            let renewalInfo = try RenewalInfoPayload(
                json: CompactJWS.payload(#require(data.signedRenewalInfo)))
            return try #require(
                ChainFacts(notification: notification, transaction: transaction, renewalInfo: renewalInfo))
        }
    }

    private func instant(_ milliseconds: Int64) -> AppStoreInstant {
        AppStoreInstant(clampingMillisecondsSince1970: milliseconds)
    }

    @Test func `after each notification the state is what Apple says`() throws {
        let facts = try facts()
        var chain = facts[0]
        let expected: [(SubscriptionState.Phase, String)] = [
            (.active, "2000001024998954"), (.active, "2000001025686313"), (.active, "2000001025686313"),
            (.expired, "2000001025686313"), (.active, "2000001035288486"), (.active, "2000001035288486"),
            (.active, "2000001035288486"),
        ]
        for (one, (phase, transactionId)) in zip(facts, expected) {
            chain.merge(one)
            let now = try #require(one.status?.version.signedDate)
            #expect(chain.state(at: now)?.phase == phase)
            #expect(chain.currentPurchase?.transactionId == TransactionId(transactionId))
            #expect(!chain.statusDisagrees)
        }
        #expect(
            chain.transitions(ProductRules()).map { "\($0.to) \($0.cause.notificationType)" }
                == ["ACTIVE DID_RENEW", "EXPIRED EXPIRED", "ACTIVE SUBSCRIBED"])
    }

    @Test func `the whole set gives the right state at each moment, in every order`() throws {
        let facts = try facts()
        var random = SeededGenerator(seed: 42)
        for _ in 0..<20 {
            let order = (facts + facts).shuffled(using: &random)
            var chain = order[0]
            for one in order { chain.merge(one) }
            #expect(chain.state(asOf: instant(1_759_302_552_000))?.phase == .active)
            #expect(chain.state(asOf: instant(1_759_302_732_000))?.phase == .expired)
            #expect(chain.state(asOf: instant(1_759_388_900_000))?.phase == .active)
            #expect(chain.state(asOf: instant(1_759_388_947_000))?.phase == .expired)
            // The refunded period ended by itself long before its refund.
            #expect(chain.state(asOf: instant(1_760_335_200_000))?.phase == .active)
            #expect(chain.state(asOf: instant(1_760_335_400_000))?.phase == .expired)
            #expect(chain.state(at: instant(1_760_592_313_999))?.phase == .active)
            #expect(
                chain.state(at: instant(1_760_592_313_999))?.productId
                    == ProductId("com.getsession.org.pro_sub_3_months"))
            #expect(chain.state(at: instant(1_760_592_314_000))?.phase == .expired)
            #expect(chain.nextChange(after: instant(1_760_592_200_000)) == instant(1_760_592_314_000))
            #expect(chain.purchases[TransactionId("2000001032604840")]?.revocationReason == .other)
        }
    }

    @Test func `the refund alone revokes until the newer purchase is known`() throws {
        let facts = try facts()
        #expect(facts[6].state(at: instant(1_760_592_200_000))?.phase == .revoked)
        var chain = facts[6]
        chain.merge(facts[4])
        #expect(chain.state(at: instant(1_760_592_200_000))?.phase == .active)
    }
}
