import AppStoreModel
import EntitlementRules
import JSON
import Testing

/// Apple's notifications, and the resulting access at given times. Days count from the purchase of a month.
struct AccessCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let told: [Notification]
    /// The expected state at times in days.
    let expected: [(day: Double, state: String)]

    init(_ description: String, _ told: [Notification], _ expected: (Double, String)...) {
        testDescription = description
        self.told = told
        self.expected = expected.map { (day: $0.0, state: $0.1) }
    }

    static let first = period("1", from: 0, to: 30 * day)
    static let second = period("2", from: 30 * day, to: 60 * day)
    static let yearly = period("2", from: 10 * day, to: 375 * day, product: "yearly")
    static let basic = period("2", from: 30 * day, to: 60 * day, product: "basic")
    static let failing = renewal().with("isInBillingRetryPeriod", true)

    static func told(
        _ type: NotificationType, _ subtype: Subtype? = nil, on day: Double, _ status: SubscriptionStatus?,
        _ transaction: JSONObject? = first, _ renewalInfo: JSONObject? = renewal()
    ) -> Notification {
        Notification(
            type, subtype, signed: Int64(day * 86_400_000), uuid: "\(type)-\(subtype?.rawValue ?? "")-\(day)",
            status: status, transaction: transaction, renewalInfo: renewalInfo)
    }

    static let bought = told(.subscribed, .initialBuy, on: 0, .active)
    static let renewed = told(.didRenew, on: 30, .active, second)
    static let renewedEarly = told(.didRenew, on: 29, .active, second)

    // MARK: Renewals

    static let renewals: [AccessCase] = [
        .init(
            "renewed when the period ends", [bought, renewed],
            (29, "ACTIVE monthly until 60"), (31, "ACTIVE monthly until 60")),
        .init(
            "renewed a day early", [bought, renewedEarly], (29, "ACTIVE monthly until 60"),
            (29.99, "ACTIVE monthly until 60"), (30, "ACTIVE monthly until 60")),
        .init(
            "renewed early as another product",
            [
                bought, told(.didChangeRenewalPref, .downgrade, on: 5, .active, first, renewal(product: "basic")),
                told(.didRenew, on: 29, .active, basic, renewal(product: "basic")),
            ], (29.5, "ACTIVE monthly until 30"), (30, "ACTIVE basic until 60")),
        .init(
            "an early renewal refunded before it begins",
            [bought, renewedEarly, told(.refund, on: 29.5, .revoked, second.with("revocationDate", date: 29 * day))],
            (29.75, "ACTIVE monthly until 30"), (30.5, "no REVOKED monthly")),
        .init(
            "an early renewal refunded, and the refund reversed",
            [
                bought, renewedEarly,
                told(.refund, on: 29.5, .revoked, second.with("revocationDate", date: 29 * day)),
                told(.refundReversed, on: 29.6, .active, second),
            ], (29.75, "ACTIVE monthly until 60"), (31, "ACTIVE monthly until 60")),
        .init(
            "the renewal's notification is late", [bought], (29.99, "ACTIVE monthly until 30"),
            (30, "RENEWING monthly until 30"), (30.12, "RENEWING monthly until 30"), (30.13, "no EXPIRED monthly")),
        .init(
            "renewal was turned off",
            [bought, told(.didChangeRenewalStatus, .autoRenewDisabled, on: 9, .active, first, renewal(0))],
            (29.99, "ACTIVE monthly until 30"), (30, "no EXPIRED monthly")),
        .init(
            "expired because the customer cancelled",
            [bought, told(.expired, .voluntary, on: 30, .expired, first, renewal(0).with("expirationIntent", 1))],
            (30, "no EXPIRED monthly")),
        .init(
            "resubscribed after expiry",
            [
                bought, told(.expired, .voluntary, on: 30, .expired, first, renewal(0)),
                told(.subscribed, .resubscribe, on: 40, .active, period("2", from: 40 * day, to: 70 * day)),
            ], (41, "ACTIVE monthly until 70")),
    ]

    // MARK: Billing trouble

    static let billing: [AccessCase] = [
        .init(
            "grace with a date",
            [
                bought,
                told(
                    .didFailToRenew, .gracePeriod, on: 30, .billingGracePeriod, first,
                    failing.with("gracePeriodExpiresDate", date: 46 * day)),
            ], (31, "GRACE monthly until 46"), (46, "no RETRY monthly until 90")),
        .init(
            "grace without a date",
            [bought, told(.didFailToRenew, .gracePeriod, on: 30, .billingGracePeriod, first, failing)],
            (31, "GRACE monthly until 33 asks"), (32.9, "GRACE monthly until 33 asks"),
            (33.04, "GRACE monthly until 33 asks"), (33.05, "no RETRY monthly until 90")),
        .init(
            "grace without a date, recovered",
            [
                bought, told(.didFailToRenew, .gracePeriod, on: 30, .billingGracePeriod, first, failing),
                told(.didRenew, .billingRecovery, on: 31, .active, period("2", from: 31 * day, to: 61 * day)),
            ], (31.5, "ACTIVE monthly until 61")),
        .init(
            "failure reported before the period ends",
            [bought, told(.didFailToRenew, on: 29, .billingRetry, first, failing)],
            (29.5, "ACTIVE monthly until 30"), (30, "no RETRY monthly until 90"), (90, "no EXPIRED monthly")),
        .init(
            "the grace period is over",
            [
                bought, told(.didFailToRenew, .gracePeriod, on: 30, .billingGracePeriod, first, failing),
                told(.gracePeriodExpired, on: 32, .billingRetry, first, failing),
            ], (32.5, "no RETRY monthly until 90")),
        .init(
            "only the renewal info shows the failed charge",
            [bought, told(.didChangeRenewalStatus, .autoRenewEnabled, on: 29, nil, nil, failing)],
            (29.5, "ACTIVE monthly until 30"), (30.01, "no RETRY monthly until 90")),
        .init(
            "Apple reports an active subscription after the known expiry",
            [bought, told(.priceIncrease, .pending, on: 31, .active, nil, renewal())],
            (31.02, "STALE monthly until 31 asks"), (31.05, "no STALE monthly asks")),
    ]

    // MARK: Plans

    static let plans: [AccessCase] = [
        .init(
            "an upgrade",
            [bought, told(.didChangeRenewalPref, .upgrade, on: 10, .active, yearly, renewal(product: "yearly"))],
            (11, "ACTIVE yearly until 375")),
        .init(
            "an upgrade replaces a renewal that has not begun",
            [
                bought,
                told(
                    .didChangeRenewalPref, .upgrade, on: 29.5, .active,
                    period("3", from: 59 * day / 2, to: 395 * day, product: "yearly"), renewal(product: "yearly")),
                told(.didRenew, on: 29, .active, second.with("isUpgraded", true), renewal(product: "yearly")),
            ], (29.75, "ACTIVE yearly until 395"), (31, "ACTIVE yearly until 395")),
        .init(
            "only the upgraded transaction is known",
            [
                told(
                    .refund, on: 11, .active,
                    first.with("isUpgraded", true).with("revocationDate", date: 10 * day), renewal(product: "yearly"))
            ], (11.02, "STALE monthly until 11 asks")),
        .init(
            "a downgrade is pending",
            [bought, told(.didChangeRenewalPref, .downgrade, on: 10, .active, first, renewal(product: "basic"))],
            (29, "ACTIVE monthly until 30")),
        .init(
            "extended", [bought, told(.renewalExtended, on: 20, .active, first.with("expiresDate", date: 37 * day))],
            (35, "ACTIVE monthly until 37")),
    ]

    // MARK: Refunds and revocations

    static let refunds: [AccessCase] = [
        .init(
            "the current period is refunded",
            [bought, told(.refund, on: 7, .revoked, first.with("revocationDate", date: 6 * day))],
            (7, "no REVOKED monthly")),
        .init(
            "an older period is refunded",
            [bought, renewed, told(.refund, on: 35, .active, first.with("revocationDate", date: 35 * day))],
            (36, "ACTIVE monthly until 60")),
        .init(
            "an older period is refunded, with Apple's status revoked",
            [bought, renewed, told(.refund, on: 35, .revoked, first.with("revocationDate", date: 35 * day))],
            (36, "ACTIVE monthly until 60")),
        .init(
            "an older period is refunded with status revoked, and its transaction is signed again",
            [
                bought, renewed, told(.refund, on: 35, .revoked, first.with("revocationDate", date: 35 * day)),
                told(NotificationType("UPLOAD"), on: 40, nil, first.with("revocationDate", date: 35 * day), nil),
            ], (41, "ACTIVE monthly until 60")),
        .init(
            "revoked without a revocation date", [bought, told(.revoke, on: 5, .revoked)],
            (6, "no REVOKED monthly asks")),
        .init(
            "a refund reversed",
            [
                bought, told(.refund, on: 7, .revoked, first.with("revocationDate", date: 6 * day)),
                told(.refundReversed, on: 9, .active),
            ], (10, "ACTIVE monthly until 30")),
        .init(
            "seats refunded one by one, then all, with added seats remaining",
            [
                told(.subscribed, .initialBuy, on: 0, .active, first.with("quantity", 10)),
                told(
                    .didChangeRenewalPref, .increaseQuantity, on: 1, .active,
                    period("2", from: day, to: 30 * day).with("quantity", 5)
                        .with("additionalTransactionReason", "SEAT_ADDITION")),
                told(
                    .refund, .seats, on: 5, .active,
                    first.with("quantity", 10).with("multiSeatInfo", ["revokedSeatQuantity": 10])
                        .with("revocationDate", date: 5 * day)),
            ], (6, "ACTIVE monthly until 30 5 seats")),
        .init(
            "added seats are revoked after some of them were refunded",
            [
                told(.subscribed, .initialBuy, on: 0, .active, first.with("quantity", 10)),
                told(
                    .refund, .seats, on: 5, .active,
                    period("2", from: day, to: 30 * day).with("quantity", 5)
                        .with("additionalTransactionReason", "SEAT_ADDITION")
                        .with("multiSeatInfo", ["revokedSeatQuantity": 2]).with("revocationDate", date: 5 * day)),
            ], (6, "ACTIVE monthly until 30 10 seats")),
    ]
}

