import AppStoreModel
import Cryptography
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

    // Another program computed the digests from the lines in the specification.
    @Test func `the event id is a digest of the event`() throws {
        #expect(
            try Self.failure.read().eventId == "b7865f1fb0011d60fb9d6725b51f92bf078d980f6c8a6088b36ed482812501d5")
        var cancellation = LegacyDraft(
            oldest: "CANCEL", expired: receipt("100"), ["cancellation_date_ms": text(at: 5 * day)])
        cancellation.body["environment"] = "Sandbox"
        cancellation.body["auto_renew_product_id"] = nil
        #expect(
            try cancellation.read().eventId == "2523aca0516bbf9993aa1b08908911dbe422bf52171d2a70f40614b069c920c0")
    }

    @Test func `a later attempt with a newer receipt has the same event id`() throws {
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

    @Test(arguments: changes.indices) func `different events have different event ids`(index: Int) throws {
        var draft = Self.failure
        Self.changes[index].change(&draft)
        #expect(try draft.read().eventId != Self.failure.read().eventId, "\(Self.changes[index].name)")
    }

    @Test func `different apps have different event ids`() throws {
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
        ("DID_FAIL_TO_RENEW", month), ("DID_CHANGE_RENEWAL_PREF", 3 * day), ("PRICE_INCREASE_CONSENT", 3 * day),
        ("CONSUMPTION_REQUEST", 3 * day), ("SOMETHING_NEW", 3 * day),
    ]

    @Test(arguments: times) func `the event time is the date that belongs to the type`(
        type: String, time: Int64
    ) throws {
        let notification = try LegacyDraft(type, [Self.subject], [], Self.changed).read(received: 40 * day)
        #expect(notification.eventTime == at(time))
        #expect(try notification.payload.signedDate == at(time))
    }

    @Test(arguments: times) func `the event time is never later than the receipt`(type: String, time: Int64) throws {
        #expect(
            try LegacyDraft(type, [Self.subject], [], Self.changed).read(received: hour).eventTime == at(hour))
    }

    @Test func `the event time is the newest date of the purchase if its own date is absent`() throws {
        func time(_ transactions: [JSONObject], _ further: JSONObject = [:]) throws -> AppStoreInstant {
            try LegacyDraft("DID_CHANGE_RENEWAL_PREF", transactions, [], further).read(received: 40 * day).eventTime
        }
        #expect(
            try LegacyDraft("DID_CHANGE_RENEWAL_STATUS", [Self.subject]).read(received: 40 * day).eventTime
                == at(3 * day))
        let later = transaction("200", "other", bought: 20 * day, of: "200")
        #expect(try time([transaction("100"), transaction("101", bought: 2 * day), later]) == at(2 * day))
        #expect(try time([transaction("100")], ["auto_renew_status_change_date_ms": text(at: 9 * day)]) == at(9 * day))
        // A body without any date.
        #expect(try time([transaction("100").without("purchase_date_ms")]) == at(40 * day))
    }

    @Test(arguments: ["DID_CHANGE_RENEWAL_PREF", "PRICE_INCREASE_CONSENT", "CONSUMPTION_REQUEST", "SOMETHING_NEW"])
    func `a body without its own date has a different event id at each time of receipt`(type: String) throws {
        let draft = LegacyDraft(type, [transaction("100")], [renewal()])
        let ids = try [5 * day, 5 * day + 1, 5 * day].map { try draft.read(received: $0).eventId }
        #expect(ids[0] != ids[1] && ids[0] == ids[2])
    }

    @Test func `the event id without a date in the body is a digest of the newest receipt date and the arrival time`()
        throws
    {
        let draft = LegacyDraft("DID_CHANGE_RENEWAL_PREF", [transaction("100")], [renewal()])
        let lines = [
            "v1", "Production", "com.example.app", "DID_CHANGE_RENEWAL_PREF", "100", "100",
            String(at(month).millisecondsSince1970), "", "", "", "", "", "", "",
            String(at(0).millisecondsSince1970), String(at(5 * day).millisecondsSince1970),
        ]
        #expect(
            try draft.read(received: 5 * day).eventId
                == SHA256.digest(of: Array(lines.joined(separator: "\n").utf8)).hex)
    }
}
