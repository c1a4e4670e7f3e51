import AppStoreModel
import JSON
import RefundRules
import TestSupport
import Testing

/// Returns every kind of statement about one case, with colliding times.
private func statements(_ random: inout SeededGenerator) throws -> [RefundCase] {
    let moments: [Int64] = [0, hour, hour, 2 * hour, 9 * hour, day]
    func moment() -> Int64 { moments[Int(random.next() % UInt64(moments.count))] }
    var said: [RefundCase] = []
    for number in 0..<12 {
        var refund: RefundCase
        switch random.next() % 8 {
        case 0:
            var unsigned = request(moment(), uuid: "u\(number % 3)")
            unsigned.isSigned = false
            refund = try unsigned.refund()
        case 1, 2: refund = try request(moment(), received: moment(), uuid: "r\(number % 4)").refund()
        case 3: refund = try RefundNotification(.refund, signed: moment()).refund()
        case 4: refund = try RefundNotification(.refundDeclined, signed: moment()).refund()
        case 5: refund = try RefundNotification(.refundReversed, signed: moment()).refund()
        case 6:
            refund = try request(moment()).refund()
            refund.insert(AnswerAcceptance(through: at(moment()), at: at(moment()), attempts: Int64(number)))
            refund.insert(
                FrozenAnswer(
                    through: at(moment()), decidedAt: at(moment()), source: .rules, rule: "r\(number)",
                    outcome: "decline", form: 2, body: "{}"))
        default:
            refund = try request(moment()).refund()
            refund.insert(AnswerEnd(.missed, through: at(moment()), at: at(moment()), reason: "\(number)"))
            refund.obstacle = AnswerObstacle(
                through: at(moment()), at: at(moment()), reason: "api_unavailable", status: 500, message: "\(number)")
            refund.consentRescindedAt = at(moment())
        }
        said.append(refund)
    }
    return said
}

@Suite("Joining refund cases") struct RefundCaseJoinTests {
    @Test func `the same statements yield the same case in any order and number`() throws {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<200 {
            let said = try statements(&random)
            let expected = merge(said)
            for _ in 0..<5 { #expect(merge((said + said.prefix(4)).shuffled(using: &random)) == expected) }
            // Associative: two members that each have a part of the case.
            var one = merge(Array(said.prefix(6)))
            one.merge(merge(Array(said.suffix(7))))
            #expect(one == expected)
            var again = expected
            let isChanged = again.merge(expected)
            #expect(!isChanged)
        }
    }

    @Test func `a case is parsed as it was formatted`() throws {
        var random = SeededGenerator(seed: 13)
        for _ in 0..<200 {
            let refund = merge(try statements(&random))
            let read = try RefundCase(json: refund.jsonText())
            #expect(read == refund)
            #expect(read.jsonText() == refund.jsonText())
        }
    }

    private func merge(_ said: [RefundCase]) -> RefundCase {
        var first = said[0]
        for one in said.dropFirst() { first.merge(one) }
        return first
    }

    /// Merges three cases in every order and grouping, and returns the distinct rows.
    private func rows(_ cases: [RefundCase]) -> Set<[UInt8]> {
        var rows: Set<[UInt8]> = []
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let (one, two, three) = (cases[order[0]], cases[order[1]], cases[order[2]])
            rows.insert(merge([merge([one, two]), three]).jsonText())
            rows.insert(merge([one, merge([two, three])]).jsonText())
        }
        return rows
    }