@Suite("Access, case by case") struct AccessCaseTests {
    @Test(arguments: AccessCase.renewals + AccessCase.billing + AccessCase.plans + AccessCase.refunds)
    func `access is as specified in every order`(given: AccessCase) throws {
        for order in [given.told, given.told.reversed(), given.told + given.told] {
            let purchase = try purchase(order)
            for (moment, expected) in given.expected {
                let state = try #require(purchase.state(at: at(Int64(moment * 86_400_000))))
                #expect(Self.text(state) == expected, "on day \(moment)")
            }
        }
    }

    static func text(_ state: SubscriptionState) -> String {
        var words = state.isEntitled ? [] : ["no"]
        words += [state.phase.rawValue, state.productId?.rawValue ?? "-"]
        if let until = state.until { words.append("until \(at(0).milliseconds(to: until) / day)") }
        if state.seats > 1 { words.append("\(state.seats) seats") }
        if state.needsStatusQuery { words.append("asks") }
        return words.joined(separator: " ")
    }

    @Test func `settings determine the leeways of late or undated notifications`() throws {
        var policy = SubscriptionPolicy()
        policy.renewalLeewayMilliseconds = 2 * day
        policy.graceFallbackMilliseconds = 16 * day
        #expect(try purchase(AccessCase.bought).state(at: at(31 * day), policy: policy)?.phase == .renewing)
        let failed = try purchase(
            AccessCase.bought,
            AccessCase.told(
                .didFailToRenew, .gracePeriod, on: 30, .billingGracePeriod, AccessCase.first, AccessCase.failing))
        #expect(failed.state(at: at(45 * day), policy: policy)?.until == at(46 * day + hour))
        policy.renewalLeewayMilliseconds = 0
        #expect(try purchase(AccessCase.bought).state(at: at(30 * day), policy: policy)?.phase == .expired)
    }

