import AppStoreModel
import JSON
import Records
import RefundRules
import TestSupport
import Testing

@Suite("Refund cases") struct RefundCaseTests {
    // MARK: Opening, answering, closing

    @Test func `a request opens a round with an answer due 12 hours after its signature`() throws {
        let round = try #require(try request(0, received: 5_000).refund().rounds.waiting)
        #expect(round.number == 1)
        #expect(round.receivedAt == at(5_000))
        #expect(round.deadline == at(12 * hour))
        #expect(round.answerableUntil == at(12 * hour + 5_000))
    }

    @Test func `a repeated request is timed from its first receipt`() throws {
        let refund = try merged([
            request(0, received: 3 * hour, uuid: "a"), request(0, received: 2_000, uuid: "a"),
        ])
        #expect(refund.requests.count == 1)
        #expect(refund.rounds.newest?.receivedAt == at(2_000))
    }

    @Test(arguments: [
        (NotificationType.refund, RefundCaseOutcome.granted), (.refundDeclined, .declined),
        (.refundReversed, .reversed),
    ])
    func `Apple's decision ends the round`(_ type: NotificationType, _ outcome: RefundCaseOutcome) throws {
        let refund = try merged([request(0), RefundNotification(type, signed: day)])
        #expect(refund.outcome == outcome)
        #expect(refund.rounds.status == .overtaken)
        #expect(refund.rounds.waiting == nil)
    }

    @Test func `the outcome signed last prevails`() throws {
        let types: [(NotificationType, RefundCaseOutcome)] = [
            (.refund, .granted), (.refundDeclined, .declined), (.refundReversed, .reversed),
        ]
        for (last, outcome) in types {
            let said = types.map { RefundNotification($0.0, signed: $0.0 == last ? 2 * day : day) }
            #expect(try merged([request(0)] + said).outcome == outcome)
        }
    }

    @Test(arguments: [
        (AnswerEnd.Kind.withheld, AnswerStatus.withheld), (.refused, .refused), (.missed, .missed),
        (.tooLate, .tooLate), (.observed, .observed),
    ])
    func `a withheld answer ends the round`(_ kind: AnswerEnd.Kind, _ status: AnswerStatus) throws {
        var refund = try request(0).refund()
        try refund.end(kind, at: hour)
        #expect(refund.rounds.status == status)
        #expect(refund.expiry == at(hour).advanced(byMilliseconds: 400 * day))
    }

    @Test func `a case is kept for 400 days after its last event`() throws {
        let closed = try merged([request(0), RefundNotification(.refund, signed: day)])
        #expect(closed.expiry == at(401 * day))
    }

    // MARK: Refunds that do not count

    @Test func `an upgrade refunds the rest of the period and does not count as the customer's refund`() throws {
        var upgraded = RefundNotification(.refund, signed: day)
        upgraded.transaction["isUpgraded"] = true
        #expect(try upgraded.refund().outcome == .granted)
        #expect(try !upgraded.refund().isRefunded)
        #expect(try RefundNotification(.refund, signed: day).refund().isRefunded)
    }

    @Test(arguments: [
        ("revocationType", JSONValue.string("ASSIGNMENT_REVOKE")), ("revocationType", .string("FAMILY_REVOKE")),
        ("revocationReason", .integer(7)),
    ])
    func `a transaction that was taken away or switched to a bundle is not a refund decision`(
        _ member: String, _ value: JSONValue
    ) throws {
        var taken = RefundNotification(.refund, signed: day)
        taken.transaction[member] = value
        let refund = try merged([request(0), taken])
        #expect(refund.outcome == nil && !refund.isRefunded)
        #expect(refund.rounds.status == .waiting)
    }

    // MARK: Erasure

