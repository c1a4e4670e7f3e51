import AppStoreModel
import EntitlementRules
import Foundation
import JSON
import TestSupport
import Testing

@Suite("Purchase facts as JSON") struct PurchaseJSONTests {
    private static let golden =
        #"{"formatVersion":2,"environment":"Production","bundleId":"com.example","originalTransactionId":"1",""#
        + #"latestTransaction":{"transactionId":"2","productId":"yearly","type":"Auto-Renewable Subscription","p"#
        + #"urchaseDate":1768089600000,"expiresDate":1799625600000,"quantity":1,"items":[{"SKU":"a"}],"signedDat"#
        + #"e":1768089600000,"notificationUUID":"12345678-1c2d-4e3f-8a4b-0123456789ab"},"renewalInfo":{"autoRene"#
        + #"wProductId":"monthly","autoRenewStatus":1,"signedDate":1767225600000,"notificationUUID":"u1"},"statu"#
        + #"s":{"status":1,"signedDate":1768089600000,"notificationUUID":"12345678-1c2d-4e3f-8a4b-0123456789ab"}"#
        + #","claim":{"appAccountToken":"t","claimedAt":1767225600005},"traits":[{"productId":"monthly","type":""#
        + #"Auto-Renewable Subscription","quantity":1},{"productId":"yearly","type":"Auto-Renewable Subscription"#
        + #"","quantity":1,"items":[{"SKU":"a"}]}],"transactions":"C.A.zbttVAA.E0_ZAA.A.HUxAAAAAAAA,C.B.Bm_zAA.6"#
        + #"vYlgA.A.SNFZ4,","upgrades":[["2",1768089600000]],"eventKinds":[["SUBSCRIBED","INITIAL_BUY"],["DID_CH"#
        + #"ANGE_RENEWAL_PREF","UPGRADE"]],"events":"A.zbttVAA.*dTE.C.C,B.Bm_zAA.BI0VngcLU4_.IpLASNFZ4mr.C.C,"}"#

    private func goldenPurchase() throws -> PurchaseFacts {
        let items: JSONValue = ["items": [["SKU": "a"]]]
        var purchase = try purchase(
            Notification(
                .subscribed, .initialBuy, signed: 0, uuid: "u1", status: .active,
                transaction: period("1", from: 0, to: 30 * day), renewalInfo: renewal()),
            Notification(
                .didChangeRenewalPref, .upgrade, signed: 10 * day, uuid: "12345678-1c2d-4e3f-8a4b-0123456789ab",
                status: .active,
                transaction: period("2", from: 10 * day, to: 375 * day, product: "yearly")
                    .with("advancedCommerceInfo", items)))
        purchase.insert(OwnerClaim(appAccountToken: AppAccountToken("T"), claimedAt: at(5)))
        return purchase
    }

    @Test func `the JSON equals the golden copy`() throws {
        let text = String(decoding: try goldenPurchase().jsonText, as: UTF8.self)
        #expect(text == Self.golden)
        #expect(try PurchaseFacts(json: Array(Self.golden.utf8)) == goldenPurchase())
    }

