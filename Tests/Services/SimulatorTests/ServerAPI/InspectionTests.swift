import AppStoreModel
import JSON
import Testing

@testable import Simulator

@Suite(.timeLimit(.minutes(5))) struct `Simulator inspection` {
    private func lines(_ harness: APIHarness, _ path: String) async throws -> [JSONObject] {
        let answer = try await harness.send("GET", path, bytes: nil, token: .some(nil))
        #expect(answer.status == 200)
        return try answer.body.split(separator: UInt8(ascii: "\n")).map {
            try #require(try JSONValue(json: Array($0)).object)
        }
    }

    @Test func `consumption answers are shown one per line, without a token`() async throws {
        try await APIHarness.open { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            _ = try await harness.send("PUT", "/inApps/v2/transactions/consumption/1000", decline)
            _ = try await harness.send("PUT", "/inApps/v2/transactions/consumption/42", decline)
            let lines = try await lines(harness, "/simulator/consumption")
            #expect(
                lines == [
                    [
                        "environment": "Production", "transactionId": "1000", "version": 2, "put": 1,
                        "receivedAt": .integer(harness.time.now), "accepted": true, "status": 202,
                        "body": .string(decline.text),
                    ],
                    [
                        "environment": "Production", "transactionId": "42", "version": 2, "put": 1,
                        "receivedAt": .integer(harness.time.now), "accepted": false, "status": 404,
                        "errorCode": 4_040_010, "body": .string(decline.text),
                    ],
                ])
        }
    }

    @Test func `every body about a transaction is shown in the order of arrival, with its time`() async throws {
        try await APIHarness.open {
            $0.acceptsUnknownTransactions = true
            $0.followUp.decisionDelay = .days(30)
        } _: { harness in
            let path = "/inApps/v2/transactions/consumption/440008000000100"
            let bodies = ["DECLINE", "GRANT_FULL", "DECLINE"].map { decline.with("refundPreference", .string($0)) }
            for body in bodies {
                #expect(try await harness.send("PUT", path, body).status == 202)
                harness.time.advance(by: .seconds(1))
            }
            let lines = try await lines(harness, "/simulator/consumption")
            #expect(lines.map { $0["body"]?.string } == bodies.map(\.text))
            #expect(lines.map { $0["put"]?.integer } == [1, 2, 3])
            #expect(
                lines.map { $0["receivedAt"]?.integer }
                    == [0, 1000, 2000].map { TestTime.start + $0 })
        }
    }

    @Test func `requests, refund requests and transactions are shown`() async throws {
        try await APIHarness.open { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            harness.api.requestRefund(of: TransactionId("1000"), reason: .legal)
            _ = try await harness.send("GET", "/inApps/v1/transactions/1000")
            #expect(
                try await lines(harness, "/simulator/requests") == [
                    [
                        "environment": "Production", "operation": "getTransactionInfo", "requests": 1, "refused": 0,
                        "busiestSecond": 1,
                    ]
                ])
            let open: JSONObject = [
                "environment": "Production", "transactionId": "1000", "consumptionRequestReason": "LEGAL",
                "requests": 1, "answered": false,
            ]
            #expect(try await lines(harness, "/simulator/refunds") == [open])
            harness.time.advance(by: .days(1))
            let decided = open.with("requests", 3).with("decision", "REFUND").with("revocationPercentage", 100_000)
            #expect(try await lines(harness, "/simulator/refunds") == [decided])
            let transactions = try await lines(harness, "/simulator/transactions")
            #expect(transactions.count == 10)
            #expect(transactions.first?["orderId"] == "M1000")
            #expect(try await harness.send("GET", "/simulator/secrets").status == 404)
        }
    }
}
