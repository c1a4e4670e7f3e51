import AppStoreModel
import JSON
import RefundCases
import TestSupport
import Testing

/// Everything that can be said of one case, at moments that collide.
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
            refund.acceptance = AnswerAcceptance(at: at(moment()), attempts: Int64(number))
            refund.answer = FrozenAnswer(
                decidedAt: at(moment()), source: .rules, rule: "r\(number)", outcome: "decline", form: 2, body: "{}")
        default:
            refund = try request(moment()).refund()
            refund.end = AnswerEnd(.missed, at: at(moment()), reason: "\(number)")
            refund.failure = AnswerFailure(at: at(moment()), status: 500, message: "\(number)")
            refund.consentRescindedAt = at(moment())
        }
        said.append(refund)
    }
    return said
}

@Suite("Refund cases are joined") struct RefundCaseJoinTests {
    @Test func `whatever is said, in any order and number, ends in the same case`() throws {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<200 {
            let said = try statements(&random)
            let expected = merge(said)
            for _ in 0..<5 { #expect(merge((said + said.prefix(4)).shuffled(using: &random)) == expected) }
            // Associative: two members that knew a part each.
            var one = merge(Array(said.prefix(6)))
            one.merge(merge(Array(said.suffix(7))))
            #expect(one == expected)
            var again = expected
            let isChanged = again.merge(expected)
            #expect(!isChanged)
        }
    }

    @Test func `a case is read as it was written`() throws {
        var random = SeededGenerator(seed: 13)
        for _ in 0..<200 {
            let refund = merge(try statements(&random))
            let read = try RefundCase(json: refund.jsonText)
            #expect(read == refund)
            #expect(read.jsonText == refund.jsonText)
        }
    }

    private func merge(_ said: [RefundCase]) -> RefundCase {
        var first = said[0]
        for one in said.dropFirst() { first.merge(one) }
        return first
    }

    @Test func `members that a later version added are kept`() throws {
        let text = Array(
            #"{"formatVersion":1,"environment":"Production","bundleId":"com.example","transactionId":"7","new":{"a":1}}"#
                .utf8)
        let refund = try RefundCase(json: text)
        #expect(refund.unknownFields["new"] == ["a": 1])
        #expect(try RefundCase(json: refund.jsonText) == refund)
    }

    @Test(arguments: [
        ("", RefundFormatError.invalidJSON), ("[]", .invalidJSON), (#"{"formatVersion":2}"#, .unknownFormat),
        (#"{"formatVersion":1,"bundleId":"a"}"#, .noIdentity), (#"{"bundleId":"a"}"#, .unknownFormat),
    ])
    func `a text that is no case is named`(_ text: String, _ expected: RefundFormatError) {
        #expect(throws: expected) { try RefundCase(json: Array(text.utf8)) }
    }

    @Test func `the published form`() throws {
        var refund = try request(0).refund()
        refund.answer = FrozenAnswer(
            decidedAt: at(1), source: .rules, rule: "new customers", outcome: "decline", form: 2,
            body: #"{"customerConsented":true}"#)
        refund.acceptance = AnswerAcceptance(at: at(2_000), attempts: 1)
        let expected = """
            {"formatVersion":1,"environment":"Production","bundleId":"com.example","transactionId":"7",\
            "answerStatus":"accepted","deadline":1767268800000,"transaction":{"signedDate":1767225600000,\
            "originalTransactionId":"7","appTransactionId":"70",\
            "appAccountToken":"7e3fb204-2d5b-4a5c-8f1e-000000000001","productId":"coins","type":"Consumable",\
            "inAppOwnershipType":"PURCHASED","quantity":1,"price":4990,"currency":"USD"},\
            "requests":[{"notificationUUID":"CONSUMPTION_REQUEST-0","signedDate":1767225600000,\
            "receivedAt":1767225601000}],"answer":{"decidedAt":1767225600001,"source":"rules",\
            "rule":"new customers","outcome":"decline","form":2,"body":"{\\"customerConsented\\":true}"},\
            "accepted":{"at":1767225602000,"attempts":1}}
            """
        #expect(String(decoding: refund.jsonText, as: UTF8.self) == expected)
    }
}
