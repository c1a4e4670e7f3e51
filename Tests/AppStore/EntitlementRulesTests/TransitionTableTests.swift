import AppStoreModel
import EntitlementRules
import JSON
import Testing

/// One row: earlier notifications, a new one, and the resulting state in any order of arrival.
struct TransitionRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let before: [Notification]
    let notification: Notification
    let day: Int64
    let expected: String

    init(
        _ type: String, _ subtype: String? = nil, _ status: SubscriptionStatus?, on day: Int64, _ expected: String,
        before: [Notification] = [TransitionRow.bought], signed: Int64? = nil, transaction: JSONObject?,
        renewalInfo: JSONObject? = renewal()
    ) {
        testDescription = "\(type) \(subtype ?? "-") on day \(day)"
        self.before = before
        notification = Notification(
            NotificationType(type), subtype.map { Subtype($0) }, signed: (signed ?? day) * dayLength, status: status,
            transaction: transaction, renewalInfo: renewalInfo)
        self.day = day
        self.expected = expected
    }

    static let first = period("1", from: 0, to: 30 * dayLength)
    static let second = period("2", from: 30 * dayLength, to: 60 * dayLength)
    static let yearly = period("2", from: 10 * dayLength, to: 375 * dayLength, product: "yearly")
    static let bought = Notification(
        .subscribed, .initialBuy, signed: 0, status: .active, transaction: first, renewalInfo: renewal())
    static let downgraded = Notification(
        .didChangeRenewalPref, .downgrade, signed: 5 * dayLength, status: .active, transaction: first,
        renewalInfo: renewal(product: "weekly"))
    static let inGrace = Notification(
        .didFailToRenew, .gracePeriod, signed: 30 * dayLength, status: .billingGracePeriod, transaction: first,
        renewalInfo: graceInfo)
    static let graceInfo = renewal().with("gracePeriodExpiresDate", date: 46 * dayLength)
        .with("isInBillingRetryPeriod", true)
    static let expiredInfo = renewal(0).with("expirationIntent", 1)
    static let refunded = first.with("revocationDate", date: 6 * dayLength)

    static func seats(_ id: String, _ quantity: Int64, at start: Int64) -> JSONObject {
        period(id, from: start * dayLength, to: 30 * dayLength).with("quantity", .integer(quantity))
    }

    /// The rows of app-store.md 11.4 and 11.5.
    static let subscriptions: [TransitionRow] = [
        .init(
            "SUBSCRIBED", "INITIAL_BUY", .active, on: 1, "ACTIVE monthly until 30 renews", before: [],
            transaction: first),
        .init(
            "SUBSCRIBED", "RESUBSCRIBE", .active, on: 41, "ACTIVE monthly until 70 renews",
            before: [
                bought,
                Notification(
                    .expired, .voluntary, signed: 30 * dayLength, status: .expired, transaction: first,
                    renewalInfo: expiredInfo),
            ], transaction: period("2", from: 40 * dayLength, to: 70 * dayLength)),
        .init("DID_RENEW", nil, .active, on: 31, "ACTIVE monthly until 60 renews", transaction: second),
        .init(
            "DID_RENEW", nil, .active, on: 31, "ACTIVE weekly until 60 renews", before: [bought, downgraded],
            transaction: second.with("productId", "weekly"), renewalInfo: renewal(product: "weekly")),
        .init(
            "DID_RENEW", "BILLING_RECOVERY", .active, on: 40, "ACTIVE monthly until 70 renews",
            before: [bought, inGrace],
            transaction: period("2", from: 40 * dayLength, to: 70 * dayLength)),
        .init(
            "DID_CHANGE_RENEWAL_PREF", "UPGRADE", .active, on: 11, "ACTIVE yearly until 375 renews",
            transaction: yearly, renewalInfo: renewal(product: "yearly")),
        .init(
            "OFFER_REDEEMED", "UPGRADE", .active, on: 11, "ACTIVE yearly until 375 renews", transaction: yearly,
            renewalInfo: renewal(product: "yearly")),
        .init(
            "DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", .active, on: 11, "ACTIVE monthly until 30 renews as weekly",
            transaction: first, renewalInfo: renewal(product: "weekly")),
        .init(
            "OFFER_REDEEMED", "DOWNGRADE", .active, on: 11, "ACTIVE monthly until 30 renews as weekly",
            transaction: first, renewalInfo: renewal(product: "weekly")),
        .init(
            "DID_CHANGE_RENEWAL_PREF", nil, .active, on: 11, "ACTIVE monthly until 30 renews",
            before: [bought, downgraded], transaction: first),
        .init(
            "OFFER_REDEEMED", nil, .active, on: 11, "ACTIVE monthly until 40 renews",
            transaction: first.with("offerType", 3).with("expiresDate", date: 40 * dayLength)),
        .init(
            "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", .active, on: 11, "ACTIVE monthly until 30 ends",
            transaction: first, renewalInfo: renewal(0)),
        .init(
            "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", .billingGracePeriod, on: 32,
            "GRACE monthly until 46 ends", before: [bought, inGrace], transaction: first,
            renewalInfo: graceInfo.with("autoRenewStatus", 0)),
        .init(
            "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", .active, on: 11, "ACTIVE monthly until 30 renews",
            transaction: first),
        .init(
            "PRICE_INCREASE", "PENDING", .active, on: 11, "ACTIVE monthly until 30 renews consent 0",
            transaction: first, renewalInfo: renewal().with("priceIncreaseStatus", 0)),
        .init(
            "PRICE_INCREASE", "ACCEPTED", .active, on: 11, "ACTIVE monthly until 30 renews consent 1",
            transaction: first, renewalInfo: renewal().with("priceIncreaseStatus", 1)),
        .init(
            "RENEWAL_EXTENDED", nil, .active, on: 31, "ACTIVE monthly until 37 renews", signed: 20,
            transaction: first.with("expiresDate", date: 37 * dayLength)),
        .init("RENEWAL_EXTENSION", "FAILURE", .active, on: 11, "ACTIVE monthly until 30 renews", transaction: first),
        .init(
            "DID_FAIL_TO_RENEW", "GRACE_PERIOD", .billingGracePeriod, on: 31, "GRACE monthly until 46 renews",
            transaction: first, renewalInfo: graceInfo),
        .init(
            "DID_FAIL_TO_RENEW", nil, .billingRetry, on: 31, "no RETRY monthly until 90 renews", transaction: first,
            renewalInfo: renewal().with("isInBillingRetryPeriod", true)),
        .init(
            "GRACE_PERIOD_EXPIRED", nil, .billingRetry, on: 47, "no RETRY monthly until 90 renews",
            before: [bought, inGrace], transaction: first, renewalInfo: graceInfo),
        .init(
            "EXPIRED", "VOLUNTARY", .expired, on: 31, "no EXPIRED monthly ends intent 1", before: [bought, downgraded],
            transaction: first, renewalInfo: expiredInfo.with("autoRenewProductId", "weekly")),
        .init(
            "EXPIRED", "BILLING_RETRY", .expired, on: 91, "no EXPIRED monthly ends intent 2",
            before: [bought, inGrace],
            transaction: first, renewalInfo: renewal(0).with("expirationIntent", 2)),
        .init(
            "REVOKE", nil, .revoked, on: 11, "no REVOKED monthly renews",
            transaction: refunded.with("inAppOwnershipType", "FAMILY_SHARED").with("revocationType", "FAMILY_REVOKE")),
        .init("REFUND_DECLINED", nil, .active, on: 11, "ACTIVE monthly until 30 renews", transaction: first),
        .init("CONSUMPTION_REQUEST", nil, .active, on: 11, "ACTIVE monthly until 30 renews", transaction: first),
        .init("METADATA_UPDATE", nil, .active, on: 11, "ACTIVE monthly until 30 renews", transaction: first),
        .init("PRICE_CHANGE", nil, .active, on: 11, "ACTIVE monthly until 30 renews", transaction: first),
        .init("MIGRATION", nil, .active, on: 11, "ACTIVE monthly until 30 renews", transaction: first),
        .init("SOMETHING_NEW", "AND_MORE", .active, on: 31, "ACTIVE monthly until 60 renews", transaction: second),
        // Apple's signed facts decide, not the notification type.
        .init("EXPIRED", "VOLUNTARY", .expired, on: 31, "ACTIVE monthly until 60 renews", transaction: second),
    ]

    /// Refunds and seats.
    static let refunds: [TransitionRow] = [
        .init("REFUND", nil, .revoked, on: 7, "no REVOKED monthly renews", transaction: refunded),
        .init(
            "REFUND", nil, .revoked, on: 7, "no REVOKED monthly renews",
            transaction: refunded.with("revocationType", "REFUND_PRORATED").with("revocationPercentage", 50_000)),
        .init(
            "REFUND", nil, .active, on: 35, "ACTIVE monthly until 60 renews",
            before: [
                bought,
                Notification(
                    .didRenew, signed: 30 * dayLength, status: .active, transaction: second, renewalInfo: renewal()),
            ], transaction: refunded),
        .init(
            "REFUND", nil, .active, on: 12, "ACTIVE yearly until 375 renews",
            before: [
                bought,
                Notification(
                    .didChangeRenewalPref, .upgrade, signed: 10 * dayLength, status: .active, transaction: yearly,
                    renewalInfo: renewal(product: "yearly")),
            ], transaction: refunded.with("isUpgraded", true), renewalInfo: renewal(product: "yearly")),
        .init(
            "REFUND_REVERSED", nil, .active, on: 12, "ACTIVE monthly until 30 renews",
            before: [bought, Notification(.refund, signed: 7 * dayLength, status: .revoked, transaction: refunded)],
            transaction: first),
        .init(
            "REFUND_REVERSED", nil, .expired, on: 40, "no EXPIRED monthly renews",
            before: [bought, Notification(.refund, signed: 7 * dayLength, status: .revoked, transaction: refunded)],
            transaction: first),
        .init(
            "REFUND", "SEATS", .active, on: 11, "ACTIVE monthly until 30 renews 3 seats",
            before: [
                Notification(
                    .subscribed, signed: 0, status: .active, transaction: seats("1", 5, at: 0), renewalInfo: renewal())
            ], transaction: seats("1", 5, at: 0).with("multiSeatInfo", ["revokedSeatQuantity": 2])),
        .init(
            "DID_CHANGE_RENEWAL_PREF", "INCREASE_QUANTITY", .active, on: 11, "ACTIVE monthly until 30 renews 7 seats",
            before: [
                Notification(
                    .subscribed, signed: 0, status: .active, transaction: seats("1", 5, at: 0), renewalInfo: renewal())
            ], transaction: seats("2", 2, at: 10).with("additionalTransactionReason", "SEAT_ADDITION")),
        .init(
            "REVOKE", nil, .revoked, on: 11, "no REVOKED monthly renews",
            transaction: refunded.with("inAppOwnershipType", "ASSIGNED").with("revocationType", "ASSIGNMENT_REVOKE")),
    ]
}

