import AppStoreModel
import JSON
import LegacyNotifications
import Testing

@Suite("Identity and time") struct LegacyIdentityTests {
    private static let failure = LegacyDraft(
        "DID_FAIL_TO_RENEW", [transaction("100")],
        [
            renewal(with: [
                "is_in_billing_retry_period": "1", "grace_period_expires_date_ms": text(at: month + 6 * day),
                "price_consent_status": "0",
            ])
        ],
        [
            "auto_renew_status": "true", "auto_renew_status_change_date_ms": text(at: 2 * day),
            "auto_renew_product_id": .string(monthly),
        ])

    // The digests were computed by another program from the lines that the specification lists.
    @Test func `is a digest of what a notification is about`() throws {
        #expect(
            try Self.failure.read().eventId == "b7865f1fb0011d60fb9d6725b51f92bf078d980f6c8a6088b36ed482812501d5")
        var cancellation = LegacyDraft(
            oldest: "CANCEL", expired: receipt("100"), ["cancellation_date_ms": text(at: 5 * day)])
        cancellation.body["environment"] = "Sandbox"
        cancellation.body["auto_renew_product_id"] = nil
        #expect(
            try cancellation.read().eventId == "2523aca0516bbf9993aa1b08908911dbe422bf52171d2a70f40614b069c920c0")
    }

    @Test func `is the same when a later attempt carries a newer receipt`() throws {
        var retry = Self.failure
        retry.receipt?["latest_receipt"] = "MIIT0002"
        retry.receipt?["latest_receipt_info"] = [
            .object(transaction("200", "coins", bought: month, expires: nil, of: "200")),
            .object(transaction("99", bought: -month, expires: 0)),
            .object(transaction("100", with: ["quantity": "2"])),
        ]
        retry.body["deprecation"] = "Thu, 1 Apr 2027 00:00:00 UTC"
        retry.body["bvrs"] = "43"
        #expect(try retry.read(received: 500 * day).eventId == Self.failure.read().eventId)
    }

    static let changes: [(name: String, change: @Sendable (inout LegacyDraft) -> Void)] = [
        ("type", { $0.body["notification_type"] = "PRICE_INCREASE_CONSENT" }),
        ("status", { $0.body["auto_renew_status"] = "false" }),
        ("time of the status", { $0.body["auto_renew_status_change_date_ms"] = text(at: 3 * day) }),
        ("next product", { $0.body["auto_renew_product_id"] = "basic" }),
        ("expiry", { $0.receipt?["latest_receipt_info"] = [.object(transaction("100", expires: 2 * month))] }),
        ("transaction", { $0.receipt?["latest_receipt_info"] = [.object(transaction("101"))] }),
        (
            "cancellation",
            {
                $0.receipt?["latest_receipt_info"] = [
                    .object(transaction("100", with: ["cancellation_date_ms": text(at: 1)]))
                ]
            }
        ),
        ("renewal", { $0.receipt?["pending_renewal_info"] = [.object(renewal())] }),
        (
            "environment",
            {
                $0.body["environment"] = "Sandbox"
                $0.receipt?["environment"] = "Sandbox"
            }
        ),
    ]

    @Test(arguments: changes.indices) func `is another when something else happened`(index: Int) throws {
        var draft = Self.failure
        Self.changes[index].change(&draft)
        #expect(try draft.read().eventId != Self.failure.read().eventId, "\(Self.changes[index].name)")
    }

    @Test func `is another for another app`() throws {
        var draft = Self.failure
        draft.body["bid"] = nil
        #expect(try draft.read(as: BundleId("com.example.two")).eventId != draft.read().eventId)
    }

    // MARK: Time

    private static let cancelled: JSONObject = ["cancellation_date_ms": text(at: 3 * day)]
    private static let subject = transaction("100", bought: day, with: cancelled)
    private static let changed: JSONObject = ["auto_renew_status_change_date_ms": text(at: 2 * day)]

    static let times: [(type: String, time: Int64)] = [
        ("DID_CHANGE_RENEWAL_STATUS", 2 * day), ("CANCEL", 3 * day), ("REFUND", 3 * day), ("REVOKE", 3 * day),
        ("INITIAL_BUY", day), ("DID_RENEW", day), ("DID_RECOVER", day), ("RENEWAL", day), ("INTERACTIVE_RENEWAL", day),
        ("DID_FAIL_TO_RENEW", month), ("DID_CHANGE_RENEWAL_PREF", 40 * day), ("PRICE_INCREASE_CONSENT", 40 * day),
        ("CONSUMPTION_REQUEST", 40 * day), ("SOMETHING_NEW", 40 * day),
    ]

    @Test(arguments: times) func `of the event is the date that its type is about`(type: String, time: Int64) throws {
        let notification = try LegacyDraft(type, [Self.subject], [], Self.changed).read(received: 40 * day)
        #expect(notification.eventTime == at(time))
        #expect(try notification.payload.signedDate == at(time))
    }

    @Test(arguments: times) func `of the event is never later than its receipt`(type: String, time: Int64) throws {
        #expect(
            try LegacyDraft(type, [Self.subject], [], Self.changed).read(received: hour).eventTime == at(hour))
    }

    @Test func `of the event is that of its receipt where the date is absent`() throws {
        #expect(
            try LegacyDraft("DID_CHANGE_RENEWAL_STATUS", [Self.subject]).read(received: 40 * day).eventTime
                == at(40 * day))
    }
}
