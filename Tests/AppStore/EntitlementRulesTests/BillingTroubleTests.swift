import AppStoreModel
import EntitlementRules
import JSON
import Testing

/// Failed renewals, and the events that end the failure. Sources: Apple's `isInBillingRetryPeriod`, "Testing failing
/// subscription renewals" and "Reducing involuntary subscriber churn", and developer.apple.com/forums/thread/739756.
extension AccessCase {
    static let retrying = failing.with("expirationIntent", 2).with("renewalDate", date: 30 * day)
    static let inGrace = retrying.with("gracePeriodExpiresDate", date: 46 * day)
    static let failedInGrace = told(.didFailToRenew, .gracePeriod, on: 30, .billingGracePeriod, first, inGrace)
    /// Returns the upload of a transaction, without renewal info.
    static func uploaded(_ transaction: JSONObject, on day: Double) -> Notification {
        told(NotificationType("UPLOAD"), on: day, nil, transaction, nil)
    }

    static let billingTrouble: [AccessCase] = [
        .init(
            "recovered in the grace period, which keeps the billing cycle",
            [
                bought, failedInGrace,
                told(
                    .didRenew, .billingRecovery, on: 35, .active, second,
                    renewal().with("renewalDate", date: 60 * day)),
            ], (40, "ACTIVE monthly until 60"), (47, "ACTIVE monthly until 60"), (59, "ACTIVE monthly until 60")),
        .init(
            "the grace period before a recovery", [bought, failedInGrace], (34, "GRACE monthly until 46"),
            (46, "no RETRY monthly until 90")),
        .init(
            "recovered after billing retry, which begins a new billing cycle",
            [
                bought, told(.didFailToRenew, on: 30, .billingRetry, first, retrying),
                told(
                    .didRenew, .billingRecovery, on: 41, .active, period("2", from: 41 * day, to: 71 * day),
                    renewal().with("renewalDate", date: 71 * day)),
            ], (41.01, "ACTIVE monthly until 71"), (62, "ACTIVE monthly until 71"), (70, "ACTIVE monthly until 71")),
        .init(
            "billing retry before a recovery",
            [bought, told(.didFailToRenew, on: 30, .billingRetry, first, retrying)],
            (31, "no RETRY monthly until 90"), (40, "no RETRY monthly until 90")),
        .init(
            "cancelled in the grace period; the renewal info still has its date",
            [
                bought, failedInGrace,
                told(
                    .expired, .voluntary, on: 33, .expired, first,
                    renewal(0).with("isInBillingRetryPeriod", false).with("expirationIntent", 1)
                        .with("gracePeriodExpiresDate", date: 46 * day).with("renewalDate", date: 30 * day)),
            ], (34, "no EXPIRED monthly"), (40, "no EXPIRED monthly")),
        .init(
            "expired straight from the grace period",
            [
                bought, failedInGrace,
                told(.didChangeRenewalStatus, .autoRenewDisabled, on: 30.1, .billingGracePeriod, first, inGrace),
                told(
                    .expired, .billingRetry, on: 30.2, .expired, first,
                    inGrace.with("autoRenewStatus", 0).with("isInBillingRetryPeriod", false)),
            ], (30.3, "no EXPIRED monthly"), (45, "no EXPIRED monthly")),
        .init(
            "expired in the grace period, without information about retries",
            [
                bought, failedInGrace,
                told(
                    .expired, .voluntary, on: 33, .expired, first,
                    renewal(0).with("expirationIntent", 1).with("gracePeriodExpiresDate", date: 46 * day)
                        .with("renewalDate", date: 30 * day)),
            ], (34, "no EXPIRED monthly")),
        .init(
            "recovered in the grace period; only the transaction is known",
            [bought, failedInGrace, uploaded(period("2", from: 30 * day, to: 37 * day), on: 35)],
            (36, "ACTIVE monthly until 37"), (37.01, "RENEWING monthly until 37"), (39, "no EXPIRED monthly")),
        .init(
            "renewal turned off in the grace period",
            [
                bought, failedInGrace,
                told(
                    .didChangeRenewalStatus, .autoRenewDisabled, on: 31, .billingGracePeriod, first,
                    inGrace.with("autoRenewStatus", 0)),
            ], (32, "GRACE monthly until 46")),
        .init(
            "status grace with a false retry flag",
            [
                bought,
                told(
                    .didFailToRenew, .gracePeriod, on: 30, .billingGracePeriod, first,
                    inGrace.with("isInBillingRetryPeriod", false)),
            ], (31, "GRACE monthly until 46")),
        .init(
            "a grace date with a false retry flag and no status",
            [
                bought,
                told(
                    .didChangeRenewalStatus, on: 31, nil, first, inGrace.with("isInBillingRetryPeriod", false)),
            ], (32, "no EXPIRED monthly")),
        .init(
            "the end of grace reported before its date",
            [bought, failedInGrace, told(.gracePeriodExpired, on: 40, .billingRetry, first, inGrace)],
            (41, "no RETRY monthly until 90")),
        .init(
            "expired in billing retry, reported without renewal info",
            [
                bought, told(.didFailToRenew, on: 30, .billingRetry, first, retrying),
                told(.expired, .voluntary, on: 35, .expired, first, nil),
            ], (36, "no EXPIRED monthly")),
        .init(
            "renewal turned off before an early renewal; its transaction is signed again later",
            [
                bought,
                told(.didRenew, on: 29, .active, second, renewal(0).with("renewalDate", date: 60 * day)),
                uploaded(second, on: 40),
            ], (59, "ACTIVE monthly until 60"), (60.01, "no EXPIRED monthly")),
        .init(
            "the grace period of an earlier period",
            [
                told(.subscribed, .initialBuy, on: 0, .active), failedInGrace,
                uploaded(period("2", from: 31 * day, to: 38 * day), on: 31),
            ], (37, "ACTIVE monthly until 38"), (38.01, "RENEWING monthly until 38"), (40, "no EXPIRED monthly")),
        .init(
            "the billing retry of an earlier period",
            [
                bought, told(.didFailToRenew, on: 30, .billingRetry, first, retrying),
                uploaded(period("2", from: 40 * day, to: 70 * day), on: 40),
            ], (70.01, "RENEWING monthly until 70"), (72, "no EXPIRED monthly")),
        .init(
            "the expiry of an earlier period",
            [
                bought,
                told(
                    .expired, .voluntary, on: 30, .expired, first,
                    renewal(0).with("expirationIntent", 1).with("renewalDate", date: 30 * day)),
                uploaded(period("2", from: 40 * day, to: 70 * day), on: 40),
            ], (41, "ACTIVE monthly until 70"), (70.01, "RENEWING monthly until 70")),
    ]
}