    @Test func `an erasure removes personal data but keeps Apple's acceptance of an answer`() throws {
        var refund = try request(0).refund()
        var answer = FrozenAnswer(
            through: at(0), decidedAt: at(1), source: .provider, rule: "r", outcome: "decline", form: 1,
            body: #"{"appAccountToken":"7e3fb204"}"#)
        answer.service = #"{"customerConsented":true}"#
        refund.insert(answer)
        try refund.accept(at: 2_000)
        refund.erase(at: at(day))
        let text = String(decoding: refund.jsonText(), as: UTF8.self)
        for personal in ["7e3fb204", "appTransactionId", "coins", "4990", "customerConsented"] {
            #expect(!text.contains(personal), "\(personal)")
        }
        #expect(refund.rounds.status == .accepted)
        // A copy that was not erased does not restore the data.
        refund.merge(try request(0).refund())
        #expect(refund.transaction?.appAccountToken == nil)
        #expect(try RefundCase(json: refund.jsonText()) == refund)
        // A request signed later contains personal data again.
        refund.merge(try request(2 * day).refund())
        #expect(refund.transaction?.appAccountToken != nil)
    }

    @Test func `an erasure removes the proposals decided up to its time`() throws {
        var refund = try request(0).refund()
        func proposal(at moment: Int64) -> [UInt8] {
            FrozenAnswer(through: at(0), decidedAt: at(moment), source: .rules, rule: nil, outcome: "decline").json
        }
        #expect(refund.retains(proposal: proposal(at: day)) && refund.retains(proposal: []))
        refund.erase(at: at(day))
        #expect(!refund.retains(proposal: proposal(at: day)) && !refund.retains(proposal: []))
        #expect(refund.retains(proposal: proposal(at: day + 1)))
    }

    // MARK: Facts

    @Test func `a purchase that moved to another account is queried under the newest one`() throws {
        var moved = request(8 * hour)
        moved.transaction["appAccountToken"] = "7e3fb204-2d5b-4a5c-8f1e-000000000002"
        for order in [[request(0), moved], [moved, request(0)]] {
            let refund = try merged(order)
            #expect(
                refund.transaction?.appAccountToken == AppAccountToken("7e3fb204-2d5b-4a5c-8f1e-000000000002"))
        }
    }

    @Test func `unsigned facts never replace signed ones`() throws {
        var unsigned = request(hour)
        unsigned.isSigned = false
        unsigned.transaction["price"] = 1
        for order in [[request(0), unsigned], [unsigned, request(0)]] {
            #expect(try merged(order).transaction?.price == 4990)
        }
        #expect(try unsigned.refund().transaction?.isSigned == false)
    }

