import AppStoreModel
import JSON
import LegacyNotifications
import Testing

/// One body and its mapped type.
struct MappingCase: Sendable, CustomTestStringConvertible {
    let name: String
    let draft: LegacyDraft
    let mapped: String

    init(_ name: String, _ mapped: String, _ draft: LegacyDraft) {
        self.name = name
        self.draft = draft
        self.mapped = mapped
    }

    var testDescription: String { "\(name) → \(mapped)" }
}

@Suite("Mapping to the nearest version 2 type") struct LegacyMappingTests {
    @Test(arguments: Self.rows) func `the type is that of the first row with a true condition`(
        row: MappingCase
    ) throws {
        let notification = try row.draft.read()
        #expect(notification.mapped == row.mapped)
        // The texts are equal, and the type is kept as sent.
        #expect(try notification.payload.notificationType == notification.notificationType)
        #expect(try notification.payload.subtype == notification.subtype)
        #expect(try notification.payload.unknownFields["rawType"]?.string == notification.rawType)
        #expect(notification.rawType == row.draft.body["notification_type"]?.string)
    }

    private static let first = transaction("100")
    private static let second = transaction("101", bought: month, expires: 2 * month)

    private static let rows = purchases + failures + preferences + statuses + cancellations + others

    private static let purchases: [MappingCase] = [
        MappingCase("first purchase", "SUBSCRIBED/INITIAL_BUY", LegacyDraft("INITIAL_BUY", [first], [renewal()])),
        MappingCase(
            "an upgraded transaction was cancelled in the new period", "DID_CHANGE_RENEWAL_PREF/UPGRADE",
            LegacyDraft(
                "INTERACTIVE_RENEWAL",
                [
                    transaction("101", yearly, bought: 5 * day, expires: 370 * day),
                    transaction("100", with: ["is_upgraded": "true", "cancellation_date_ms": text(at: 5 * day)]),
                ])),
        MappingCase(
            "an upgraded transaction without its own end", "DID_CHANGE_RENEWAL_PREF/UPGRADE",
            LegacyDraft(
                "INTERACTIVE_RENEWAL",
                [
                    transaction("101", yearly, bought: 5 * day, expires: 370 * day),
                    transaction(
                        "100", expires: nil, with: ["is_upgraded": "true", "cancellation_date_ms": text(at: 5 * day)]),
                ])),
        MappingCase(
            "the previous period was still running, and the product changed", "DID_CHANGE_RENEWAL_PREF/UPGRADE",
            LegacyDraft(
                "INTERACTIVE_RENEWAL",
                [transaction("101", yearly, bought: 5 * day, expires: 370 * day), first])),
        MappingCase(
            "the previous period of the same product was still running", "SUBSCRIBED/RESUBSCRIBE",
            LegacyDraft("INTERACTIVE_RENEWAL", [transaction("101", bought: 5 * day, expires: 35 * day), first])),
        MappingCase(
            "the previous period had expired", "SUBSCRIBED/RESUBSCRIBE",
            LegacyDraft(
                "INTERACTIVE_RENEWAL",
                [transaction("101", yearly, bought: 40 * day, expires: 400 * day), first])),
        MappingCase(
            "the previous period was refunded before the new one", "SUBSCRIBED/RESUBSCRIBE",
            LegacyDraft(
                "INTERACTIVE_RENEWAL",
                [
                    transaction("101", yearly, bought: 5 * day, expires: 370 * day),
                    transaction("100", with: ["cancellation_date_ms": text(at: 4 * day)]),
                ])),
        MappingCase("a renewal", "DID_RENEW", LegacyDraft("DID_RENEW", [second, first], [renewal()])),
        MappingCase(
            "recovered", "DID_RENEW/BILLING_RECOVERY",
            LegacyDraft("DID_RECOVER", [transaction("101", bought: 35 * day, expires: 65 * day), first])),
        MappingCase(
            "recovered, under the older name", "DID_RENEW/BILLING_RECOVERY",
            LegacyDraft("RENEWAL", [transaction("101", bought: 35 * day, expires: 65 * day), first])),
    ]

