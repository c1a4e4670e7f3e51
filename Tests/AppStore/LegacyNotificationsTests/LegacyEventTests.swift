import AppStoreModel
import JSON
import LegacyNotifications
import Testing

/// A body sent for an event, its mapped type, and the resulting status.
struct EventCase: Sendable, CustomTestStringConvertible {
    let event: String
    let draft: LegacyDraft
    let mapped: String
    let status: SubscriptionStatus?

    init(_ event: String, _ draft: LegacyDraft, _ mapped: String, _ status: SubscriptionStatus?) {
        self.event = event
        self.draft = draft
        self.mapped = mapped
        self.status = status
    }

    var testDescription: String { "\(event): \(draft.body["notification_type"]?.string ?? "") → \(mapped)" }
}

/// The events in Apple's table, each with the types sent for it.
@Suite("Events and their notification types") struct LegacyEventTests {
    @Test(arguments: Self.cases) func `the event is derived from the body and not from its type`(
        sent: EventCase
    ) throws {
        let notification = try sent.draft.read()
        #expect(notification.mapped == sent.mapped)
        #expect(try notification.status == sent.status)
        #expect(notification.originalTransactionId?.rawValue == "100")
        #expect(notification.ignoredFields == 0)
    }

    private static let first = transaction("100")
    private static let refunded: JSONObject = ["cancellation_date_ms": text(at: 5 * day), "cancellation_reason": "1"]

    private static func status(_ status: String, changed: Int64) -> JSONObject {
        [
            "auto_renew_status": status == "1" ? "true" : "false",
            "auto_renew_status_change_date_ms": text(at: changed),
        ]
    }

    private static let cases = sales + changes + ends

    private static let upgraded = [
        transaction("101", yearly, bought: 5 * day, expires: 370 * day),
        transaction("100", with: ["is_upgraded": "true", "cancellation_date_ms": text(at: 5 * day)]),
    ]
    private static let resubscribed = [transaction("101", bought: 40 * day, expires: 70 * day), first]
    private static let crossgraded = [transaction("101", yearly, bought: 40 * day, expires: 400 * day), first]

    private static let sales: [EventCase] = [
        EventCase(
            "first purchase", LegacyDraft("INITIAL_BUY", [first], [renewal()]), "SUBSCRIBED/INITIAL_BUY", .active),
        EventCase(
            "active, upgraded to another product",
            LegacyDraft(
                "DID_CHANGE_RENEWAL_STATUS", upgraded, [renewal("1", yearly)], status("1", changed: 5 * day)),
            "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", .active),
        EventCase(
            "active, upgraded to another product",
            LegacyDraft("INTERACTIVE_RENEWAL", upgraded, [renewal("1", yearly)]), "DID_CHANGE_RENEWAL_PREF/UPGRADE",
            .active),
        EventCase(
            "expired, resubscribed to the same product",
            LegacyDraft(
                "DID_CHANGE_RENEWAL_STATUS", resubscribed, [renewal()], status("1", changed: 40 * day)),
            "SUBSCRIBED/RESUBSCRIBE", .active),
        EventCase(
            "expired, resubscribed to another product",
            LegacyDraft("INTERACTIVE_RENEWAL", crossgraded, [renewal("1", yearly)]), "SUBSCRIBED/RESUBSCRIBE",
            .active),
        EventCase(
            "expired, resubscribed to another product",
            LegacyDraft(
                "DID_CHANGE_RENEWAL_STATUS", crossgraded, [renewal("1", yearly)], status("1", changed: 40 * day)),
            "SUBSCRIBED/RESUBSCRIBE", .active),
        EventCase(
            "renewed",
            LegacyDraft("DID_RENEW", [transaction("101", bought: month, expires: 2 * month), first], [renewal()]),
            "DID_RENEW", .active),
        EventCase(
            "recovered in billing retry",
            LegacyDraft("DID_RECOVER", [transaction("101", bought: 33 * day, expires: 63 * day), first], [renewal()]),
            "DID_RENEW/BILLING_RECOVERY", .active),
    ]

    private static let changes: [EventCase] = [
        EventCase(
            "active, downgraded",
            LegacyDraft(
                "DID_CHANGE_RENEWAL_PREF", [transaction("100", yearly, expires: 500 * day)],
                [renewal("1", yearly, next: monthly)]),
            "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", .active),
        EventCase(
            "cancelled in the settings, active until expires_date",
            LegacyDraft("DID_CHANGE_RENEWAL_STATUS", [first], [renewal("0")], status("0", changed: 3 * day)),
            "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", .active),
        EventCase(
            "cancelled, then renewal turned on again before expiry",
            LegacyDraft("DID_CHANGE_RENEWAL_STATUS", [first], [renewal("1")], status("1", changed: 4 * day)),
            "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", .active),
        EventCase(
            "price increase needing consent",
            LegacyDraft(
                "PRICE_INCREASE_CONSENT", [transaction("100", expires: 500 * day)],
                [renewal(with: ["price_consent_status": "0"])]),
            "PRICE_INCREASE/PENDING", .active),
        EventCase(
            "refund requested for a consumable",
            LegacyDraft("CONSUMPTION_REQUEST", [transaction("100", "coins", expires: nil)]), "CONSUMPTION_REQUEST",
            nil),
    ]

    private static let ends: [EventCase] = [
        EventCase(
            "subscription refunded by Apple Support",
            LegacyDraft("CANCEL", [transaction("100", with: refunded)], [renewal("0")]), "REFUND", .revoked),
        EventCase(
            "subscription refunded by Apple Support",
            LegacyDraft(
                "DID_CHANGE_RENEWAL_STATUS", [transaction("100", with: refunded)], [renewal("0")],
                status("0", changed: 5 * day)),
            "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", .revoked),
        EventCase(
            "renewal failed, with a grace period",
            LegacyDraft(
                "DID_FAIL_TO_RENEW", [first],
                [
                    renewal(with: [
                        "is_in_billing_retry_period": "1", "grace_period_expires_date_ms": text(at: month + day),
                    ])
                ]),
            "DID_FAIL_TO_RENEW/GRACE_PERIOD", .billingGracePeriod),
        EventCase(
            "renewal failed",
            LegacyDraft("DID_FAIL_TO_RENEW", [first], [renewal(with: ["is_in_billing_retry_period": "1"])]),
            "DID_FAIL_TO_RENEW", .billingRetry),
        EventCase(
            "lost after failed retries",
            LegacyDraft(
                "DID_CHANGE_RENEWAL_STATUS", [first],
                [renewal("0", with: ["is_in_billing_retry_period": "0", "expiration_intent": "2"])],
                status("0", changed: 90 * day)),
            "EXPIRED/BILLING_RETRY", .expired),
        EventCase(
            "refund of a consumable, non-consumable or non-renewing purchase",
            LegacyDraft("REFUND", [transaction("100", "coins", expires: nil, with: refunded)]), "REFUND", nil),
        EventCase(
            "family sharing lost",
            LegacyDraft(
                "REVOKE", [transaction("100", with: refunded + ["in_app_ownership_type": "FAMILY_SHARED"])],
                [renewal()]),
            "REVOKE", .revoked),
    ]
}