    @Test(arguments: [
        // An unrefunded transaction of the purchase named in the body.
        (
            #"{"original_transaction_id":"7","unified_receipt":{"latest_receipt_info":["#
                + #"{"transaction_id":"7","original_transaction_id":"7"},"#
                + #"{"transaction_id":"6","original_transaction_id":"7","cancellation_date_ms":"1"},"#
                + #"{"transaction_id":"8","original_transaction_id":"8"}]}}"#, false
        ),
        (
            #"{"original_transaction_id":7,"unified_receipt":{"latest_receipt_info":["#
                + #"{"transaction_id":"7","original_transaction_id":7}]}}"#, false
        ),
        // No purchase is named.
        (#"{"unified_receipt":{"latest_receipt_info":[{"transaction_id":"7","original_transaction_id":"7"}]}}"#, true),
        // Two candidates.
        (
            #"{"original_transaction_id":"7","unified_receipt":{"latest_receipt_info":["#
                + #"{"transaction_id":"7","original_transaction_id":"7"},"#
                + #"{"transaction_id":"9","original_transaction_id":"7"}]}}"#, true
        ),
        // The body concerns a different transaction.
        (
            #"{"original_transaction_id":"7","unified_receipt":{"latest_receipt_info":["#
                + #"{"transaction_id":"9","original_transaction_id":"7"}]}}"#, true
        ),
        (#"{"original_transaction_id":"7","unified_receipt":{"latest_receipt_info":{}}}"#, true),
        (
            #"{"original_transaction_id":"7","unified_receipt":{"latest_receipt_info":[1,{"original_transaction_id":"7"}]}}"#,
            true
        ),
        ("{}", true),
    ])
    func `a version 1 request is ambiguous unless its receipt names one transaction`(
        legacy: String, isAmbiguous: Bool
    ) throws {
        var unsigned = request(hour)
        unsigned.isSigned = false
        unsigned.legacy = try JSONValue(json: Array(legacy.utf8)).object
        let refund = try unsigned.refund()
        #expect(refund.rounds.newest?.isAmbiguous == isAmbiguous)
        #expect(try RefundCase(json: refund.jsonText()) == refund)
        // A signed request resolves the ambiguity.
        #expect(try merged([unsigned, request(0)]).rounds.newest?.isAmbiguous == false)
    }

    @Test func `a signed request is ended only by a signed outcome, a version 1 request by any outcome`() throws {
        var unsigned = RefundNotification(.refund, signed: hour)
        unsigned.isSigned = false
        for order in [[request(0), unsigned], [unsigned, request(0)]] {
            let refund = try merged(order)
            #expect(refund.rounds.status == .waiting && refund.outcome == .granted)
            #expect(try RefundCase(json: refund.jsonText()) == refund)
        }
        let signed = RefundNotification(.refundDeclined, signed: hour / 2)
        #expect(try merged([request(0), unsigned, signed]).rounds.status == .overtaken)
        // Signed data takes precedence over later data.
        #expect(try merged([request(0), unsigned, signed]).outcome == .declined)
        var legacy = request(0)
        legacy.isSigned = false
        #expect(try merged([legacy, unsigned]).rounds.status == .overtaken)
    }

    @Test func `a version 1 refund without a transaction is skipped, and a request is dead-lettered`() throws {
        let value = Array(
            #"{"notification":{"notificationType":"REFUND","notificationUUID":"u","signedDate":1767225600000,"data":{}}}"#
                .utf8)
        guard
            case .irrelevant = RefundReading(
                try RefundNotification.record(value, trust: .sharedSecret), environment: .production, timestamp: 0,
                now: at(0))
        else { throw NotARefund() }
        let request = Array(
            String(decoding: value, as: UTF8.self).replacing("REFUND", with: "CONSUMPTION_REQUEST").utf8)
        guard
            case .unusable(let code, _) = RefundReading(
                try RefundNotification.record(request, trust: .sharedSecret), environment: .production, timestamp: 0,
                now: at(0))
        else { throw NotARefund() }
        #expect(code == "transaction_missing")
    }

    @Test func `a withdrawn consent is stored under the customer's appTransactionId`() throws {
        let refund = try RefundNotification(.rescindConsent, signed: hour).refund()
        #expect(refund.transactionId == TransactionId("70"))
        #expect(refund.consentRescindedAt == at(hour))
        #expect(refund.rounds.status == AnswerStatus.none && refund.expiry != nil)
        let again = try RefundNotification(.rescindConsent, signed: 2 * hour).refund()
        for order in [[refund, again], [again, refund]] {
            var merged = order[0]
            merged.merge(order[1])
            #expect(merged.consentRescindedAt == at(2 * hour))
        }
    }

    @Test func `only the newest requests are kept, as many as Apple would send`() throws {
        let refund = try merged((0..<100).map { request($0 * hour) })
        #expect(refund.requests.count == 64)
        #expect(refund.newestRequest?.signedDate == at(99 * hour))
        #expect(try merged((0..<100).reversed().map { request($0 * hour) }) == refund)
    }

    // MARK: Records

    @Test func `notifications of other types are irrelevant`() throws {
        guard case .irrelevant = try RefundNotification(.didRenew, signed: 0).reading else {
            throw NotARefund()
        }
    }

    @Test(arguments: [
        ("transactionId", JSONValue.null, RefundReason.transactionMissing),
        ("transactionId", 7, RefundReason.transactionMissing),
        ("environment", "Sandbox", RefundReason.environmentMismatch),
        ("transactionId", .string(String(repeating: "7", count: 257)), RefundReason.identifierTooLong),
        ("productId", .string(String(repeating: "p", count: 300)), RefundReason.identifierTooLong),
        ("transactionId", "7\u{7}", RefundReason.identifierTooLong),
    ])
    func `the error for an unusable request names its fault`(
        _ member: String, _ value: JSONValue, _ code: String
    ) throws {
        var notification = request(0)
        notification.transaction[member] = value
        guard case .unusable(code, _) = try notification.reading else {
            throw NotARefund()
        }
    }

    @Test(arguments: [NotificationType.refund, .refundDeclined, .refundReversed])
    func `a decision with an overlong revocationType is unusable`(_ type: NotificationType) throws {
        var decision = RefundNotification(type, signed: day)
        decision.transaction["revocationType"] = .string(String(repeating: "R", count: 256))
        #expect(try decision.refund().verdicts.newest?.revocationType?.rawValue.count == 256)
        decision.transaction["revocationType"] = .string(String(repeating: "R", count: 257))
        guard case .unusable(RefundReason.identifierTooLong, _) = try decision.reading else { throw NotARefund() }
    }

    @Test(arguments: [
        (
            #"{"bundleId":"com.example","environment":"Sandbox"}"#, #"{"appTransactionId":"70"}"#,
            "environment_mismatch: found in the Production topic"
        ),
        (
            #"{"environment":"Production"}"#, #"{"appTransactionId":"70"}"#,
            "identity_missing: no appTransactionId or bundleId"
        ),
        ("null", #"{"appTransactionId":"70"}"#, "identity_missing: no appTransactionId or bundleId"),
        (#"{"bundleId":"com.example"}"#, "{}", "identity_missing: no appTransactionId or bundleId"),
    ])
    func `the error for an unusable withdrawal of consent names its fault`(
        _ appData: String, _ appTransaction: String, _ fault: String
    ) throws {
        let value = """
            {"notification":{"notificationType":"RESCIND_CONSENT","notificationUUID":"u","signedDate":1767225600000,\
            "appData":\(appData)},"appTransaction":\(appTransaction)}
            """
        guard
            case .unusable(let code, let detail?) = RefundReading(
                try RefundNotification.record(Array(value.utf8)), environment: .production, timestamp: 0, now: at(0))
        else { throw NotARefund() }
        #expect("\(code): \(detail)" == fault)
    }

    @Test(.enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
    func `Apple's captured request and refund open and close one case`() throws {
        let refunds = try TestVectors.appleSamples().compactMap { sample -> RefundCase? in
            guard ["CONSUMPTION_REQUEST", "REFUND"].contains(sample.facts.notificationType) else { return nil }
            let notification = try CompactJWS.payload(sample.signedPayload)
            let data = try #require(NotificationPayload(json: notification).data)
            let transaction = try CompactJWS.payload(#require(data.signedTransactionInfo))
            let value = Array("{\"notification\":".utf8) + notification + Array(",\"transaction\":".utf8) + transaction
            let record = try RefundNotification.record(value + Array("}".utf8))
            guard case .refund(let refund) = RefundReading(record, environment: .sandbox, timestamp: 0, now: at(0))
            else {
                return nil
            }
            return refund
        }
        try #require(refunds.count == 2)
        for order in [refunds, refunds.reversed()] {
            var refund = order[0]
            refund.merge(order[1])
            #expect(refund.requests.count == 1)
            #expect(refund.outcome == .granted)
            #expect(refund.rounds.status == .overtaken)
        }
        #expect(refunds[0].rounds.status == .waiting)
        #expect(refunds[0].transaction?.type == .autoRenewableSubscription)
    }
}