    private static let failures: [MappingCase] = [
        MappingCase(
            "grace after the event", "DID_FAIL_TO_RENEW/GRACE_PERIOD",
            LegacyDraft(
                "DID_FAIL_TO_RENEW", [first],
                [
                    renewal(with: [
                        "is_in_billing_retry_period": "1", "grace_period_expires_date_ms": text(at: month + 6 * day),
                    ])
                ])),
        MappingCase(
            "grace before the event", "DID_FAIL_TO_RENEW",
            LegacyDraft(
                "DID_FAIL_TO_RENEW", [first],
                [renewal(with: ["is_in_billing_retry_period": "1", "grace_period_expires_date_ms": text(at: month)])])),
        MappingCase(
            "no grace", "DID_FAIL_TO_RENEW",
            LegacyDraft("DID_FAIL_TO_RENEW", [first], [renewal(with: ["is_in_billing_retry_period": "1"])])),
    ]

    private static let preferences: [MappingCase] = [
        MappingCase(
            "back to the current product", "DID_CHANGE_RENEWAL_PREF",
            LegacyDraft("DID_CHANGE_RENEWAL_PREF", [first], [renewal()])),
        MappingCase(
            "another product at the next renewal", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE",
            LegacyDraft("DID_CHANGE_RENEWAL_PREF", [first], [renewal(next: "com.example.basic")])),
        MappingCase(
            "the next product is not stated", "DID_CHANGE_RENEWAL_PREF",
            LegacyDraft("DID_CHANGE_RENEWAL_PREF", [first], [renewal().without("auto_renew_product_id")])),
        MappingCase(
            "no transaction of the purchase", "DID_CHANGE_RENEWAL_PREF",
            LegacyDraft("DID_CHANGE_RENEWAL_PREF", [], [renewal(next: "com.example.basic")])),
        MappingCase(
            "another product, stated outside the receipt", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE",
            LegacyDraft(
                "DID_CHANGE_RENEWAL_PREF", [first], [], ["auto_renew_product_id": "com.example.basic"])),
    ]

    private static func status(_ name: String, _ mapped: String, intent: JSONValue?, at time: Int64) -> MappingCase {
        var pending = renewal("0")
        pending["expiration_intent"] = intent
        return MappingCase(
            name, mapped,
            LegacyDraft(
                "DID_CHANGE_RENEWAL_STATUS", [first], [pending],
                ["auto_renew_status": "false", "auto_renew_status_change_date_ms": text(at: time)]))
    }

    /// Returns a case in which renewal was turned off two days or more after a charge failed.
    private static func failed(_ name: String, _ mapped: String, retry: JSONValue, grace: Int64?) -> MappingCase {
        var pending = renewal("0", with: ["expiration_intent": "2", "is_in_billing_retry_period": retry])
        pending["grace_period_expires_date_ms"] = grace.map { text(at: month + $0) }
        return MappingCase(
            name, mapped,
            LegacyDraft(
                "DID_CHANGE_RENEWAL_STATUS", [first], [pending],
                ["auto_renew_status": "false", "auto_renew_status_change_date_ms": text(at: month + 2 * day)]))
    }

    private static func switchedOn(_ name: String, _ mapped: String, bought: Int64, at time: Int64?) -> MappingCase {
        var further: JSONObject = ["auto_renew_status": "true"]
        further["auto_renew_status_change_date_ms"] = time.map { text(at: $0) }
        return MappingCase(
            name, mapped,
            LegacyDraft(
                "DID_CHANGE_RENEWAL_STATUS",
                [first, transaction("101", bought: bought, expires: bought + month)], [renewal()], further))
    }

