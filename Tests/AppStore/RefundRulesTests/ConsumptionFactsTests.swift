import Testing

@testable import RefundRules

extension ConsumptionFacts {
    static let everything = consented {
        $0.consumptionPercentage = 50_000
        $0.consumptionStatus = .partiallyConsumed
        $0.platform = .nonApple
        $0.accountTenureDays = 40
        $0.playTimeMinutes = 2000
        $0.lifetimePurchasedCents = 250_000
        $0.lifetimeRefundedCents = 150_000
        $0.userStatus = .limitedAccess
        $0.outcome = .decline
    }
}

/// The response of the company's service, which is a contract.
@Suite struct ConsumptionFactsTests {
    private static let golden = """
        {"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,\
        "consumptionPercentage":50000,"consumptionStatus":"PARTIALLY_CONSUMED","platform":"NON_APPLE",\
        "accountTenureDays":40,"playTimeMinutes":2000,"lifetimePurchasedCents":250000,"lifetimeRefundedCents":150000,\
        "userStatus":"LIMITED_ACCESS","outcome":"decline"}
        """

    @Test func `an answer with every member is parsed and formatted unchanged`() throws {
        let facts = try ConsumptionFacts.answer(Array(Self.golden.utf8), name: "answer").facts
        #expect(facts == .everything)
        #expect(String(decoding: facts.json, as: UTF8.self) == Self.golden)
    }

    @Test func `consent alone is a valid answer, and all other facts are unknown`() throws {
        let facts = try ConsumptionFacts.answer(Array(#"{"customerConsented":false}"#.utf8), name: "answer").facts
        var expected = ConsumptionFacts()
        expected.customerConsented = false
        #expect(facts == expected)
        #expect(String(decoding: facts.json, as: UTF8.self) == #"{"customerConsented":false}"#)
    }

    @Test(arguments: [
        ("", "answer:1: is not JSON: empty"), ("[]", "answer:1: expected an object"),
        ("{}", "answer:1: customerConsented is missing"),
        (#"{"customerConsented":"true"}"#, "answer:1: customerConsented: expected true or false"),
        (#"{"customerConsented":1}"#, "customerConsented: expected true or false"),
        (#"{"customerConsented":null}"#, "customerConsented: expected true or false"),
        (
            "{\"customerConsented\":true,\n\"deliveryStatus\":0}",
            "answer:2: deliveryStatus: expected one of DELIVERED, UNDELIVERED_QUALITY_ISSUE"
        ),
        (#"{"customerConsented":true,"deliveryStatus":"delivered"}"#, "deliveryStatus: expected one of"),
        (#"{"customerConsented":true,"sampleContentProvided":0}"#, "sampleContentProvided: expected true or false"),
        (
            #"{"customerConsented":true,"consumptionPercentage":50.5}"#,
            "consumptionPercentage: expected a whole number from 0 to 100000"
        ),
        (#"{"customerConsented":true,"consumptionPercentage":"50"}"#, "consumptionPercentage: expected a whole"),
        (#"{"customerConsented":true,"consumptionPercentage":100001}"#, "consumptionPercentage: expected a whole"),
        (#"{"customerConsented":true,"consumptionPercentage":-1}"#, "consumptionPercentage: expected a whole"),
        (#"{"customerConsented":true,"consumptionStatus":1}"#, "consumptionStatus: expected one of NOT_CONSUMED"),
        (#"{"customerConsented":true,"platform":"ANDROID"}"#, "platform: expected one of APPLE, NON_APPLE"),
        (#"{"customerConsented":true,"accountTenureDays":-1}"#, "accountTenureDays: expected a whole number from 0"),
        (#"{"customerConsented":true,"playTimeMinutes":1e30}"#, "playTimeMinutes: expected a whole number from 0"),
        (#"{"customerConsented":true,"lifetimePurchasedCents":1.5}"#, "lifetimePurchasedCents: expected a whole"),
        (#"{"customerConsented":true,"lifetimeRefundedCents":[]}"#, "lifetimeRefundedCents: expected a whole"),
        (#"{"customerConsented":true,"userStatus":"BANNED"}"#, "userStatus: expected one of ACTIVE"),
        (#"{"customerConsented":true,"outcome":"REFUND"}"#, "outcome: expected one of decline, grantFull"),
        (#"{"customerConsented":true,"customerConsented":false}"#, "is not JSON: duplicate_name"),
    ])
    func `the error for a malformed answer names the member and does not show its value`(
        text: String, message: String
    ) throws {
        let error = #expect(throws: RefundInputError.self) {
            try ConsumptionFacts.answer(Array(text.utf8), name: "answer")
        }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("ANDROID") == false)
    }

    @Test func `an answer over 64 KiB is rejected`() {
        let text = #"{"customerConsented":true}"# + String(repeating: " ", count: 64 * 1024)
        let error = #expect(throws: RefundInputError.self) {
            try ConsumptionFacts.answer(Array(text.utf8), name: "answer")
        }
        #expect(error?.message == "is not JSON: too_long")
    }

    @Test func `unknown members are named, and their names cannot forge log lines`() throws {
        let text = #"{"customerConsented":true,"a\nb\u202e\#(String(repeating: "x", count: 200))":1,"debug":{}}"#
        let answer = try ConsumptionFacts.answer(Array(text.utf8), name: "answer")
        #expect(answer.facts.customerConsented == true)
        #expect(answer.unknownMembers.count == 2 && answer.unknownMembers.last == #""debug""#)
        let first = try #require(answer.unknownMembers.first)
        #expect(first.contains(#"a\nb\u202e"#) && !first.contains("\n") && first.utf8.count < 200)
    }
}
