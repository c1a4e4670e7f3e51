import AppStoreModel
import JSON
import TestSupport
import Testing

@testable import RefundRules

/// The bodies from the tests of Apple's libraries.
@Suite(.enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
struct ConsumptionVectorTests {
    private func body(_ id: String) throws -> (path: String, body: JSONObject) {
        let cases = try JSONValue(json: TestVectors.bytes("api/cases.json")).object?["cases"]?.array ?? []
        let request = try #require(cases.compactMap(\.object).first { $0["id"]?.string == id }?["request"]?.object)
        return (try #require(request["path"]?.string), try #require(request["body"]?.object))
    }

    private func expect(_ answer: ConsumptionAnswer, is id: String) throws {
        let (path, expected) = try body(id)
        #expect(path == "/inApps/v\(answer.form.rawValue)/transactions/consumption/49571273")
        let written = try #require(try JSONValue(json: answer.body).object)
        #expect(Set(written.members) == Set(expected.members))
    }

    @Test func `the version 2 body equals that of Apple's libraries`() throws {
        let consumption = ConsumptionFacts.consented { $0.consumptionPercentage = 50_000 }
        try expect(ConsumptionAnswer(.consumable(), .of(.grantFull, consumption)), is: "api-consumption-v2")
    }

    @Test func `the version 1 body equals that of Apple's libraries`() throws {
        let consumption = ConsumptionFacts.consented {
            $0.consumptionStatus = .notConsumed
            $0.platform = .nonApple
            $0.deliveryStatus = .undeliveredServerOutage
            $0.accountTenureDays = 60
            $0.playTimeMinutes = 3 * 1440
            $0.lifetimeRefundedCents = 123_456
            $0.lifetimePurchasedCents = 250_000
            $0.userStatus = .limitedAccess
        }
        let facts = RefundFacts.consumable {
            $0.isAdvancedCommerce = true
            $0.appAccountToken = AppAccountToken("7389a31a-fb6d-4569-a2a6-db7d85d84813")
        }
        try expect(ConsumptionAnswer(facts, .of(.noPreference, consumption)), is: "api-consumption-v1")
    }
}
