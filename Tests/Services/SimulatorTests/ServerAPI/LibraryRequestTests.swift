import AppStoreModel
import Foundation
import JSON
import TestSupport
import Testing

@testable import Simulator

/// The requests of the client tests in Apple's libraries.
@Suite(.enabled(if: TestVectors.arePresent, "\(TestVectors.absence)")) struct `Requests of Apple's libraries` {
    @Test func `each request is routed to its endpoint`() throws {
        let cases = try #require(try JSONValue(json: TestVectors.bytes("api/cases.json")).object?["cases"]?.array)
        #expect(cases.count == 17)
        for element in cases {
            let request = try #require(element.object?["request"]?.object)
            let match = ServerAPIRoute.match(
                method: try #require(request["method"]?.string), path: try #require(request["path"]?.string))
            guard case .route(let route) = match else {
                Issue.record("\(request) leads nowhere")
                continue
            }
            #expect(route.operation.takesBody == (request["body"]?.object != nil))
        }
    }

    @Test func `the consumption bodies are valid`() throws {
        let cases = try #require(try JSONValue(json: TestVectors.bytes("api/cases.json")).object?["cases"]?.array)
        func body(_ id: String) throws -> [UInt8] {
            let found = try #require(cases.compactMap(\.object).first { $0["id"]?.string == id })
            return try #require(found["request"]?.object?["body"]?.object).bytes
        }
        let information = try ConsumptionRequestRules.read(try body("api-consumption-v2"))
        #expect(
            information
                == ConsumptionInformation(preference: .grantFull, isDelivered: true, consumptionPercentage: 50_000))
        let old = try ConsumptionRequestV1Rules.read(try body("api-consumption-v1"))
        #expect(old == ConsumptionInformation(preference: .none, isDelivered: false, consumptionPercentage: nil))
    }
}
