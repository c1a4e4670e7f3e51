import AppStoreModel
import JSON
import Testing

@testable import Simulator

@Suite(.timeLimit(.minutes(5))) struct `Refund requests` {
    private let path = "/inApps/v2/transactions/consumption/"

    /// Opens an API that posts notifications, with every kind of purchase.
    private func open(
        _ change: (inout SimulatedServerAPI.Settings) -> Void = { _ in },
        _ body: (APIHarness, PostedNotifications) async throws -> Void
    ) async throws {
        let posted = PostedNotifications()
        return try await APIHarness.open {
            $0.post = { posted.post($0, $1) }
            change(&$0)
        } _: { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            try await body(harness, posted)
        }
    }

    // Apple documents only that the answer informs the decision. In the simulator, the decision follows the answer.
    @Test(
        arguments: [
            ("DECLINE", "DELIVERED", nil, "REFUND_DECLINED", nil),
            ("GRANT_FULL", "DELIVERED", nil, "REFUND", 100_000),
            ("GRANT_PRORATED", "DELIVERED", 30_000, "REFUND", 70_000),
            (nil, "DELIVERED", nil, "REFUND_DECLINED", nil),
            (nil, "UNDELIVERED_OTHER", 0, "REFUND", 100_000),
        ] as [(String?, String, Int64?, String, Int64?)])
    func `the decision follows the answer`(
        preference: String?, delivery: String, percentage: Int64?, decision: String, refunded: Int64?
    ) async throws {
        try await open { harness, posted in
            harness.api.requestRefund(of: TransactionId("1000"), reason: .legal)
            let body = decline.with("refundPreference", preference.map { .string($0) })
                .with("deliveryStatus", .string(delivery))
                .with("consumptionPercentage", percentage.map { .integer($0) })
            #expect(try await harness.send("PUT", path + "1000", body).status == 202)
            harness.time.advance(by: .hours(4) - .milliseconds(1))
            #expect(try posted.types == ["CONSUMPTION_REQUEST"])
            harness.time.advance(by: .milliseconds(1))
            #expect(try posted.types == ["CONSUMPTION_REQUEST", decision])

            let payloads = try posted.payloads
            #expect(payloads[0]["data"]?.object?["consumptionRequestReason"]?.string == "LEGAL")
            let transaction = try payload(payloads[1]["data"]?.object?["signedTransactionInfo"])
            #expect(transaction["transactionId"]?.string == "1000")
            #expect(transaction["revocationPercentage"]?.integer == refunded)
            #expect(transaction["revocationDate"]?.integer == (refunded == nil ? nil : harness.time.now))
            // No more notifications follow.
            harness.time.advance(by: .days(10))
            #expect(try posted.types.count == 2)
            let refund = try #require(harness.api.refunds.first)
            #expect(refund.isClosed && refund.isAnswered && refund.requests == 1)
        }
    }

    // Three requests 8 hours apart were reported. The refund afterwards is the simulator's choice.
    @Test func `an unanswered request is repeated twice, 8 hours apart, and then refunded`() async throws {
        try await open { harness, posted in
            harness.api.requestRefund(of: TransactionId("1000"))
            for count in 2...3 {
                harness.time.advance(by: .hours(8))
                #expect(try posted.types == Array(repeating: "CONSUMPTION_REQUEST", count: count))
            }
            harness.time.advance(by: .hours(8))
            #expect(try posted.types.last == "REFUND")
            #expect(try Set(posted.payloads.compactMap { $0["notificationUUID"]?.string }).count == 4)
            let refund = try #require(harness.api.refunds.first)
            #expect(refund.isClosed && !refund.isAnswered && refund.requests == 3)
            #expect(refund.decision == .refunded(percentage: 100_000))
        }
    }

    @Test func `an answer to the second request ends the repetition`() async throws {
        try await open { harness, posted async throws in
            harness.api.requestRefund(of: TransactionId("1000"))
            harness.time.advance(by: .hours(9))
            #expect(try await harness.send("PUT", path + "1000", decline).status == 202)
            harness.time.advance(by: .days(2))
            #expect(try posted.types == ["CONSUMPTION_REQUEST", "CONSUMPTION_REQUEST", "REFUND_DECLINED"])
        }
    }

    @Test func `requests continue after an answer if configured`() async throws {
        try await open {
            $0.followUp.repeatsAfterAnswer = true
            $0.followUp.decisionDelay = .hours(20)
        } _: { harness, posted async throws in
            harness.api.requestRefund(of: TransactionId("1000"))
            #expect(try await harness.send("PUT", path + "1000", decline).status == 202)
            harness.time.advance(by: .days(3))
            #expect(
                try posted.types == [
                    "CONSUMPTION_REQUEST", "CONSUMPTION_REQUEST", "CONSUMPTION_REQUEST", "REFUND_DECLINED",
                ])
        }
    }

    // Apple does not document which of two answers is used.
    @Test func `the first accepted answer is used, refused ones are not`() async throws {
        try await open { harness, posted async throws in
            harness.api.requestRefund(of: TransactionId("1000"))
            let refused = decline.with("customerConsented", false).with("refundPreference", "GRANT_FULL")
            #expect(try await harness.send("PUT", path + "1000", refused).status == 400)
            #expect(try await harness.send("PUT", path + "1000", decline).status == 202)
            let other = decline.with("refundPreference", "GRANT_FULL")
            #expect(try await harness.send("PUT", path + "1000", other).status == 202)
            harness.time.advance(by: .hours(4))
            #expect(try posted.types.last == "REFUND_DECLINED")
        }
    }

    @Test func `an answer may arrive before the case is known`() async throws {
        try await open { harness, posted async throws in
            #expect(try await harness.send("PUT", path + "1000", decline).status == 202)
            harness.api.requestRefund(of: TransactionId("1000"), isPosted: true)
            harness.time.advance(by: .hours(4))
            #expect(try posted.types == ["REFUND_DECLINED"])
        }
    }

    @Test func `the time scale divides the hours of a refund request`() async throws {
        try await open {
            $0.followUp.timeScale = 3600
        } _: { harness, posted async throws in
            harness.api.requestRefund(of: TransactionId("1000"))
            harness.time.advance(by: .seconds(24))
            #expect(try posted.types.last == "REFUND")
        }
    }

    @Test func `a prorated refund ends a subscription and refunds the share of the remaining time`() async throws {
        try await open { harness, posted in
            harness.api.requestRefund(of: TransactionId("2001"))
            let body = decline.with("refundPreference", "GRANT_PRORATED")
            #expect(try await harness.send("PUT", path + "2001", body).status == 202)
            harness.time.advance(by: .hours(4))
            let data = try #require(try posted.payloads.last?["data"]?.object)
            #expect(data["status"]?.integer == 5)
            #expect(try payload(data["signedRenewalInfo"])["autoRenewStatus"]?.integer == 0)
            let transaction = try payload(data["signedTransactionInfo"])
            // The period began a second before the answer and lasts for ten days.
            #expect(transaction["revocationType"]?.string == "REFUND_PRORATED")
            #expect(transaction["revocationPercentage"]?.integer == 99_999)
        }
    }

    @Test func `version 1 has its own preferences`() async throws {
        try await open { harness, posted async throws in
            harness.api.requestRefund(of: TransactionId("5000"))
            let path = "/inApps/v1/transactions/consumption/5000"
            #expect(try await harness.send("PUT", path, declineV1.with("refundPreference", 1)).status == 202)
            harness.time.advance(by: .hours(4))
            #expect(try posted.types.last == "REFUND")
            #expect(harness.api.answers.map(\.version) == [1])
        }
    }

    @Test func `an unacknowledged notification is posted again on Apple's schedule`() async throws {
        let posted = PostedNotifications { $0 < 3 ? .status(503) : .status(200) }
        try await APIHarness.open {
            $0.post = { posted.post($0, $1) }
        } _: { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            harness.api.requestRefund(of: TransactionId("1000"))
            harness.time.advance(by: .hours(1))
            #expect(try posted.types.count == 2)
            harness.time.advance(by: .hours(7) - .seconds(1))
            #expect(try posted.types.count == 2)
            // 12 hours after the second attempt. The second request was sent 8 hours after the first.
            harness.time.advance(by: .hours(5) + .seconds(1))
            let uuids = try posted.payloads.compactMap { $0["notificationUUID"]?.string }
            #expect(uuids.count { $0 == uuids.first } == 3)
            #expect(harness.api.failedNotifications == 0)
        }
    }

    @Test func `the API is settled when the last case is decided and its notification acknowledged`() async throws {
        try await open { harness, _ async throws in
            let settled = Flag()
            harness.api.requestRefund(of: TransactionId("1000"))
            harness.api.whenSettled { settled.raise() }
            #expect(!settled.isRaised)
            harness.time.advance(by: .hours(24) - .milliseconds(1))
            #expect(!settled.isRaised)
            harness.time.advance(by: .milliseconds(1))
            #expect(settled.isRaised)
        }
    }

    @Test func `the refunded share can be read afterwards`() async throws {
        try await open { harness, _ in
            harness.api.requestRefund(of: TransactionId("1000"))
            harness.time.advance(by: .hours(24))
            let answer = try await harness.send("GET", "/inApps/v1/transactions/1000")
            #expect(try payload(answer.json?["signedTransactionInfo"])["revocationType"]?.string == "REFUND_FULL")
            let refunds = try await harness.send("GET", "/inApps/v2/refund/lookup/1000")
            #expect(refunds.json?["signedTransactions"]?.array?.count == 1)
            #expect(refunds.json?["hasMore"] == false)
        }
    }

    // MARK: Silent decisions, repeated requests, the sandbox

    // app-store.md 10.1: a refused request made on Apple's website produces no verdict.
    @Test func `a request declined on Apple's website has no notification, and can be repeated`() async throws {
        try await open {
            $0.followUp.isAtApplesSite = true
        } _: { harness, posted async throws in
            harness.api.requestRefund(of: TransactionId("1000"))
            #expect(try await harness.send("PUT", path + "1000", decline).status == 202)
            harness.time.advance(by: .days(2))
            #expect(try posted.types == ["CONSUMPTION_REQUEST"])
            #expect(harness.api.refunds.first?.isClosed == true)
            harness.api.requestRefund(of: TransactionId("1000"), reason: .legal)
            #expect(
                try await harness.send("PUT", path + "1000", decline.with("refundPreference", "GRANT_FULL")).status
                    == 202)
            harness.time.advance(by: .days(2))
            #expect(try posted.types == ["CONSUMPTION_REQUEST", "CONSUMPTION_REQUEST", "REFUND"])
        }
    }

    @Test func `a second request after a decline, and a third, are decided separately`() async throws {
        try await open { harness, posted async throws in
            for _ in 1...3 {
                harness.api.requestRefund(of: TransactionId("1000"))
                #expect(try await harness.send("PUT", path + "1000", decline).status == 202)
                harness.time.advance(by: .days(2))
            }
            #expect(
                try posted.types
                    == Array(repeating: ["CONSUMPTION_REQUEST", "REFUND_DECLINED"], count: 3).flatMap(\.self))
        }
    }

    // app-store.md 10.1, C 26.
    @Test(
        arguments: [
            (nil, "REFUND", 100_000), ("DECLINE", "REFUND_DECLINED", nil), ("GRANT_PRORATED", "REFUND", 50_000),
        ] as [(String?, String, Int64?)])
    func `in the sandbox the text of the request sheet decides`(_ text: String?, _ decision: String, _ part: Int64?)
        throws
    {
        let key = SimulatedRefunds.Key(environment: .sandbox, transactionId: "1")
        var cases = SimulatedRefunds(RefundFollowUp())
        _ = cases.open(key, .other, text: text, isPosted: true, at: 0)
        for _ in 1...2 { _ = cases.due(key, .repetition) }
        guard case .decide(_, let decided)? = cases.due(key, .repetition).first else {
            Issue.record("nothing is decided")
            return
        }
        #expect(decided.notificationType.rawValue == decision)
        if case .refunded(let percentage) = decided { #expect(percentage == part) } else { #expect(part == nil) }
    }

    @Test func `a declined request, a silent one and a third about one transaction are distinguished`() async throws {
        try await open { harness, posted async throws in
            for isAtApplesSite in [false, true, false] {
                harness.api.requestRefund(of: TransactionId("1000"), isAtApplesSite: isAtApplesSite)
                #expect(try await harness.send("PUT", path + "1000", decline).status == 202)
                harness.time.advance(by: .days(4))
            }
            #expect(
                try posted.types == [
                    "CONSUMPTION_REQUEST", "REFUND_DECLINED", "CONSUMPTION_REQUEST", "CONSUMPTION_REQUEST",
                    "REFUND_DECLINED",
                ])
            #expect(harness.api.answers.map(\.number) == [1, 2, 3])
        }
    }

    @Test func `an answer after the decision changes nothing, and does not answer the next request`() async throws {
        try await open { harness, posted async throws in
            harness.api.requestRefund(of: TransactionId("1000"))
            #expect(try await harness.send("PUT", path + "1000", decline).status == 202)
            harness.time.advance(by: .days(2))
            let late = decline.with("refundPreference", "GRANT_FULL")
            #expect(try await harness.send("PUT", path + "1000", late).status == 202)
            harness.time.advance(by: .days(2))
            #expect(try posted.types == ["CONSUMPTION_REQUEST", "REFUND_DECLINED"])
            harness.api.requestRefund(of: TransactionId("1000"))
            #expect(harness.api.refunds.map(\.isAnswered) == [false])
        }
    }

    // The texts apply only to the reason Other. Requests with any other reason are granted.
    @Test func `in the sandbox the text is used only with the reason Other`() throws {
        let key = SimulatedRefunds.Key(environment: .sandbox, transactionId: "1")
        for (reason, decision) in [
            (ConsumptionRequestReason.other, SimulatedDecision.declined), (.legal, .refunded(percentage: 100_000)),
        ] {
            var cases = SimulatedRefunds(RefundFollowUp())
            _ = cases.open(key, reason, text: "DECLINE", isPosted: true)
            #expect(cases.open(key)?.unanswered == decision)
        }
    }

    @Test func `in the sandbox a prorated refund is the remaining share of the period`() throws {
        let key = SimulatedRefunds.Key(environment: .sandbox, transactionId: "1")
        var cases = SimulatedRefunds(RefundFollowUp())
        let period: JSONObject = ["purchaseDate": 0, "expiresDate": 1_000]
        _ = cases.open(key, .other, text: "GRANT_PRORATED", of: period, isPosted: true, at: 200)
        #expect(cases.open(key)?.unanswered == .refunded(percentage: 80_000))
    }

    // app-store.md 10.1, C 26: the answer overrides the text.
    @Test func `in the sandbox an answer with a percentage decides, and one that declines does not`() throws {
        let sheet = ConsumptionInformation(preference: .decline, isDelivered: true, consumptionPercentage: nil)
        #expect(
            SimulatedDecision(sandbox: sheet, text: nil, of: nil, at: 0) == .refunded(percentage: 100_000))
        let part = ConsumptionInformation(preference: .grantProrated, isDelivered: true, consumptionPercentage: 25_000)
        #expect(
            SimulatedDecision(sandbox: part, text: "GRANT_PRORATED", of: nil, at: 0) == .refunded(percentage: 75_000))
    }

    @Test func `in the sandbox an answer is used within five minutes`() {
        let key = SimulatedRefunds.Key(environment: .sandbox, transactionId: "1")
        var cases = SimulatedRefunds(RefundFollowUp())
        _ = cases.open(key, .other, isPosted: true, at: 0)
        #expect(cases.answered(key, .declined, at: 300_001).isEmpty)
        #expect(cases.open(key)?.isAnswered == false)
        #expect(!cases.answered(key, .declined, at: 300_000).isEmpty)
    }
}