    @Test func `unknown members are merged in any order and grouping`() throws {
        let cases = try [#""b":1,"a":{"x":1}"#, #""a":{"x":2},"c":[]"#, #""c":[1],"b":1.5"#].map { members in
            let identity = #""environment":"Production","bundleId":"com.example","transactionId":"7""#
            return try RefundCase(json: Array(#"{"formatVersion":2,\#(identity),\#(members)}"#.utf8))
        }
        #expect(rows(cases).count == 1)
        let whole = merge(cases)
        #expect(whole.unknownFields.names == ["a", "b", "c"])
        #expect(whole.unknownFields["a"] == ["x": 2] && whole.unknownFields["c"] == .array([]))
        var again = whole
        let isChanged = again.merge(cases[0])
        #expect(!isChanged)
        #expect(try RefundCase(json: whole.jsonText()) == whole)
    }

    /// Returns a case with colliding times and with parts that an erasure changes. Half of the cases are erased.
    private func erasable(_ random: inout SeededGenerator) throws -> RefundCase {
        func pick<Value>(_ values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }
        let hours = [hour, 2 * hour, 3 * hour]
        var notification = request(pick(hours), uuid: "a")
        notification.transaction["productId"] = .string(pick(["coins", "gems"]))
        notification.transaction["type"] = .string(pick(["Consumable", "Non-Consumable"]))
        var refund = try notification.refund()
        for _ in 0..<2 {
            var answer = FrozenAnswer(
                through: at(0), decidedAt: at(pick(hours)), source: .rules, rule: pick(["r", "s"]), outcome: "decline")
            if pick([true, true, false]) {
                answer.form = 2
                answer.body = pick(["{}", "[]"])
            }
            answer.service = pick([nil, "{}"])
            refund.insert(answer)
        }
        refund.obstacle = AnswerObstacle(
            through: at(0), at: at(pick(hours)), reason: pick(["a", "b"]), status: pick([nil, 500]),
            message: pick(["m", "n"]))
        if pick([true, false]) { refund.erase(at: at(pick(hours))) }
        return refund
    }

    @Test func `cases are merged in any order and grouping with erasures`() throws {
        var random = SeededGenerator(seed: 14)
        for _ in 0..<500 {
            let cases = try (0..<3).map { _ in try erasable(&random) }
            #expect(rows(cases).count == 1)
            var again = merge(cases)
            let isChanged = again.merge(cases[0])
            #expect(!isChanged)
        }
    }

    @Test func `the earlier of two answers to a round is kept, even if an erasure removed its body`() throws {
        var cases = try (0..<3).map { _ in try request(0).refund() }
        for (index, moment) in [(0, hour), (1, 3 * hour)] {
            cases[index].insert(
                FrozenAnswer(
                    through: at(0), decidedAt: at(moment), source: .rules, rule: nil, outcome: "decline", form: 2,
                    body: "{}"))
        }
        cases[2].erase(at: at(2 * hour))
        #expect(rows(cases).count == 1)
        let answer = try #require(merge(cases).answers.newest)
        #expect(answer.decidedAt == at(hour) && answer.body == nil && answer.form == 2)
    }

    @Test func `unknown members of later versions are kept`() throws {
        let text = Array(
            #"{"formatVersion":2,"environment":"Production","bundleId":"com.example","transactionId":"7","new":{"a":1}}"#
                .utf8)
        let refund = try RefundCase(json: text)
        #expect(refund.unknownFields["new"] == ["a": 1])
        #expect(try RefundCase(json: refund.jsonText()) == refund)
    }

    @Test(arguments: [
        ("", RefundFormatError.invalidJSON), ("[]", .invalidJSON), (#"{"formatVersion":3}"#, .unknownFormat),
        (#"{"formatVersion":2,"bundleId":"a"}"#, .noIdentity), (#"{"bundleId":"a"}"#, .unknownFormat),
    ])
    func `the error for a malformed case names the fault`(_ text: String, _ expected: RefundFormatError) {
        #expect(throws: expected) { try RefundCase(json: Array(text.utf8)) }
    }

    @Test func `a case has the published form`() throws {
        var refund = try request(0).refund()
        refund.insert(
            FrozenAnswer(
                through: at(0), decidedAt: at(1), source: .rules, rule: "new customers", outcome: "decline", form: 2,
                body: #"{"customerConsented":true}"#))
        refund.insert(AnswerAcceptance(through: at(0), at: at(2_000), attempts: 1))
        refund.merge(try RefundNotification(.refundDeclined, signed: hour).refund())
        let expected = """
            {"formatVersion":2,"environment":"Production","bundleId":"com.example","transactionId":"7",\
            "answerStatus":"accepted","outcome":"declined","round":1,"transaction":{"signedDate":1767229200000,\
            "originalTransactionId":"7","appTransactionId":"70",\
            "appAccountToken":"7e3fb204-2d5b-4a5c-8f1e-000000000001","productId":"coins","type":"Consumable",\
            "inAppOwnershipType":"PURCHASED","quantity":1,"price":4990,"currency":"USD"},\
            "requests":[{"notificationUUID":"CONSUMPTION_REQUEST-0","signedDate":1767225600000,\
            "receivedAt":1767225601000}],"answers":[{"through":1767225600000,"decidedAt":1767225600001,\
            "source":"rules","rule":"new customers","outcome":"decline","form":2,\
            "body":"{\\"customerConsented\\":true}"}],"accepted":[{"through":1767225600000,"at":1767225602000,\
            "attempts":1}],"verdicts":[{"kind":"declined","signedDate":1767229200000}]}
            """
        #expect(String(decoding: refund.jsonText(), as: UTF8.self) == expected)
    }

    @Test func `a waiting round is published with its two dates`() throws {
        let text = String(decoding: try request(0, received: 5_000).refund().jsonText(), as: UTF8.self)
        #expect(
            text.contains(
                #""answerStatus":"waiting","round":1,"deadline":1767268800000,"answerableUntil":1767268805000"#))
    }
}

@Suite("Refund cases of format version 1") struct RefundCaseVersion1Tests {
    /// Returns a case as published by the previous version.
    private func version1(_ members: String) throws -> RefundCase {
        let requests = [(0, 1_000), (9 * hour, 9 * hour + 1_000)].map { signed, received in
            """
            {"notificationUUID":"r\(signed)","signedDate":\(at(signed).millisecondsSince1970),\
            "receivedAt":\(at(received).millisecondsSince1970)}
            """
        }
        let text = """
            {"formatVersion":1,"environment":"Production","bundleId":"com.example","transactionId":"7",\
            "answerStatus":"waiting","deadline":1,"requests":[\(requests.joined(separator: ","))],\(members)}
            """
        return try RefundCase(json: Array(text.utf8))
    }

    private func moment(_ milliseconds: Int64) -> Int64 { at(milliseconds).millisecondsSince1970 }

    @Test func `an acceptance settles the requests received before it`() throws {
        let refund = try version1(#""accepted":{"at":\#(moment(2_000)),"attempts":3}"#)
        #expect(refund.acceptances.all == [AnswerAcceptance(through: at(0), at: at(2_000), attempts: 3)])
        #expect(refund.rounds.status == .accepted)
    }

    @Test func `an acceptance by a slow clock belongs to the first request`() throws {
        let refund = try version1(#""accepted":{"at":\#(moment(500)),"attempts":1}"#)
        #expect(refund.rounds.status == .accepted)
    }

    @Test func `an end belongs to the requests before it, so that a later one opens a round`() throws {
        let refund = try version1(#""end":{"kind":"withheld","at":\#(moment(2_000)),"reason":"no_consent"}"#)
        #expect(refund.rounds.all.map(\.status) == [.withheld, .waiting])
    }

    @Test func `a frozen answer belongs to the round in which it was decided`() throws {
        let answer = FrozenAnswer(
            through: nil, decidedAt: at(2_000), source: .rules, rule: nil, outcome: "decline", form: 2, body: "{}")
        let refund = try version1(#""end":{"kind":"refused","at":\#(moment(3_000)),"reason":"4000035"}"#)
        #expect(refund.through(of: answer) == at(0))
        #expect(refund.rounds.round(through: refund.through(of: answer))?.number == 1)
        #expect(refund.rounds.newest?.number == 2)
    }

    @Test func `a refund of seats is dropped as an outcome, and others are kept`() throws {
        let seats = try version1(#""granted":{"signedDate":\#(moment(10 * hour))}"#)
        #expect(seats.outcome == nil && seats.rounds.status == .waiting)
        let granted = try version1(
            #""granted":{"signedDate":\#(moment(10 * hour)),"revocationDate":\#(moment(10 * hour))}"#)
        #expect(granted.outcome == .granted && granted.rounds.status == .overtaken)
    }
}