@Suite("Billing trouble") struct BillingTroubleTests {
    @Test(arguments: AccessCase.billingTrouble)
    func `access is as specified in every order`(given: AccessCase) throws {
        for order in [given.told, given.told.reversed(), given.told + given.told] {
            let purchase = try purchase(order)
            for (moment, expected) in given.expected {
                let state = try #require(purchase.state(at: at(Int64(moment * 86_400_000))))
                #expect(AccessCaseTests.text(state) == expected, "on day \(moment)")
            }
        }
    }

    @Test func `an answer about a time in the grace period contains the access granted then`() throws {
        let straight = try #require(
            AccessCase.billingTrouble.first { $0.testDescription == "expired straight from the grace period" })
        let purchase = try purchase(straight.told)
        #expect(purchase.state(asOf: at(30 * day + 3 * hour))?.phase == .grace)
        #expect(purchase.state(asOf: at(31 * day))?.phase == .expired)
    }

    @Test func `the intent and the renewal of an earlier period are not reported for the current one`() throws {
        let lapsed = AccessCase.told(
            .expired, .voluntary, on: 30, .expired, AccessCase.first,
            renewal(0, product: "basic").with("expirationIntent", 1).with("renewalDate", date: 30 * day))
        let again = AccessCase.uploaded(period("2", from: 40 * day, to: 70 * day), on: 40)
        let state = try #require(try purchase(AccessCase.bought, lapsed, again).state(at: at(41 * day)))
        #expect(state.phase == .active && state.willRenew == nil && state.pendingProductId == nil)
        let over = try #require(try purchase(AccessCase.bought, lapsed, again).state(at: at(80 * day)))
        #expect(over.phase == .expired && over.expirationIntent == nil)
    }

    @Test func `a grace period without a date ends an hour later, to allow for clock changes`() throws {
        let failed = try purchase(
            AccessCase.bought,
            AccessCase.told(
                .didFailToRenew, .gracePeriod, on: 30, .billingGracePeriod, AccessCase.first, AccessCase.retrying))
        #expect(failed.state(at: at(33 * day + hour - 1))?.phase == .grace)
        #expect(failed.state(at: at(33 * day + hour))?.phase == .retry)
        #expect(failed.nextChange(after: at(31 * day)) == at(33 * day + hour))
    }
}
