import AppStoreModel
import JSON
import PipelineTestSupport
import Simulator
import TestSupport
import Testing

@testable import Refunds

/// Consumption requests of version 1. Only a shared secret authenticates them, and they name no transaction.
@Suite(.timeLimit(.minutes(5))) struct LegacyRequestTests {
    /// Returns a body with a receipt of these transactions of the purchase.
    private func body(of purchase: String, _ transactions: [String]) -> JSONObject {
        [
            "notification_type": "CONSUMPTION_REQUEST", "original_transaction_id": .string(purchase),
            "unified_receipt": [
                "latest_receipt_info": .array(
                    transactions.map {
                        ["transaction_id": .string($0), "original_transaction_id": .string(purchase)]
                    })
            ],
        ]
    }

    /// Registers a transaction with Apple's API.
    private func register(_ id: String, type: String, in installation: RefundsInstallation) {
        installation.api.register(transaction: [
            "transactionId": .string(id), "originalTransactionId": .string(id),
            "bundleId": .string(RefundsInstallation.app), "environment": "Production", "productId": "coins",
            "type": .string(type), "quantity": 1, "inAppOwnershipType": "PURCHASED",
            "purchaseDate": .integer(installation.clock.now - 86_400_000),
            "signedDate": .integer(installation.clock.now), "appTransactionId": .string("70\(id)"),
        ])
    }

    @Test func `a request with one transaction that Apple confirms is answered, another records the reason`()
        async throws
    {
        let installation = try await RefundsInstallation()
        register("1", type: "Consumable", in: installation)
        register("3", type: "Consumable", in: installation)
        register("4", type: "Non-Consumable", in: installation)
        try await installation.kafka.write([
            installation.record(.consumptionRequest, "1", legacy: body(of: "1", ["1"])),
            // Apple has no such transaction.
            installation.record(.consumptionRequest, "2", legacy: body(of: "2", ["2"])),
            // The body does not indicate which of the two transactions is meant.
            installation.record(.consumptionRequest, "3", legacy: body(of: "3", ["3", "31"])),
            installation.record(.consumptionRequest, "4", legacy: body(of: "4", ["4"])),
        ])
        let refunds = try await RunningRefunds(installation, try installation.configuration())
        // Requests for every product type are answered.
        try await installation.wait(for: "accepted", of: ["1", "4"])
        try await installation.wait(for: "withheld", of: ["3"])
        try await installation.wait(forObstacle: "api_not_found", of: "2")
        #expect(installation.accepted["1"]?.count == 1)
        #expect(Set(installation.api.answers.map(\.transactionId.rawValue)) == ["1", "4"])
        #expect(try await installation.newest("ends", of: "3")?["reason"] == "ambiguous")
        #expect(try await installation.caseOf("1")["transaction"]?.object?["trust"] == nil)
        await refunds.stop()
        await installation.stop()
    }

    @Test func `a request that waits during an API outage is answered after Apple's confirmation`() async throws {
        let installation = try await RefundsInstallation()
        register("1", type: "Consumable", in: installation)
        installation.api.faults = .always(.internalError)
        try await installation.kafka.write([
            installation.record(.consumptionRequest, "1", legacy: body(of: "1", ["1"]))
        ])
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(), step: { $0 < 6 ? .seconds(30) : .zero })
        try await waitUntil(within: .seconds(25)) {
            installation.api.requests(of: .getTransactionInfo) > 1
        }
        #expect(installation.api.answers.isEmpty)
        installation.api.faults = .none
        try await installation.wait(for: "accepted", of: ["1"])
        #expect(installation.accepted["1"]?.count == 1)
        await refunds.stop()
        await installation.stop()
    }
}