private let dayLength = day

@Suite("Transitions by notification") struct TransitionTableTests {
    @Test(arguments: TransitionRow.subscriptions + TransitionRow.refunds)
    func `facts lead to the state of the table in every order`(row: TransitionRow) throws {
        let all = row.before + [row.notification]
        for order in [all, all.reversed(), all + all] {
            let state = try #require(try purchase(order).state(at: at(row.day * day)))
            #expect(Self.text(state) == row.expected)
        }
    }

    static func text(_ state: SubscriptionState) -> String {
        var words = state.isEntitled ? [] : ["no"]
        words += [state.phase.rawValue, state.productId?.rawValue ?? "-"]
        if let until = state.until {
            words.append("until \(at(0).milliseconds(to: until) / day)")
        }
        words.append(state.willRenew == true ? "renews" : "ends")
        if let pending = state.pendingProductId { words.append("as \(pending)") }
        if let consent = state.priceIncreaseStatus { words.append("consent \(consent)") }
        if let intent = state.expirationIntent { words.append("intent \(intent)") }
        if state.seats > 1 { words.append("\(state.seats) seats") }
        return words.joined(separator: " ")
    }

    @Test(arguments: ["EXTERNAL_PURCHASE_TOKEN", "RESCIND_CONSENT", "RENEWAL_EXTENSION", "TEST"])
    func `a notification without a transaction has no purchase`(type: String) throws {
        #expect(try Notification(NotificationType(type), signed: 0).facts() == nil)
    }
}
