import AppStoreModel
import JSON
import LegacyNotifications
import Testing

@Suite("The transaction of a body") struct LegacySubjectTests {
    private static let other = transaction("200", "other", bought: 50 * day, expires: 80 * day, of: "200")
    private static let cancelled: JSONObject = ["cancellation_date_ms": text(at: 5 * day)]

    private func subject(_ draft: LegacyDraft) throws -> String? { try draft.read().transactionId?.rawValue }

    /// Returns a body that does not identify its purchase.
    private func unnamed(
        _ type: String, _ transactions: [JSONObject], _ renewals: [JSONObject] = [], _ further: JSONObject = [:]
    ) -> LegacyDraft {
        var draft = LegacyDraft(type, transactions, renewals, further)
        draft.body["original_transaction_id"] = nil
        return draft
    }

    // MARK: The purchase

    @Test func `the transaction is one of the purchase that the body names`() throws {
        #expect(try subject(LegacyDraft("DID_RENEW", [Self.other, transaction("100")])) == "100")
    }

    @Test func `without a named purchase, it is that of the renewal to the body's next product`() throws {
        let draft = unnamed(
            "DID_RENEW", [Self.other, transaction("100")], [renewal("1", "other", of: "200"), renewal()],
            ["auto_renew_product_id": .string(monthly)])
        #expect(try subject(draft) == "100")
        #expect(try draft.read().originalTransactionId?.rawValue == "100")
    }

    @Test func `if several renewals fit, it is one of the newest purchase`() throws {
        let draft = unnamed(
            "DID_RENEW", [transaction("100"), transaction("300", bought: day, of: "300"), Self.other],
            [renewal(), renewal(of: "300")], ["auto_renew_product_id": .string(monthly)])
        #expect(try subject(draft) == "300")
    }

    @Test func `without any named purchase, it is the newest transaction`() throws {
        #expect(try subject(unnamed("DID_RENEW", [transaction("100"), Self.other])) == "200")
    }

    @Test func `without a named purchase, a refund is for the transaction cancelled last`() throws {
        let draft = unnamed(
            "REFUND",
            [
                Self.other, transaction("100", with: Self.cancelled),
                transaction("300", of: "300", with: ["cancellation_date_ms": text(at: day)]),
            ])
        #expect(try subject(draft) == "100")
    }

    // MARK: The transaction

    @Test func `the transaction is the one bought last, regardless of its position in the receipt`() throws {
        let transactions = [
            transaction("100"), transaction("102", bought: 2 * month, expires: 3 * month),
            transaction("101", bought: month, expires: 2 * month),
        ]
        for rotation in 0..<3 {
            let rotated = Array(transactions[rotation...] + transactions[..<rotation])
            #expect(try subject(LegacyDraft("DID_RENEW", rotated)) == "102")
        }
    }

    @Test func `among transactions bought at the same time, the one that expires last is selected`() throws {
        let transactions = [transaction("101", expires: 2 * month), transaction("102", expires: month)]
        #expect(try subject(LegacyDraft("DID_RENEW", transactions)) == "101")
        #expect(try subject(LegacyDraft("DID_RENEW", transactions.reversed())) == "101")
    }

    @Test(arguments: ["REFUND", "CANCEL", "REVOKE"])
    func `a cancellation is for the transaction cancelled last, not the one bought last`(type: String) throws {
        let draft = LegacyDraft(
            type,
            [
                transaction("103", bought: 3 * month, expires: 4 * month),
                transaction("102", bought: 2 * month, expires: 3 * month, with: Self.cancelled),
                transaction("101", with: ["cancellation_date_ms": text(at: 6 * day)]),
            ])
        #expect(try subject(draft) == "101")
    }

    @Test func `without a cancellation in the receipt, it is that of the purchase event in the body`() throws {
        let draft = LegacyDraft(
            "CANCEL", [transaction("101", bought: month, expires: 2 * month), transaction("100")], [],
            ["cancellation_date_ms": text(at: month + day), "web_order_line_item_id": "9100"])
        let notification = try draft.read()
        #expect(notification.transactionId?.rawValue == "100")
        #expect(try notification.transactionPayload?.revocationDate == at(month + day))
    }

    @Test(arguments: ["REFUND", "CANCEL", "REVOKE"])
    func `it is that of the purchase event in the body, even if another was cancelled later`(type: String) throws {
        let draft = LegacyDraft(
            type,
            [
                transaction("101", bought: 2 * day, with: Self.cancelled),
                transaction("100", with: ["is_upgraded": "true", "cancellation_date_ms": text(at: 9 * day)]),
            ], [], ["web_order_line_item_id": "9101"])
        #expect(try subject(draft) == "101")
    }

    // MARK: Unresolved