    @Test func `unknown members are preserved at every level`() throws {
        let text = Self.golden
            .replacing(#""formatVersion":2,"#, with: #""formatVersion":2,"later":{"x":1},"#)
            .replacing(#""autoRenewStatus":1"#, with: #""autoRenewStatus":1,"newer":[2]"#)
        var purchase = try PurchaseFacts(json: Array(text.utf8))
        #expect(purchase.unknownFields["later"] == ["x": 1])
        #expect(purchase.renewal?.unknownFields["newer"] == [2])
        #expect(try PurchaseFacts(json: purchase.jsonText) == purchase)
        var other = try PurchaseFacts(json: Array(text.replacing(#""x":1"#, with: #""x":2"#).utf8))
        let before = purchase
        purchase.merge(other)
        other.merge(before)
        #expect(purchase == other)
        #expect(purchase.unknownFields["later"] == ["x": 2])
    }

    @Test func `every field survives a round trip`() throws {
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
                .facts())
        #expect(try PurchaseFacts(json: facts.jsonText) == facts)
        let details = try #require(try PurchaseFacts(json: facts.jsonText).latestTransaction?.content)
        #expect(details.price == 9_007_199_254_740_993 && details.revocationReason == .issueInApp)
        #expect(details.offerDiscountType == .freeTrial && details.storefront == "DEU")
        #expect(facts.transactions[TransactionId("1")]?.amountProblems == [.quantity])
        #expect(facts.transactions[TransactionId("1")]?.version.isSigned == true)
    }

    @Test(arguments: [
        ("", PurchaseFormatError.Code.invalidJSON), ("[]", .noIdentity), ("{}", .outdatedFormat),
        (#"{"formatVersion":3,"environment":"Production","bundleId":"b","originalTransactionId":"1"}"#, .unknownFormat),
        (
            #"{"formatVersion":1,"environment":"Production","bundleId":"b","originalTransactionId":"1"}"#,
            .outdatedFormat
        ),
        (#"{"formatVersion":2,"environment":"Production","bundleId":"b"}"#, .noIdentity),
        (
            #"{"formatVersion":2,"environment":"Production","bundleId":"b","originalTransactionId":"1","#
                + #""traits":[{}],"transactions":"C.B.A..A,"}"#, .invalidFacts
        ),
        (
            #"{"formatVersion":2,"environment":"Production","bundleId":"b","originalTransactionId":"1","#
                + #""eventKinds":[["TEST"]],"events":"A.A.A"}"#, .invalidFacts
        ),
        (
            #"{"formatVersion":2,"environment":"Production","bundleId":"b","originalTransactionId":"1","#
                + #""transactions":["C.A.A..A,"]}"#, .invalidFacts
        ),
    ])
    func `text that is not a purchase is an error`(text: String, code: PurchaseFormatError.Code) {
        #expect { try PurchaseFacts(json: Array(text.utf8)) } throws: { ($0 as? PurchaseFormatError)?.code == code }
    }

    @Test func `members of the wrong type are treated as absent`() throws {
        let text =
            #"{"formatVersion":2,"environment":"Production","bundleId":"b","originalTransactionId":"1","#
            + #""latestTransaction":{"signedDate":1e300},"traits":[{"quantity":1e99}],"transactions":"E.A.A..K,","#
            + #""renewalInfo":[],"status":{"signedDate":1},"upgrades":[{},["1",1e300],[1]],"predecessors":0,"claim":0}"#
        let purchase = try PurchaseFacts(json: Array(text.utf8))
        #expect(purchase.transactions.keys.map(\.rawValue) == ["2"])
        #expect(purchase.latestTransaction == nil && purchase.upgrades.isEmpty && purchase.predecessors.isEmpty)
        #expect(purchase.renewal == nil && purchase.status == nil && purchase.claim == nil && purchase.events.isEmpty)
    }

    @Test func `a published record contains an answer for readers and the facts for the join`() throws {
        let purchase = try goldenPurchase()
        let text = try #require(purchase.published(at: at(11 * day), rules: ProductRules()).value)
        let object = try #require(try JSONValue(json: text).object)
        #expect(object["active"] == ["yearly"])
        #expect(object["latestNotification"]?.object?["notificationType"]?.string?.isEmpty == false)
        #expect(object["appAccountToken"] == "t")
        #expect(object["nextChange"]?.integer == at(375 * day).millisecondsSince1970)
        #expect(object["grants"]?.array?.first?.object?["state"] == "ACTIVE")
        #expect(try PurchaseFacts(published: text) == purchase)
        #expect(throws: PurchaseFormatError.self) { try PurchaseFacts(published: Array("{}".utf8)) }
    }

    @Test func `facts from the App Store Server API compete by their own signedDate`() throws {
        var purchase = try purchase(
            Notification(
                .didFailToRenew, signed: 30 * day, status: .billingRetry,
                transaction: period("1", from: 0, to: 30 * day), renewalInfo: renewal()))
        let facts = try #require(
            PurchaseFacts(
                environment: .production, bundleId: BundleId("com.example"),
                transaction: try TransactionPayload(
                    json: JSONValue.object(period("2", from: 31 * day, to: 61 * day).with("signedDate", date: 31 * day))
                        .json),
                renewalInfo: try RenewalInfoPayload(
                    json: JSONValue.object(renewal().with("signedDate", date: 32 * day)).json), status: .active))
        #expect(facts.status?.version.signedDate == at(32 * day))
        #expect(facts.events.isEmpty)
        purchase.merge(facts)
        #expect(purchase.state(at: at(33 * day))?.phase == .active)
    }
}

@Suite("A captured purchase", .enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
struct AppleSampleTests {
    private static let files = [
        "01-DID_RENEW", "02-SUBSCRIBED-RESUBSCRIBE", "03-DID_CHANGE_RENEWAL_STATUS-AUTO_RENEW_DISABLED",
        "04-EXPIRED-VOLUNTARY", "05-SUBSCRIBED-RESUBSCRIBE", "06-CONSUMPTION_REQUEST", "07-REFUND",
    ]

    private func facts() throws -> [PurchaseFacts] {
        try Self.files.map { name in
            let notification = try NotificationPayload(json: TestVectors.payload(ofJWS: "genuine/\(name).jws"))
            let data = try #require(notification.data)
            let transaction = try TransactionPayload(
                json: CompactJWS.payload(#require(data.signedTransactionInfo)))
            let renewalInfo = try RenewalInfoPayload(
                json: CompactJWS.payload(#require(data.signedRenewalInfo)))
            return try #require(
                PurchaseFacts(notification: notification, transaction: transaction, renewalInfo: renewalInfo))
        }
    }

    private func instant(_ milliseconds: Int64) -> AppStoreInstant {
        AppStoreInstant(clampingMillisecondsSince1970: milliseconds)
    }

    @Test func `after each notification, the state is the one that Apple reports`() throws {
        let facts = try facts()
        var purchase = facts[0]
        let expected: [(SubscriptionState.Phase, String)] = [
            (.active, "2000001024998954"), (.active, "2000001025686313"), (.active, "2000001025686313"),
            (.expired, "2000001025686313"), (.active, "2000001035288486"), (.active, "2000001035288486"),
            (.active, "2000001035288486"),
        ]
        for (one, (phase, transactionId)) in zip(facts, expected) {
            purchase.merge(one)
            let now = try #require(one.status?.version.signedDate)
            #expect(purchase.state(at: now)?.phase == phase)
            #expect(purchase.currentTransaction(at: now)?.transactionId == TransactionId(transactionId))
            #expect(!purchase.statusDisagrees)
        }
        #expect(
            purchase.transitions(ProductRules()).map { "\($0.to) \($0.cause.notificationType)" }
                == ["ACTIVE DID_RENEW", "EXPIRED EXPIRED", "ACTIVE SUBSCRIBED"])
    }

    @Test func `the complete set leads to the expected state at each time, in every order`() throws {
        let facts = try facts()
        var random = SeededGenerator(seed: 42)
        for _ in 0..<20 {
            let order = (facts + facts).shuffled(using: &random)
            var purchase = order[0]
            for one in order { purchase.merge(one) }
            #expect(purchase.state(asOf: instant(1_759_302_552_000))?.phase == .active)
            #expect(purchase.state(asOf: instant(1_759_302_732_000))?.phase == .renewing)
            #expect(purchase.state(asOf: instant(1_759_388_900_000))?.phase == .active)
            #expect(purchase.state(asOf: instant(1_759_388_947_000))?.phase == .expired)
            // The refunded period had ended long before its refund.
            #expect(purchase.state(asOf: instant(1_760_335_200_000))?.phase == .active)
            // Nothing is known about its renewal; the disabled renewal belongs to an earlier period.
            #expect(purchase.state(asOf: instant(1_760_335_400_000))?.phase == .renewing)
            #expect(purchase.state(asOf: instant(1_760_347_000_000))?.phase == .expired)
            #expect(purchase.state(at: instant(1_760_592_313_999))?.phase == .active)
            #expect(
                purchase.state(at: instant(1_760_592_313_999))?.productId
                    == ProductId("com.getsession.org.pro_sub_3_months"))
            #expect(purchase.state(at: instant(1_760_592_314_000))?.phase == .renewing)
            #expect(purchase.state(at: instant(1_760_603_114_000))?.phase == .expired)
            #expect(purchase.nextChange(after: instant(1_760_592_200_000)) == instant(1_760_592_314_000))
            #expect(purchase.transactions[TransactionId("2000001032604840")]?.revocationDate != nil)
            #expect(purchase.latestTransaction?.content?.revocationReason == .other)
        }
    }

    @Test func `the refund revokes until the newer transaction arrives`() throws {
        let facts = try facts()
        #expect(facts[6].state(at: instant(1_760_592_200_000))?.phase == .revoked)
        var purchase = facts[6]
        purchase.merge(facts[4])
        #expect(purchase.state(at: instant(1_760_592_200_000))?.phase == .active)
    }
}
