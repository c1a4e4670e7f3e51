import AppStoreModel
import Testing

@testable import RefundRules

@Suite struct ConsumptionAnswerTests {
    private func answer(
        _ outcome: RefundOutcome, _ facts: RefundFacts = .consumable(), _ consumption: ConsumptionFacts = .consented()
    ) throws -> ConsumptionAnswer {
        try ConsumptionAnswer(facts, .of(outcome, consumption))
    }

    private func text(_ answer: ConsumptionAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }

    // MARK: Version 2

    /// The exact body of every kind of answer.
    @Test(
        arguments: [
            (
                .decline, nil,
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,"refundPreference":"DECLINE"}"#
            ),
            (
                .grantFull, 50_000,
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,"consumptionPercentage":50000,"refundPreference":"GRANT_FULL"}"#
            ),
            (
                .grantProrated, 33_333,
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,"consumptionPercentage":33333,"refundPreference":"GRANT_PRORATED"}"#
            ),
            (
                .noPreference, 100_000,
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,"consumptionPercentage":100000}"#
            ),
            (
                .noPreference, nil,
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#
            ),
        ] as [(RefundOutcome, Int64?, String)])
    func `the body for a product other than a subscription has a percentage`(
        outcome: RefundOutcome, percentage: Int64?, golden: String
    ) throws {
        let answer = try answer(outcome, .consumable(), .consented { $0.consumptionPercentage = percentage })
        #expect(answer.form == .version2)
        #expect(text(answer) == golden)
        #expect(answer.notes.isEmpty)
    }

    @Test(
        arguments: [
            (
                .decline,
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,"refundPreference":"DECLINE"}"#
            ),
            (
                .grantFull,
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,"refundPreference":"GRANT_FULL"}"#
            ),
            (
                .grantProrated,
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,"refundPreference":"GRANT_PRORATED"}"#
            ),
            (
                .noPreference,
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#
            ),
        ] as [(RefundOutcome, String)])
    func `the body of a subscription never has a percentage`(outcome: RefundOutcome, golden: String) throws {
        let alone = try answer(outcome, .subscription())
        #expect(text(alone) == golden)
        #expect(alone.notes.isEmpty)
        for percentage: Int64 in [0, 50_000, 100_000] {
            let answer = try answer(outcome, .subscription(), .consented { $0.consumptionPercentage = percentage })
            #expect(text(answer) == golden)
            #expect(answer.notes == [.percentageOfSubscription])
        }
    }

    @Test(arguments: DeliveryStatus.allCases.filter { $0 != .delivered })
    func `undelivered content has no consumption`(status: DeliveryStatus) throws {
        let untouched = ConsumptionFacts.consented {
            $0.deliveryStatus = status
            $0.sampleContentProvided = true
            $0.consumptionPercentage = 0
        }
        let golden =
            #"{"customerConsented":true,"deliveryStatus":"\#(status.rawValue)","sampleContentProvided":true,"consumptionPercentage":0,"refundPreference":"GRANT_FULL"}"#
        #expect(text(try answer(.grantFull, .consumable(), untouched)) == golden)

        var used = untouched
        used.consumptionPercentage = 1
        let answer = try answer(.grantFull, .consumable(), used)
        #expect(text(answer) == golden.replacing(#""consumptionPercentage":0,"#, with: ""))
        #expect(answer.notes == [.percentageOfUndelivered])
    }

    @Test(arguments: [nil, 0, 100_000, 100_001, -1] as [Int64?])
    func `a prorated refund of a product other than a subscription needs a remaining part`(percentage: Int64?) throws {
        let answer = try answer(.grantProrated, .consumable(), .consented { $0.consumptionPercentage = percentage })
        #expect(!text(answer).contains("refundPreference"))
        #expect(answer.notes.last == .proratedWithoutPercentage)
    }

    @Test(arguments: [1, 99_999] as [Int64])
    func `a prorated refund may be of nearly everything or nearly nothing`(percentage: Int64) throws {
        let answer = try answer(.grantProrated, .consumable(), .consented { $0.consumptionPercentage = percentage })
        #expect(text(answer).contains(#""consumptionPercentage":\#(percentage),"refundPreference":"GRANT_PRORATED""#))
        #expect(answer.notes.isEmpty)
    }

    @Test func `a prorated refund of undelivered content is sent without preference`() throws {
        let answer = try answer(
            .grantProrated, .consumable(),
            .consented {
                $0.deliveryStatus = .undeliveredOther
                $0.consumptionPercentage = 50_000
            })
        #expect(answer.notes == [.percentageOfUndelivered, .proratedWithoutPercentage])
        #expect(
            text(answer)
                == #"{"customerConsented":true,"deliveryStatus":"UNDELIVERED_OTHER","sampleContentProvided":false}"#)
    }

    @Test(arguments: [-1, 100_001, .min, .max] as [Int64])
    func `an invalid percentage is not sent`(percentage: Int64) throws {
        let answer = try answer(.decline, .consumable(), .consented { $0.consumptionPercentage = percentage })
        #expect(!text(answer).contains("consumptionPercentage"))
        #expect(answer.notes == [.percentageOutOfRange])
    }

    @Test(arguments: [nil, ProductType("Rental")])
    func `a product of missing or unknown type is treated as a possible subscription`(type: ProductType?) throws {
        let facts = RefundFacts.consumable { $0.productType = type }
        let answer = try answer(.grantProrated, facts, .consented { $0.consumptionPercentage = 50_000 })
        #expect(!text(answer).contains("consumptionPercentage"))
        #expect(answer.notes == [.percentageOfUnknownType, .proratedWithoutPercentage])
        #expect(try self.answer(.decline, facts).notes.isEmpty)
    }

    // MARK: Version 1

    @Test(
        arguments: [
            (
                .grantFull, .everything,
                #"{"customerConsented":true,"consumptionStatus":2,"platform":2,"sampleContentProvided":false,"deliveryStatus":0,"appAccountToken":"7389a31a-fb6d-4569-a2a6-db7d85d84813","accountTenure":4,"playTime":5,"lifetimeDollarsRefunded":6,"lifetimeDollarsPurchased":7,"userStatus":4,"refundPreference":1}"#
            ),
            (
                .decline, .consented { $0.consumptionPercentage = 100_000 },
                #"{"customerConsented":true,"consumptionStatus":3,"platform":0,"sampleContentProvided":false,"deliveryStatus":0,"appAccountToken":"7389a31a-fb6d-4569-a2a6-db7d85d84813","accountTenure":0,"playTime":0,"lifetimeDollarsRefunded":0,"lifetimeDollarsPurchased":0,"userStatus":0,"refundPreference":2}"#
            ),
            (
                .noPreference, .consented { $0.consumptionPercentage = 1 },
                #"{"customerConsented":true,"consumptionStatus":2,"platform":0,"sampleContentProvided":false,"deliveryStatus":0,"appAccountToken":"7389a31a-fb6d-4569-a2a6-db7d85d84813","accountTenure":0,"playTime":0,"lifetimeDollarsRefunded":0,"lifetimeDollarsPurchased":0,"userStatus":0,"refundPreference":3}"#
            ),
            (
                .noPreference, .consented(),
                #"{"customerConsented":true,"consumptionStatus":0,"platform":0,"sampleContentProvided":false,"deliveryStatus":0,"appAccountToken":"7389a31a-fb6d-4569-a2a6-db7d85d84813","accountTenure":0,"playTime":0,"lifetimeDollarsRefunded":0,"lifetimeDollarsPurchased":0,"userStatus":0,"refundPreference":3}"#
            ),
        ] as [(RefundOutcome, ConsumptionFacts, String)])
    func `an Advanced Commerce purchase is answered in version 1`(
        outcome: RefundOutcome, consumption: ConsumptionFacts, golden: String
    ) throws {
        let facts = RefundFacts.consumable {
            $0.isAdvancedCommerce = true
            $0.appAccountToken = AppAccountToken("7389A31A-FB6D-4569-A2A6-DB7D85D84813")
        }
        let answer = try answer(outcome, facts, consumption)
        #expect(answer.form == .version1)
        #expect(text(answer) == golden)
        #expect(answer.notes.isEmpty)
    }

    @Test func `version 1 has no number for a prorated refund`() throws {
        let facts = RefundFacts.subscription { $0.isAdvancedCommerce = true }
        let answer = try answer(.grantProrated, facts)
        #expect(!text(answer).contains("refundPreference"))
        #expect(answer.notes == [.proratedInVersion1])
    }

    @Test(arguments: [nil, "", "customer-7"])
    func `a token that is not a UUID is sent as undeclared`(token: String?) throws {
        let facts = RefundFacts.consumable {
            $0.isAdvancedCommerce = true
            $0.appAccountToken = token.map { AppAccountToken($0) }
        }
        let answer = try answer(.decline, facts)
        #expect(text(answer).contains(#""appAccountToken":"","#))
        #expect(answer.notes == (token == "customer-7" ? [.malformedAccountToken] : []))
    }

    @Test(arguments: zip(DeliveryStatus.allCases, [0, 1, 2, 3, 5] as [Int64]))
    func `version 1 encodes delivered as 0`(status: DeliveryStatus, number: Int64) throws {
        let facts = RefundFacts.consumable { $0.isAdvancedCommerce = true }
        let answer = try answer(.decline, facts, .consented { $0.deliveryStatus = status })
        #expect(text(answer).contains(#""deliveryStatus":\#(number),"#))
    }

    @Test(arguments: zip(UserStatus.allCases, [1, 2, 3, 4] as [Int64]))
    func `version 1 has numbers for the account status`(status: UserStatus, number: Int64) throws {
        let facts = RefundFacts.consumable { $0.isAdvancedCommerce = true }
        let answer = try answer(.decline, facts, .consented { $0.userStatus = status })
        #expect(text(answer).contains(#""userStatus":\#(number),"#))
    }

    @Test(arguments: zip(ConsumptionStatus.allCases, [1, 2, 3] as [Int64]))
    func `a stated consumption status takes precedence over the percentage`(
        status: ConsumptionStatus, number: Int64
    ) throws {
        let facts = RefundFacts.consumable { $0.isAdvancedCommerce = true }
        for percentage: Int64 in [0, 50_000, 100_000] {
            let answer = try answer(
                .decline, facts,
                .consented {
                    $0.consumptionStatus = status
                    $0.consumptionPercentage = percentage
                })
            #expect(text(answer).contains(#""consumptionStatus":\#(number),"#))
        }
        let unused = try answer(.decline, facts, .consented { $0.consumptionPercentage = 0 })
        #expect(text(unused).contains(#""consumptionStatus":1,"#))
    }

    @Test func `version 1 has numbers for the platform`() throws {
        let facts = RefundFacts.consumable { $0.isAdvancedCommerce = true }
        #expect(text(try answer(.decline, facts, .consented { $0.platform = .apple })).contains(#""platform":1,"#))
    }

    // MARK: No answer

    private func problem(
        _ outcome: RefundOutcome, _ facts: RefundFacts, _ consumption: ConsumptionFacts
    ) -> ConsumptionError.Code? {
        #expect(throws: ConsumptionError.self) { try answer(outcome, facts, consumption) }?.code
    }

    @Test(arguments: [nil, false], RefundOutcome.allCases.filter { $0 != .doNotAnswer })
    func `without consent there is no body`(consent: Bool?, outcome: RefundOutcome) {
        let consumption = ConsumptionFacts.consented { $0.customerConsented = consent }
        for facts in [RefundFacts.consumable(), .subscription(), .consumable { $0.isAdvancedCommerce = true }] {
            #expect(problem(outcome, facts, consumption) == .noConsent)
        }
    }

    @Test func `a case with the outcome of no answer has no body, even if other facts are missing`() {
        #expect(problem(.doNotAnswer, .consumable(), .consented()) == .doNotAnswer)
        #expect(problem(.doNotAnswer, .consumable(), ConsumptionFacts()) == .doNotAnswer)
    }

    @Test func `Apple accepts no answer for family members`() {
        for isAdvancedCommerce in [false, true] {
            let facts = RefundFacts.subscription {
                $0.inAppOwnershipType = .familyShared
                $0.isAdvancedCommerce = isAdvancedCommerce
            }
            #expect(problem(.decline, facts, .consented()) == .familyShared)
        }
    }

    @Test func `members that Apple requires are not invented`() {
        for facts in [RefundFacts.consumable(), .consumable { $0.isAdvancedCommerce = true }] {
            let undelivered = ConsumptionFacts.consented { $0.deliveryStatus = nil }
            #expect(problem(.decline, facts, undelivered) == .deliveryStatusMissing)
            let unsampled = ConsumptionFacts.consented { $0.sampleContentProvided = nil }
            #expect(problem(.decline, facts, unsampled) == .sampleContentMissing)
        }
    }
}
