import AppStoreModel
import JSON
import LegacyNotifications
import Testing

/// The fields for one date, the expected date, and the number of ignored fields.
struct DateCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fields: JSONObject
    let date: AppStoreInstant?
    let ignored: Int

    init(_ name: String, _ fields: JSONObject, _ date: AppStoreInstant?, ignored: Int = 0) {
        testDescription = name
        self.fields = fields
        self.date = date
        self.ignored = ignored
    }
}

@Suite("Dates in unsigned notifications") struct LegacyDateTests {
    private static let readable: JSONValue = "2026-09-20 10:26:41 Etc/GMT"
    private static let other: JSONValue = "2019-11-22 19:29:45 Etc/GMT"

    @Test(arguments: [
        DateCase("milliseconds as text", ["expires_date_ms": text(at: 7)], at(7)),
        DateCase("milliseconds as a number", ["expires_date_ms": .integer(at(7).millisecondsSince1970)], at(7)),
        DateCase(
            "milliseconds take precedence over all other forms",
            ["expires_date": other, "expires_date_formatted": other, "expires_date_ms": text(at: 7)], at(7)),
        DateCase(
            "digits under the plain name take precedence over the readable form",
            ["expires_date": text(at: 8), "expires_date_formatted": other], at(8)),
        DateCase("a number under the plain name", ["expires_date": .integer(at(8).millisecondsSince1970)], at(8)),
        DateCase(
            "the readable form takes precedence over text under the plain name",
            ["expires_date_formatted": readable, "expires_date": other], at(1000)),
        DateCase("text under the plain name", ["expires_date": readable], at(1000)),
        DateCase("no date", [:], nil),
        DateCase("empty", ["expires_date_ms": "", "expires_date": .null], nil),
        DateCase("only the Pacific time form", ["expires_date_pst": other], nil),
        DateCase(
            "malformed milliseconds, not replaced", ["expires_date_ms": "soon", "expires_date": readable], nil,
            ignored: 1),
        DateCase("negative", ["expires_date_ms": "-1"], nil, ignored: 1),
        DateCase("negative number", ["expires_date_ms": -1], nil, ignored: 1),
        DateCase("a fraction", ["expires_date_ms": "1.5"], nil, ignored: 1),
        DateCase("spaces", ["expires_date_ms": " 1"], nil, ignored: 1),
        DateCase("beyond 64 bits", ["expires_date_ms": "9223372036854775808"], nil, ignored: 1),
        DateCase("20 digits", ["expires_date_ms": "10000000000000000000"], nil, ignored: 1),
        DateCase("beyond the year 9999", ["expires_date_ms": "9223372036854775807"], nil, ignored: 1),
        DateCase("an object", ["expires_date_ms": [:]], nil, ignored: 1),
        DateCase("another zone", ["expires_date": "2026-09-20 10:26:41 America/Los_Angeles"], nil, ignored: 1),
        DateCase("no such day", ["expires_date": "2026-02-30 10:26:41 Etc/GMT"], nil, ignored: 1),
        DateCase("too short", ["expires_date": "2026 Etc/GMT"], nil, ignored: 1),
    ])
    func `date fields are read in the order of their formats`(row: DateCase) throws {
        let subject = transaction("100", expires: nil, with: row.fields)
        let notification = try LegacyDraft("INITIAL_BUY", [subject]).read()
        #expect(try notification.transactionPayload?.expiresDate == row.date)
        #expect(notification.ignoredFields == row.ignored)
        // A malformed field does not affect the others.
        #expect(try notification.transactionPayload?.purchaseDate == at(0))
    }

    @Test func `malformed dates of every field are counted`() throws {
        let bad: JSONValue = "99999999999999999999"
        let notification = try LegacyDraft(
            "DID_CHANGE_RENEWAL_STATUS",
            [
                transaction(
                    "100",
                    with: [
                        "purchase_date_ms": bad, "original_purchase_date_ms": bad, "expires_date_ms": bad,
                        "cancellation_date_ms": bad,
                    ])
            ], [renewal(with: ["grace_period_expires_date_ms": bad])],
            ["auto_renew_status_change_date_ms": bad, "cancellation_date_ms": bad]
        ).read(received: day)
        #expect(notification.ignoredFields == 7)
        #expect(notification.transactionId?.rawValue == "100")
        #expect(notification.eventTime == at(day))
    }

    @Test func `malformed dates and other undocumented values are absent and counted`() throws {
        let notification = try LegacyDraft(
            "DID_RENEW", [transaction("100", with: ["quantity": "many", "is_trial_period": "maybe"])],
            [renewal("2", with: ["is_in_billing_retry_period": "yes", "expiration_intent": "none"])],
            ["auto_renew_status": "perhaps", "expiration_intent": 3_000_000_000]
        ).read()
        #expect(notification.ignoredFields == 7)
        #expect(try notification.transactionPayload?.quantity == nil)
        #expect(try notification.renewalPayload?.autoRenewStatus == nil)
    }
}