    private static let statuses: [MappingCase] = [
        status("expired, by intent 1", "EXPIRED/VOLUNTARY", intent: "1", at: month),
        status("expired, by intent 2", "EXPIRED/BILLING_RETRY", intent: "2", at: month),
        status("expired, by intent 3", "EXPIRED/PRICE_INCREASE", intent: "3", at: month),
        status("expired, by intent 4", "EXPIRED/PRODUCT_NOT_FOR_SALE", intent: "4", at: month),
        status("expired, by intent 5", "EXPIRED", intent: "5", at: month),
        status("expired, by an undocumented intent", "EXPIRED", intent: "6", at: month),
        status("expired, by intent 1 as a number", "EXPIRED/VOLUNTARY", intent: 1, at: month),
        failed("off in grace", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", retry: "1", grace: 16 * day),
        failed("off in billing retry", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", retry: "1", grace: nil),
        failed("off after the last attempt, with a grace date", "EXPIRED/BILLING_RETRY", retry: "0", grace: 16 * day),
        status("off, not expired yet", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", intent: "1", at: month - 1),
        status("off, expired without intent", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", intent: nil, at: month),
        switchedOn("on by a purchase after the expiry", "SUBSCRIBED/RESUBSCRIBE", bought: 40 * day, at: 40 * day),
        switchedOn("on by a purchase, at an unknown time", "SUBSCRIBED/RESUBSCRIBE", bought: 40 * day, at: nil),
        switchedOn(
            "on again later in the period of that purchase", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
            bought: 40 * day, at: 50 * day),
        switchedOn(
            "on again within a day after a recovery from billing retry",
            "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", bought: 40 * day, at: 40 * day + 2 * hour),
        MappingCase(
            "on while the receipt shows a billing retry", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
            LegacyDraft(
                "DID_CHANGE_RENEWAL_STATUS", [first, transaction("101", bought: 40 * day, expires: 70 * day)],
                [renewal(with: ["is_in_billing_retry_period": "1"])],
                ["auto_renew_status": "true", "auto_renew_status_change_date_ms": text(at: 40 * day)])),
        switchedOn(
            "on without a gap before the period", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", bought: month,
            at: month),
        MappingCase(
            "on in the first period", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
            LegacyDraft("DID_CHANGE_RENEWAL_STATUS", [first], [renewal()])),
        MappingCase(
            "on, stated only outside the receipt", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
            LegacyDraft("DID_CHANGE_RENEWAL_STATUS", [first], [], ["auto_renew_status": "true"])),
        MappingCase(
            "neither on nor off", "DID_CHANGE_RENEWAL_STATUS", LegacyDraft("DID_CHANGE_RENEWAL_STATUS", [first])),
    ]

    private static let cancelled: JSONObject = ["cancellation_date_ms": text(at: 5 * day)]

    private static let cancellations: [MappingCase] = [
        MappingCase(
            "the cancelled transaction is marked as upgraded", "DID_CHANGE_RENEWAL_PREF/UPGRADE",
            LegacyDraft("CANCEL", [transaction("100", with: cancelled + ["is_upgraded": "true"])])),
        MappingCase(
            "a newer transaction begins within a minute", "DID_CHANGE_RENEWAL_PREF/UPGRADE",
            LegacyDraft(
                "CANCEL",
                [
                    transaction("100", with: cancelled),
                    transaction("101", yearly, bought: 5 * day + minute, expires: 370 * day, of: "101"),
                ])),
        MappingCase(
            "a newer transaction begins after more than a minute", "REFUND",
            LegacyDraft(
                "CANCEL",
                [
                    transaction("100", with: cancelled),
                    transaction("101", yearly, bought: 5 * day + minute + 1, expires: 370 * day),
                ])),
        MappingCase(
            "a newer transaction of another group", "REFUND",
            LegacyDraft(
                "CANCEL",
                [
                    transaction("100", with: cancelled),
                    transaction(
                        "101", yearly, bought: 5 * day, expires: 370 * day, of: "101",
                        with: ["subscription_group_identifier": "2"]),
                ])),
        MappingCase(
            "the newer transaction is also cancelled", "REFUND",
            LegacyDraft(
                "CANCEL",
                [
                    transaction("100", with: cancelled + ["cancellation_date_ms": text(at: 6 * day)]),
                    transaction(
                        "101", yearly, bought: 6 * day, expires: 370 * day,
                        with: ["cancellation_date_ms": text(at: 6 * day - 1)]),
                ])),
        MappingCase(
            "the purchase event that the body names, not the upgrade of another transaction", "REFUND",
            LegacyDraft(
                "CANCEL",
                [
                    transaction(
                        "100", yearly, with: ["is_upgraded": "true", "cancellation_date_ms": text(at: 9 * day)]),
                    transaction("101", bought: 2 * day, with: cancelled),
                ], [], ["web_order_line_item_id": "9101", "cancellation_date_ms": text(at: 5 * day)])),
        MappingCase(
            "cancelled by Apple Support", "REFUND", LegacyDraft("CANCEL", [transaction("100", with: cancelled)])),
        MappingCase(
            "refund", "REFUND", LegacyDraft("REFUND", [transaction("100", "coins", expires: nil, with: cancelled)])),
        MappingCase(
            "family sharing lost", "REVOKE",
            LegacyDraft("REVOKE", [transaction("100", with: cancelled + ["in_app_ownership_type": "FAMILY_SHARED"])])),
    ]

    private static let others: [MappingCase] = [
        MappingCase(
            "consent was given", "PRICE_INCREASE/ACCEPTED",
            LegacyDraft("PRICE_INCREASE_CONSENT", [first], [renewal(with: ["price_consent_status": "1"])])),
        MappingCase(
            "consent is pending", "PRICE_INCREASE/PENDING",
            LegacyDraft("PRICE_INCREASE_CONSENT", [first], [renewal(with: ["price_consent_status": "0"])])),
        MappingCase(
            "consent is not stated", "PRICE_INCREASE/PENDING",
            LegacyDraft("PRICE_INCREASE_CONSENT", [first], [renewal()])),
        MappingCase(
            "a refund is requested", "CONSUMPTION_REQUEST",
            LegacyDraft("CONSUMPTION_REQUEST", [transaction("100", "coins", expires: nil)])),
        MappingCase("an undocumented type", "UNKNOWN", LegacyDraft("SOMETHING_NEW", [first])),
        MappingCase("a version 2 type", "UNKNOWN", LegacyDraft("REFUND_REVERSED", [first])),
        MappingCase(
            "the oldest format: first purchase", "SUBSCRIBED/INITIAL_BUY",
            LegacyDraft(oldest: "INITIAL_BUY", latest: receipt("100"))),
        MappingCase(
            "the oldest format: renewed manually", "SUBSCRIBED/RESUBSCRIBE",
            LegacyDraft(
                oldest: "INTERACTIVE_RENEWAL", latest: receipt("101", bought: 40 * day, expires: 70 * day),
                expired: receipt("100"))),
        MappingCase(
            "the oldest format: upgraded", "DID_CHANGE_RENEWAL_PREF/UPGRADE",
            LegacyDraft(
                oldest: "INTERACTIVE_RENEWAL", latest: receipt("101", yearly, bought: 5 * day, expires: 370 * day),
                expired: receipt("100"))),
        MappingCase(
            "the oldest format: recovered", "DID_RENEW/BILLING_RECOVERY",
            LegacyDraft(
                oldest: "RENEWAL", latest: receipt("101", bought: 35 * day, expires: 65 * day),
                expired: receipt("100"))),
        MappingCase(
            "the oldest format: another product next", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE",
            LegacyDraft(
                oldest: "DID_CHANGE_RENEWAL_PREF", latest: receipt("100"), ["auto_renew_product_id": "basic"])),
        MappingCase(
            "the oldest format: turned off", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
            LegacyDraft(
                oldest: "DID_CHANGE_RENEWAL_STATUS", latest: receipt("100"), ["auto_renew_status": "false"])),
        MappingCase(
            "the oldest format: turned on, as a number", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
            LegacyDraft(oldest: "DID_CHANGE_RENEWAL_STATUS", latest: receipt("100"), ["auto_renew_status": 1])),
        MappingCase(
            "the oldest format: cancelled", "REFUND",
            LegacyDraft(
                oldest: "CANCEL", expired: receipt("100"),
                ["cancellation_date_ms": text(at: 5 * day), "web_order_line_item_id": "9100"])),
    ]
}