    static let unresolved: [(name: String, draft: LegacyDraft)] = {
        var missing = LegacyDraft("DID_RENEW", [])
        missing.receipt = missing.receipt?.without("latest_receipt_info", "pending_renewal_info")
        return [
            ("arrays missing", missing),
            ("arrays empty", LegacyDraft("DID_RENEW", [])),
            ("no transaction of the purchase", LegacyDraft("DID_RENEW", [other], [renewal()])),
            ("no cancelled transaction", LegacyDraft("REFUND", [transaction("100")])),
            (
                "a cancellation of an unknown transaction",
                LegacyDraft("CANCEL", [transaction("100")], [], ["cancellation_date_ms": text(at: 7 * day)])
            ),
            ("no transaction id", LegacyDraft("DID_RENEW", [transaction("100").without("transaction_id")])),
            ("no receipt of the oldest format", LegacyDraft(oldest: "DID_RENEW")),
            ("an oldest-format cancellation without a date", LegacyDraft(oldest: "CANCEL", expired: receipt("1"))),
        ]
    }()

    @Test(arguments: unresolved.indices) func `an unresolved notification has no statement about a purchase`(
        index: Int
    ) throws {
        let notification = try Self.unresolved[index].draft.read(received: 7 * day)
        #expect(notification.transactionId == nil, "\(Self.unresolved[index].name)")
        #expect(notification.transaction == nil && notification.renewalInfo == nil)
        #expect(try notification.status == nil)
        #expect(try notification.payload.data?.signedTransactionInfo == nil)
        // The purchase is known, and determines the notification's partition.
        #expect(notification.originalTransactionId?.rawValue == "100")
        #expect(notification.eventTime == at(7 * day))
    }

    // MARK: Computed status

    @Test(arguments: ["REFUND", "CANCEL"])
    func `the status is that of the newest transaction although an older one was refunded`(type: String) throws {
        let old = transaction("100", with: ["cancellation_date_ms": text(at: month + 10 * day)])
        let new = transaction("101", bought: month, expires: 2 * month)
        let notification = try LegacyDraft(type, [new, old]).read(received: month + 11 * day)
        #expect(notification.transactionId?.rawValue == "100")
        #expect(try notification.transactionPayload?.revocationDate == at(month + 10 * day))
        #expect(try notification.status == .active)
    }

    @Test func `the status is that of the newest transaction not replaced by an upgrade`() throws {
        let upgraded = transaction(
            "101", bought: 2 * day, expires: 90 * day,
            with: ["is_upgraded": "true", "cancellation_date_ms": text(at: 3 * day)])
        let notification = try LegacyDraft("PRICE_INCREASE_CONSENT", [transaction("100", expires: day), upgraded])
            .read(received: 10 * day)
        #expect(try notification.status == .expired)
    }

    @Test(arguments: [
        StatusCase("revoked", .revoked, [transaction("100", with: cancelled)], []),
        StatusCase(
            "upgraded, not expired", .active, [transaction("100", with: cancelled + ["is_upgraded": "true"])], []),
        StatusCase(
            "grace date without retry", .expired, [transaction("100", expires: day)],
            [renewal("0", with: ["grace_period_expires_date_ms": text(at: 11 * day), "expiration_intent": "2"])]),
        StatusCase(
            "grace date after the last attempt", .expired, [transaction("100", expires: day)],
            [renewal(with: ["grace_period_expires_date_ms": text(at: 11 * day), "is_in_billing_retry_period": "0"])]),
        StatusCase("not expired", .active, [transaction("100", expires: 100 * day)], []),
        StatusCase(
            "not expired, in grace", .active, [transaction("100", expires: 100 * day)],
            [renewal(with: ["grace_period_expires_date_ms": text(at: 110 * day)])]),
        StatusCase(
            "grace", .billingGracePeriod, [transaction("100", expires: day)],
            [renewal(with: ["grace_period_expires_date_ms": text(at: 11 * day), "is_in_billing_retry_period": "1"])]),
        StatusCase(
            "grace is over", .billingRetry, [transaction("100", expires: day)],
            [renewal(with: ["grace_period_expires_date_ms": text(at: 10 * day), "is_in_billing_retry_period": "1"])]),
        StatusCase(
            "retries have ended", .expired, [transaction("100", expires: day)],
            [renewal(with: ["is_in_billing_retry_period": "0"])]),
        StatusCase("expired", .expired, [transaction("100", expires: 10 * day)], []),
    ])
    func `the status is computed at the event's time`(row: StatusCase) throws {
        let notification = try LegacyDraft(
            "PRICE_INCREASE_CONSENT", row.transactions, row.renewals,
            ["auto_renew_status_change_date_ms": text(at: 10 * day)]
        ).read(received: 10 * day)
        #expect(try notification.status == row.status)
    }
}

/// A receipt, and the status ten days after the first purchase.
struct StatusCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: SubscriptionStatus
    let transactions: [JSONObject]
    let renewals: [JSONObject]

    init(_ name: String, _ status: SubscriptionStatus, _ transactions: [JSONObject], _ renewals: [JSONObject]) {
        testDescription = name
        self.status = status
        self.transactions = transactions
        self.renewals = renewals
    }
}
