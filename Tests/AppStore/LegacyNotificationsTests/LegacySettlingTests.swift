import AppStoreModel
import EntitlementRules
import JSON
import LegacyNotifications
import Testing

/// A purchase with received bodies and queries to Apple, in chronological order.
struct SettledLife {
    private(set) var facts = PurchaseFacts(
        environment: .production, bundleId: app, originalTransactionId: OriginalTransactionId("100"))

    mutating func receive(_ draft: LegacyDraft, at received: Int64) throws {
        let notification = try draft.read(received: received)
        let payload = try notification.payload
        let facts =
            try notification.transactionPayload == nil
            ? PurchaseFacts(
                unresolved: payload, of: try #require(notification.originalTransactionId), receivedAt: at(received))
            : PurchaseFacts(
                notification: payload, transaction: try notification.transactionPayload,
                renewalInfo: try notification.renewalPayload, isSigned: false, receivedAt: at(received))
        self.facts.merge(try #require(facts))
    }

    /// Merges signed data that was not requested: an upload from the app, or a version 2 notification.
    mutating func sign(
        _ id: String, bought: Int64 = 0, expires: Int64 = month, revoked: Int64? = nil, at signed: Int64,
        status: SubscriptionStatus? = nil, renewal: JSONObject? = nil
    ) throws {
        var transaction: JSONObject = [
            "transactionId": .string(id), "originalTransactionId": "100", "type": "Auto-Renewable Subscription",
            "productId": .string(monthly), "quantity": 1, "purchaseDate": Self.date(bought),
            "expiresDate": Self.date(expires), "signedDate": Self.date(signed),
        ]
        transaction["revocationDate"] = revoked.map { Self.date($0) }
        let info = renewal.map { ["originalTransactionId": "100", "signedDate": Self.date(signed)] + $0 }
        let said = PurchaseFacts(
            environment: .production, bundleId: app,
            transaction: try TransactionPayload(json: JSONValue.object(transaction).json),
            renewalInfo: try info.map { try RenewalInfoPayload(json: JSONValue.object($0).json) }, status: status)
        facts.merge(try #require(said))
    }

    /// Merges Apple's response to a query, which settles the facts known at the time of the query.
    mutating func answer(_ answer: (inout SettledLife) throws -> Void) throws {
        let question = try #require(facts.legacyQuestion)
        try answer(&self)
        facts.settleLegacy(question.ids)
    }

    /// Returns whether Apple should be queried at a given time.
    func isAsked(at moment: Int64) -> Bool { facts.legacyQuestion.map { $0.due <= at(moment) } ?? false }

    /// Returns the states of the purchase, such as `ACTIVE`, with `+` for access.
    func state(_ trust: LegacyTrust, at moment: Int64) -> String {
        let answer = EntitlementAnswer(
            purchases: [facts], environment: .production, at: at(moment),
            rules: ProductRules(legacyTrust: LegacyTrustRules(others: trust)))
        return answer.grants.map { $0.state + ($0.isEntitled ? "+" : "") }.joined(separator: " ")
    }

    static func date(_ moment: Int64) -> JSONValue { .integer(at(moment).millisecondsSince1970) }
}

/// The rows of the table in 12.4: the validity of version 1 facts, depending on whether they were received before or
/// after the query to Apple.
@Suite("Confirmation of version 1 notifications") struct LegacySettlingTests {
    private static let on: JSONObject = ["autoRenewStatus": 1, "autoRenewProductId": .string(monthly)]
    private static let first = transaction("100")
    private static let second = transaction("101", bought: month, expires: 2 * month)
    private static let grace = month + 16 * day
    private static let failed = LegacyDraft(
        "DID_FAIL_TO_RENEW", [first],
        [renewal(with: ["is_in_billing_retry_period": "1", "grace_period_expires_date_ms": text(at: grace)])])
    private static let recovered = LegacyDraft("DID_RECOVER", [second, first], [renewal()])
    private static let renewed = LegacyDraft("DID_RENEW", [second, first], [renewal()])
    private static let cancelled = LegacyDraft(
        "CANCEL", [transaction("100", with: ["cancellation_date_ms": text(at: 10 * day - minute)])], [renewal("0")])

    private func bought() throws -> SettledLife {
        var life = SettledLife()
        try life.sign("100", at: 0, status: .active, renewal: Self.on)
        return life
    }

    @Test func `1: a recovery in grace is queried although its date equals that of the failure`() throws {
        var life = try bought()
        try life.receive(Self.failed, at: month)
        #expect(life.isAsked(at: month) && life.state(.confirm, at: month + minute) == "RENEWING+")
        try life.answer {
            try $0.sign(
                "100", at: month + minute, status: .billingGracePeriod,
                renewal: Self.on + [
                    "isInBillingRetryPeriod": true, "gracePeriodExpiresDate": SettledLife.date(Self.grace),
                ])
        }
        #expect(!life.isAsked(at: month + 2 * minute) && life.state(.confirm, at: month + day) == "GRACE+")
        try life.receive(Self.recovered, at: month + 4 * day)
        #expect(life.isAsked(at: month + 4 * day))
        // Apple's API is down, so the signed state remains.
        #expect(life.state(.confirm, at: month + 5 * day) == "GRACE+")
        #expect(life.state(.accept, at: month + 17 * day) == "ACTIVE+")
        try life.answer {
            try $0.sign(
                "101", bought: month, expires: 2 * month, at: month + 4 * day + minute, status: .active,
                renewal: Self.on)
        }
        #expect(!life.isAsked(at: month + 5 * day))
        for moment in [month + 5 * day, month + 17 * day, 2 * month - 1] {
            #expect(life.state(.confirm, at: moment) == "ACTIVE+")
        }
    }

    @Test func `1, accepted without a key: the recovery ends the failure, in either order`() throws {
        for drafts in [[Self.failed, Self.recovered], [Self.recovered, Self.failed]] {
            var life = SettledLife()
            for (index, draft) in drafts.enumerated() {
                try life.receive(draft, at: month + 4 * day + Int64(index))
            }
            for moment in [month + 5 * day, month + 17 * day, 2 * month - 1] {
                #expect(life.state(.accept, at: moment) == "ACTIVE+")
            }
            // As for every subscriber, the renewal may be late.
            #expect(life.state(.accept, at: 2 * month + minute) == "RENEWING+")
        }
    }

    @Test func `a failed charge is void once Apple has signed a later period`() throws {
        var life = try bought()
        try life.receive(Self.failed, at: month + 4 * day)
        #expect(life.state(.accept, at: month + 4 * day) == "GRACE+")
        try life.sign("101", bought: month + 5 * day, expires: 2 * month + 5 * day, at: month + 5 * day)
        #expect(life.state(.accept, at: month + 17 * day) == "ACTIVE+")
        // As for every subscriber, the renewal is late rather than in retry.
        #expect(life.state(.accept, at: 2 * month + 5 * day + minute) == "RENEWING+")
    }

    @Test func `a failed charge is also void if its body arrives after the later period has begun`() throws {
        var life = try bought()
        try life.sign("101", bought: month + 5 * day, expires: 2 * month + 5 * day, at: month + 5 * day)
        try life.receive(Self.failed, at: month + 6 * day)
        #expect(life.state(.accept, at: month + 17 * day) == "ACTIVE+")
        #expect(life.state(.accept, at: 2 * month + 5 * day + minute) == "RENEWING+")
    }

    @Test func `the body about the later period determines the renewal, in either order`() throws {
        let off = LegacyDraft(
            "DID_CHANGE_RENEWAL_STATUS", [Self.first], [renewal("0")],
            ["auto_renew_status": "false", "auto_renew_status_change_date_ms": text(at: 20 * day)])
        for drafts in [[off, Self.renewed], [Self.renewed, off]] {
            var life = SettledLife()
            for (index, draft) in drafts.enumerated() { try life.receive(draft, at: month + Int64(index)) }
            #expect(life.state(.accept, at: 2 * month + minute) == "RENEWING+")
        }
    }

    @Test func `2: a late renewal is queried after Apple answered expired`() throws {
        var life = try bought()
        let changed = LegacyDraft(
            "DID_CHANGE_RENEWAL_STATUS", [Self.first], [renewal("0")],
            ["auto_renew_status": "false", "auto_renew_status_change_date_ms": text(at: month + 30 * minute)])
        try life.receive(changed, at: month + 30 * minute)
        try life.answer {
            try $0.sign(
                "100", at: month + 31 * minute, status: .expired,
                renewal: Self.on + ["autoRenewStatus": 0, "expirationIntent": 1])
        }
        #expect(life.state(.confirm, at: month + 32 * minute) == "EXPIRED")
        try life.receive(Self.renewed, at: month + hour)
        #expect(life.isAsked(at: month + hour) && life.state(.confirm, at: month + hour) == "EXPIRED")
        try life.answer {
            try $0.sign(
                "101", bought: month, expires: 2 * month, at: month + hour + minute, status: .active, renewal: Self.on)
        }
        #expect(life.state(.confirm, at: month + 2 * hour) == "ACTIVE+")
    }

    @Test func `3 and 4: a cancellation dated before the last answer is queried until Apple shows it`() throws {
        var life = try bought()
        let off = LegacyDraft(
            "DID_CHANGE_RENEWAL_STATUS", [Self.first], [renewal("0")],
            ["auto_renew_status": "false", "auto_renew_status_change_date_ms": text(at: 10 * day)])
        let disabled = Self.on + ["autoRenewStatus": 0]
        try life.receive(off, at: 10 * day)
        try life.answer { try $0.sign("100", at: 10 * day + 10_000, status: .active, renewal: disabled) }
        #expect(!life.isAsked(at: 10 * day + minute))
        try life.receive(Self.cancelled, at: 10 * day + minute)
        #expect(life.isAsked(at: 10 * day + minute))
        #expect(life.facts.legacyQuestion?.transactions == [TransactionId("100")])
        #expect(life.state(.accept, at: 10 * day + minute) == "REVOKED")
        // No fact is accepted before Apple signs it.
        #expect(life.state(.confirm, at: 10 * day + minute) == "ACTIVE+")
        // Apple's answer does not show it yet.
        try life.answer { try $0.sign("100", at: 10 * day + 2 * minute, status: .active, renewal: disabled) }
        #expect(!life.isAsked(at: 10 * day + 5 * minute) && life.isAsked(at: 10 * day + 6 * minute))
        #expect(life.state(.accept, at: 10 * day + 3 * minute) == "REVOKED")
        try life.answer {
            try $0.sign(
                "100", revoked: 10 * day - minute, at: 10 * day + 6 * minute + 1, status: .revoked, renewal: disabled)
        }
        for trust in [LegacyTrust.confirm, .accept] { #expect(life.state(trust, at: 11 * day) == "REVOKED") }
        #expect(life.facts.legacyQuestion == nil)
    }

    @Test func `4: while Apple's copy shows no revocation, it is queried at growing intervals for three days`() throws {
        var life = try bought()
        try life.receive(Self.cancelled, at: 10 * day)
        var moments: [Int64] = []
        for _ in 0..<20 {
            guard let due = life.facts.legacyQuestion?.due else { break }
            let moment = at(0).milliseconds(to: due)
            guard moment < month else { break }
            moments.append(moment - 10 * day)
            try life.answer {
                try $0.sign("100", at: moment + 1, status: .active, renewal: Self.on + ["autoRenewStatus": 0])
            }
        }
        #expect(moments == [0, 5 * minute, hour, 6 * hour, 24 * hour, 72 * hour])
        #expect(life.state(.confirm, at: 14 * day) == "ACTIVE+" && life.state(.accept, at: 14 * day) == "ACTIVE+")
    }

    @Test func `5: an older body that arrives later does not reverse a refund`() throws {
        let preference = LegacyDraft("DID_CHANGE_RENEWAL_PREF", [Self.first], [renewal(next: yearly)])
        for drafts in [[Self.cancelled, preference], [preference, Self.cancelled]] {
            var life = SettledLife()
            for (index, draft) in drafts.enumerated() {
                try life.receive(draft, at: 10 * day + Int64(index) * 6 * hour)
            }
            #expect(life.state(.accept, at: 12 * day) == "REVOKED")
        }
        var life = try bought()
        try life.receive(Self.cancelled, at: 10 * day)
        try life.answer {
            try $0.sign("100", revoked: 10 * day, at: 10 * day + minute, status: .revoked, renewal: Self.on)
        }
        try life.receive(preference, at: 10 * day + 6 * hour)
        #expect(life.state(.confirm, at: 12 * day) == "REVOKED" && life.state(.accept, at: 12 * day) == "REVOKED")
    }

    @Test func `6: a refund of an earlier period does not end the current one, under every policy`() throws {
        var life = SettledLife()
        try life.sign("100", at: hour)
        try life.sign("101", bought: month, expires: 2 * month, at: month + hour)
        let old = transaction("100", with: ["cancellation_date_ms": text(at: month + 10 * day)])
        try life.receive(LegacyDraft("CANCEL", [Self.second, old], [renewal()]), at: month + 10 * day)
        for trust in LegacyTrust.allCases { #expect(life.state(trust, at: month + 11 * day) == "ACTIVE+") }
        #expect(life.facts.legacyQuestion?.transactions == [TransactionId("100")])
    }

    @Test func `7: the last of three changes of the next product applies`() throws {
        var life = SettledLife()
        try life.receive(LegacyDraft("INITIAL_BUY", [Self.first], [renewal()]), at: 0)
        for (index, product) in ["basic", "pro", "basic"].enumerated() {
            let draft = LegacyDraft("DID_CHANGE_RENEWAL_PREF", [Self.first], [renewal(next: product)])
            try life.receive(draft, at: Int64(index + 1) * day)
        }
        let answer = EntitlementAnswer(
            purchases: [life.facts], environment: .production, at: at(5 * day),
            rules: ProductRules(legacyTrust: LegacyTrustRules(others: .accept)))
        #expect(answer.grants.map { $0.pendingProductId?.rawValue } == ["basic"])
    }

    @Test func `8 and 9: with renewal turned off in grace, the state is grace, then expired`() throws {
        func off(_ retry: String, changed: Int64) -> LegacyDraft {
            LegacyDraft(
                "DID_CHANGE_RENEWAL_STATUS", [Self.first],
                [
                    renewal(
                        "0",
                        with: [
                            "is_in_billing_retry_period": .string(retry), "expiration_intent": "2",
                            "grace_period_expires_date_ms": text(at: Self.grace),
                        ])
                ], ["auto_renew_status": "false", "auto_renew_status_change_date_ms": text(at: changed)])
        }
        var life = SettledLife()
        try life.receive(LegacyDraft("INITIAL_BUY", [Self.first], [renewal()]), at: 0)
        try life.receive(off("1", changed: month + 2 * day), at: month + 2 * day)
        #expect(life.state(.accept, at: month + 3 * day) == "GRACE+")
        try life.receive(off("0", changed: month + 60 * day), at: month + 60 * day)
        #expect(life.state(.accept, at: month + 61 * day) == "EXPIRED")
    }

    @Test func `12: a signed state without revocation long after a cancellation reverses it`() throws {
        var life = try bought()
        try life.receive(Self.cancelled, at: 10 * day)
        #expect(life.state(.accept, at: 10 * day) == "REVOKED")
        try life.sign("100", at: 10 * day + 5 * minute, status: .active, renewal: Self.on)
        #expect(life.state(.accept, at: 11 * day) == "REVOKED")
        try life.sign("100", at: 10 * day + 5 * minute + 1, status: .active, renewal: Self.on)
        #expect(life.state(.accept, at: 11 * day) == "ACTIVE+")
    }

    @Test func `13: a renewal during an outage of the API grants only the leeway`() throws {
        var life = try bought()
        try life.receive(Self.renewed, at: month - hour)
        #expect(life.state(.confirm, at: month - 1) == "ACTIVE+")
        #expect(life.state(.confirm, at: month + 30 * minute) == "RENEWING+")
        #expect(life.state(.accept, at: month + 6 * hour) == "ACTIVE+")
        try life.answer {
            try $0.sign(
                "101", bought: month, expires: 2 * month, at: month + 6 * hour, status: .active, renewal: Self.on)
        }
        #expect(life.state(.confirm, at: month + 6 * hour) == "ACTIVE+")
    }

    @Test func `14: a body with empty arrays queries the purchase that it names`() throws {
        var life = SettledLife()
        try life.receive(LegacyDraft("DID_RENEW", []), at: month)
        #expect(life.isAsked(at: month))
        try life.answer {
            try $0.sign("101", bought: month, expires: 2 * month, at: month + minute, status: .active, renewal: Self.on)
        }
        #expect(!life.isAsked(at: month + hour) && life.state(.confirm, at: month + hour) == "ACTIVE+")
    }

    @Test func `15: a status update about a recovery states why the previous period ended`() throws {
        let recovered = LegacyDraft(
            oldest: "RENEWAL", latest: receipt("101", bought: month, expires: 2 * month),
            ["expiration_intent": "2", "auto_renew_status": "true"])
        var life = SettledLife()
        try life.receive(recovered, at: month)
        #expect(life.state(.accept, at: month + day) == "ACTIVE+")
        #expect(life.state(.accept, at: 2 * month + minute) == "RENEWING+")
    }

    @Test func `16: a forged renewal grants nothing and is queried until it is dropped`()
        throws
    {
        var life = try bought()
        try life.receive(
            LegacyDraft("DID_RENEW", [transaction("999", bought: month, expires: 20 * month)], [renewal()]),
            at: month - hour)
        // Apple's response is about the subscription and does not include transaction 999.
        try life.answer { try $0.sign("100", at: month - hour + minute, status: .active, renewal: Self.on) }
        // Before the end of the period, when Apple would be queried in any case.
        #expect(life.isAsked(at: month - 30 * minute) && life.state(.confirm, at: month + day) == "EXPIRED")
        life.sets(aside: life.facts.unsettledLegacyIds)
        #expect(!life.isAsked(at: month - 1))
        for trust in LegacyTrust.allCases { #expect(life.state(trust, at: month + day) == "EXPIRED") }
    }

    // MARK: Queries

    @Test func `a fact unknown at the time of the query is not settled, even if it was received before`() throws {
        var life = try bought()
        let off = LegacyDraft(
            "DID_CHANGE_RENEWAL_STATUS", [Self.first], [renewal("0")], ["auto_renew_status": "false"])
        try life.receive(off, at: 10 * day)
        let question = try #require(life.facts.legacyQuestion)
        // Still in flight through Kafka.
        let preference = LegacyDraft(
            "DID_CHANGE_RENEWAL_PREF", [Self.first], [renewal("0", next: yearly)],
            ["auto_renew_status_change_date_ms": text(at: 2 * day)])
        try life.receive(preference, at: 10 * day - 1)
        life.settles(question.ids)
        #expect(life.isAsked(at: 10 * day))
    }

    @Test func `a body that matches Apple's signed state causes no query`() throws {
        var life = try bought()
        try life.receive(LegacyDraft("INITIAL_BUY", [Self.first], [renewal()]), at: hour)
        #expect(!life.facts.hasUnsettledLegacy && !life.isAsked(at: month - 1))
        try life.receive(
            LegacyDraft("DID_CHANGE_RENEWAL_PREF", [Self.first], [renewal(next: yearly)]), at: 2 * hour)
        #expect(life.facts.hasUnsettledLegacy)
        // The version 2 notification of the same event.
        try life.sign(
            "100", at: 2 * hour + 1, status: .active, renewal: Self.on + ["autoRenewProductId": .string(yearly)])
        #expect(!life.facts.hasUnsettledLegacy)
    }

    @Test func `a body about a new period is not settled by the signed state of the previous one`() throws {
        var life = SettledLife()
        try life.sign(
            "100", at: 20 * day, status: .active,
            renewal: Self.on + ["autoRenewStatus": 0, "renewalDate": SettledLife.date(month)])
        let later = transaction("101", bought: 40 * day, expires: 70 * day)
        let off = LegacyDraft(
            "DID_CHANGE_RENEWAL_STATUS", [later, Self.first], [renewal("0")],
            ["auto_renew_status": "false", "auto_renew_status_change_date_ms": text(at: 45 * day)])
        try life.receive(off, at: 45 * day)
        // The app uploads the transaction, without renewal info.
        try life.sign("101", bought: 40 * day, expires: 70 * day, at: 46 * day)
        #expect(life.isAsked(at: 46 * day))
        #expect(life.state(.accept, at: 70 * day + minute) == "EXPIRED")
    }

    @Test func `the signed state of a refunded period does not settle a period bought before its end`()
        throws
    {
        var life = SettledLife()
        try life.sign(
            "100", at: day, status: .active,
            renewal: Self.on + ["autoRenewStatus": 0, "renewalDate": SettledLife.date(month)])
        let cancelled = transaction("100", with: ["cancellation_date_ms": text(at: 14 * day - minute)])
        let again = transaction("101", bought: 14 * day, expires: 44 * day)
        let off = LegacyDraft(
            "DID_CHANGE_RENEWAL_STATUS", [again, cancelled], [renewal("0")],
            ["auto_renew_status": "false", "auto_renew_status_change_date_ms": text(at: 43 * day)])
        try life.receive(off, at: 43 * day)
        #expect(life.state(.accept, at: 43 * day) == "ACTIVE+")
        #expect(life.state(.accept, at: 44 * day + minute) == "EXPIRED")
    }

    @Test func `a failed charge of a new period applies although Apple signed the same for the previous one`() throws {
        var life = SettledLife()
        let failed: JSONObject = [
            "isInBillingRetryPeriod": true, "expirationIntent": 2, "renewalDate": SettledLife.date(month),
        ]
        try life.sign("100", at: month + minute, status: .billingRetry, renewal: Self.on + failed)
        let (start, end) = (month + 5 * day, 2 * month + 5 * day)
        try life.sign("101", bought: start, expires: end, at: start)
        let again = LegacyDraft(
            "DID_FAIL_TO_RENEW", [transaction("101", bought: start, expires: end), Self.first],
            [renewal(with: ["is_in_billing_retry_period": "1", "expiration_intent": "2"])])
        try life.receive(again, at: end)
        #expect(life.state(.accept, at: end + day) == "RETRY")
    }

    @Test func `Apple is queried once at the end of a period and of its grace, if version 1 reported it`() throws {
        var silent = try bought()
        #expect(silent.facts.legacyQuestion == nil)
        try silent.receive(LegacyDraft("INITIAL_BUY", [Self.first], [renewal()]), at: hour)
        #expect(!silent.isAsked(at: month - 1) && silent.isAsked(at: month))
        try silent.sign(
            "100", at: month + 1, status: .billingGracePeriod,
            renewal: Self.on + [
                "isInBillingRetryPeriod": true, "gracePeriodExpiresDate": SettledLife.date(Self.grace),
            ])
        #expect(!silent.isAsked(at: Self.grace - 1) && silent.isAsked(at: Self.grace))
        try silent.sign(
            "100", at: Self.grace + 1, status: .billingRetry,
            renewal: Self.on + [
                "isInBillingRetryPeriod": true, "gracePeriodExpiresDate": SettledLife.date(Self.grace),
            ])
        #expect(silent.facts.legacyQuestion == nil)
    }

    @Test func `a signed end of renewal causes no query at the end of the period`() throws {
        var life = SettledLife()
        try life.sign("100", at: hour, status: .active, renewal: Self.on + ["autoRenewStatus": 0])
        try life.receive(LegacyDraft("INITIAL_BUY", [Self.first], [renewal("0")]), at: 2 * hour)
        #expect(life.facts.legacyQuestion == nil)
    }

    @Test func `forged transactions beyond the number of stored ids are also dropped`() throws {
        var life = try bought()
        for number in 0..<20 {
            let forged = transaction("9\(number)", bought: month, expires: 20 * month)
            let cancelled = transaction(
                "8\(number)", bought: day, with: ["cancellation_date_ms": text(at: 2 * day)])
            let moment = 3 * day + Int64(number) * hour
            try life.receive(LegacyDraft("DID_RENEW", [forged], [renewal()]), at: moment)
            try life.receive(LegacyDraft("CANCEL", [cancelled], [renewal()]), at: moment + minute)
        }
        life.sets(aside: life.facts.unsettledLegacyIds)
        #expect(life.facts.unsettledLegacyIds.isEmpty)
        #expect(!life.isAsked(at: 4 * day))
    }

    @Test func `settled and dropped events are preserved in a stored row`() throws {
        var life = try bought()
        try life.receive(Self.cancelled, at: 10 * day)
        try life.receive(Self.failed, at: month)
        try life.receive(LegacyDraft("DID_RENEW", []), at: month + 1)
        let ids = try #require(life.facts.legacyQuestion).ids
        life.settles([ids[0]])
        life.sets(aside: [ids[1]])
        #expect(try PurchaseFacts(json: life.facts.jsonText) == life.facts)
    }
}

extension SettledLife {
    mutating func settles(_ ids: [LegacyFactId]) { facts.settleLegacy(ids) }
    mutating func sets(aside ids: [LegacyFactId]) { facts.setLegacyAside(ids) }
}
