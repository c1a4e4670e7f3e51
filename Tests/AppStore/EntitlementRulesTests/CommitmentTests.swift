import AppStoreModel
import EntitlementRules
import JSON
import Testing

/// A twelve-month commitment with monthly payments. Source: Apple, "Managing the life cycle of monthly subscriptions
/// with a 12-month commitment".
extension AccessCase {
    /// Returns a 30-day period of the commitment. `number` counts its periods.
    static func month(_ number: Int64) -> JSONObject {
        let commitment: JSONValue = [
            "billingPeriodNumber": .integer(number), "totalBillingPeriods": 12,
            "commitmentExpiresDate": .integer(at(360 * day).millisecondsSince1970),
        ]
        return period("\(number)", from: 30 * (number - 1) * day, to: 30 * number * day, product: "yearly")
            .with("billingPlanType", "MONTHLY").with("commitmentInfo", commitment)
    }

    static func committed(_ number: Int64, renews: Int64 = 1, as product: String = "yearly") -> JSONObject {
        renewal(product: "yearly").with("renewalDate", date: 30 * number * day).with(
            "commitmentInfo",
            [
                "commitmentAutoRenewStatus": .integer(renews), "commitmentAutoRenewProductId": .string(product),
                "commitmentRenewalDate": .integer(at(360 * day).millisecondsSince1970),
            ])
    }

    static func months(_ numbers: ClosedRange<Int64>, renews: Int64 = 1) -> [Notification] {
        numbers.map { number in
            told(
                number == 1 ? .subscribed : .didRenew, on: Double(30 * (number - 1)), .active, month(number),
                committed(number, renews: renews))
        }
    }

    static let failedMonth = committed(4).with("isInBillingRetryPeriod", true).with("expirationIntent", 2)

    static let commitments: [AccessCase] = [
        .init(
            "cancelled in the third of twelve months",
            months(1...3)
                + [
                    told(
                        .didChangeRenewalStatus, .autoRenewDisabled, on: 70, .active, month(3), committed(3, renews: 0))
                ],
            (71, "ACTIVE yearly until 90"), (90.01, "RENEWING yearly until 90")),
        .init(
            "the last month of a commitment that does not renew", months(11...12, renews: 0),
            (359, "ACTIVE yearly until 360"), (360.01, "no EXPIRED yearly")),
        .init(
            "the last month of a commitment that renews", months(11...12), (359, "ACTIVE yearly until 360"),
            (360.01, "RENEWING yearly until 360")),
        .init(
            "a charge that fails",
            months(3...4) + [told(.didFailToRenew, on: 120, .billingRetry, month(4), failedMonth)],
            (121, "no RETRY yearly until 210"), (185, "no RETRY yearly until 210"), (210, "no EXPIRED yearly")),
        .init(
            "a charge that fails, with the status and the date of a grace period",
            months(3...4) + [
                told(
                    .didFailToRenew, .gracePeriod, on: 120, .billingGracePeriod, month(4),
                    failedMonth.with("gracePeriodExpiresDate", date: 136 * day))
            ], (121, "no RETRY yearly until 210")),
        .init(
            "a charge that fails, with the status of a grace period",
            months(3...4) + [
                told(.didFailToRenew, .gracePeriod, on: 120, .billingGracePeriod, month(4), failedMonth)
            ], (121, "no RETRY yearly until 210")),
        .init(
            "the current month refunded",
            months(3...4) + [
                told(
                    .refund, on: 100, .revoked, month(4).with("revocationDate", date: 100 * day), committed(4))
            ], (99, "ACTIVE yearly until 100"), (101, "no REVOKED yearly"), (121, "no REVOKED yearly")),
        .init(
            "an earlier month refunded",
            months(3...4) + [
                told(.refund, on: 100, .active, month(3).with("revocationDate", date: 100 * day), committed(4))
            ], (101, "ACTIVE yearly until 120")),
    ]
}

@Suite("Commitments of twelve months") struct CommitmentTests {
    @Test(arguments: AccessCase.commitments)
    func `access is as specified in every order`(given: AccessCase) throws {
        for order in [given.told, given.told.reversed(), given.told + given.told] {
            let purchase = try purchase(order)
            for (moment, expected) in given.expected {
                let state = try #require(purchase.state(at: at(Int64(moment * 86_400_000))))
                #expect(AccessCaseTests.text(state) == expected, "on day \(moment)")
            }
        }
    }

    @Test func `a downgrade is pending until the end of the commitment`() throws {
        let planned = AccessCase.told(
            .didChangeRenewalPref, .downgrade, on: 100, .active, AccessCase.month(4),
            AccessCase.committed(4, as: "basic"))
        let state = try purchase(AccessCase.months(3...4) + [planned]).state(at: at(101 * day))
        #expect(state?.productId == ProductId("yearly") && state?.pendingProductId == ProductId("basic"))
    }

    @Test func `nothing renews after the refund of the current month`() throws {
        let refund = AccessCase.told(
            .refund, on: 100, .revoked, AccessCase.month(4).with("revocationDate", date: 100 * day),
            AccessCase.committed(4))
        let state = try purchase(AccessCase.months(3...4) + [refund]).state(at: at(101 * day))
        #expect(state?.phase == .revoked && state?.willRenew == false)
    }

    @Test func `an answer contains the renewal of the next month and of the commitment`() throws {
        let cancelled = AccessCase.told(
            .didChangeRenewalStatus, .autoRenewDisabled, on: 70, .active, AccessCase.month(3),
            AccessCase.committed(3, renews: 0))
        let answer = EntitlementAnswer(
            purchases: [try purchase(AccessCase.months(1...3) + [cancelled])], environment: .production,
            at: at(71 * day), rules: ProductRules())
        var writer = JSONWriter()
        writer.object { answer.write(to: &$0) }
        let json = try #require(try JSONValue(json: writer.bytes).object)
        let grant = try #require(json["grants"]?.array?.first?.object)
        #expect(grant["willRenew"] == true && grant["commitmentWillRenew"] == false)
        #expect(grant["billingPlanType"] == "MONTHLY" && grant["billingPeriodNumber"] == 3)
        #expect(grant["commitmentExpiresDate"]?.integer == at(360 * day).millisecondsSince1970)
    }

    @Test func `facts survive a round trip`() throws {
        let purchase = try purchase(AccessCase.months(1...12))
        #expect(try PurchaseFacts(json: purchase.jsonText) == purchase)
        #expect(
            try PurchaseFacts(published: #require(purchase.published(at: at(359 * day), rules: ProductRules()).value))
                == purchase)
    }
}