    // MARK: The past

    @Test func `an answer about a time in the past contains the access at that time`() throws {
        let grace = AccessCase.failing.with("gracePeriodExpiresDate", date: 46 * day)
        let purchase = try purchase(
            AccessCase.bought,
            AccessCase.told(.refund, on: 5, .revoked, AccessCase.first.with("revocationDate", date: 4 * day)),
            AccessCase.told(.refundReversed, on: 7, .active),
            AccessCase.told(.didFailToRenew, .gracePeriod, on: 30, .billingGracePeriod, AccessCase.first, grace),
            AccessCase.told(
                .didRenew, .billingRecovery, on: 40, .active, period("2", from: 40 * day, to: 70 * day)))
        func phase(_ day: Double) -> String? {
            purchase.state(asOf: at(Int64(day * 86_400_000))).map { "\($0.phase.rawValue) \($0.isEntitled)" }
        }
        #expect(phase(4.5) == "ACTIVE true")
        #expect(phase(6) == "REVOKED false")
        #expect(phase(8) == "ACTIVE true")
        #expect(phase(35) == "GRACE true")
        #expect(phase(41) == "ACTIVE true")
        // The end of the grace period is not stored, so the period might have been over.
        #expect(purchase.whollyKnownSince(before: at(35 * day)) == at(40 * day))
        #expect(purchase.whollyKnownSince(before: at(8 * day)) == nil)
    }

    @Test func `an answer about a time between a revocation and its notification contains access`() throws {
        let purchase = try purchase(
            AccessCase.bought,
            AccessCase.told(.refund, on: 20, .revoked, AccessCase.first.with("revocationDate", date: 10 * day)))
        #expect(purchase.state(asOf: at(15 * day))?.phase == .active)
        #expect(purchase.state(asOf: at(21 * day))?.phase == .revoked)
    }

    @Test func `an answer about a time before an extension is marked as incomplete`() throws {
        let purchase = try purchase(
            AccessCase.bought,
            AccessCase.told(
                .renewalExtended, on: 20, .active, AccessCase.first.with("expiresDate", date: 37 * day)))
        #expect(purchase.whollyKnownSince(before: at(10 * day)) == at(20 * day))
        #expect(purchase.whollyKnownSince(before: at(21 * day)) == nil)
        let answer = EntitlementAnswer(
            purchases: [purchase], environment: .production, at: at(10 * day), rules: ProductRules(), view: .history)
        #expect(answer.knownSince == at(20 * day) && answer.active == ["monthly"])
    }

    // MARK: Owner

    @Test func `a transfer moves a purchase and its renewals from the account that Apple names`() throws {
        let one = AppAccountToken("7e3fb204-2d5b-4a5c-8f1e-000000000001")
        let other = AppAccountToken("7e3fb204-2d5b-4a5c-8f1e-000000000002")
        let third = AppAccountToken("7e3fb204-2d5b-4a5c-8f1e-000000000003")
        func named(_ transaction: JSONObject, _ token: AppAccountToken) -> JSONObject {
            transaction.with("appAccountToken", .string(token.rawValue))
        }
        let bought = AccessCase.told(.subscribed, .initialBuy, on: 0, .active, named(AccessCase.first, one))
        var purchase = try purchase(bought)
        purchase.insert(OwnerClaim(appAccountToken: other, claimedAt: at(day)))
        #expect(purchase.appAccountToken == one)
        purchase.insert(OwnerClaim(appAccountToken: other, claimedAt: at(2 * day), transferredFrom: one))
        #expect(purchase.appAccountToken == other)
        let renewed = AccessCase.told(.didRenew, on: 30, .active, named(AccessCase.second, one))
        purchase.merge(try #require(try renewed.facts()))
        #expect(purchase.appAccountToken == other)
        #expect(try PurchaseFacts(json: purchase.jsonText) == purchase)
        let bought3 = AccessCase.told(
            .subscribed, .resubscribe, on: 70, .active, named(period("3", from: 70 * day, to: 100 * day), third))
        purchase.merge(try #require(try bought3.facts()))
        #expect(purchase.appAccountToken == third)
    }
}
