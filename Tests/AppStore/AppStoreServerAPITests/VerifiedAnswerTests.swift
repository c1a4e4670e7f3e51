import AppStoreModel
import AppStoreServerAPI
import AppStoreTestSupport
import AppStoreVerification
import HTTPServer
import JSON
import TestSupport
import Testing

/// Signed objects in responses are verified and must belong to the requested app and environment.
@Suite(.timeLimit(.minutes(5)))
struct VerifiedAnswerTests {
    private let kit: SigningKit

    init() throws { kit = try SigningKit.shared() }

    private func transaction(
        _ id: String = "2000", bundleId: String = SigningKit.bundleId, environment: String = "Production"
    ) -> JSONObject {
        [
            "transactionId": .string(id), "originalTransactionId": "1000", "bundleId": .string(bundleId),
            "environment": .string(environment), "signedDate": .integer(SigningKit.now - 1000),
        ]
    }

    private func signed(_ object: JSONObject) throws -> String { try kit.signBytes(JSONValue.object(object).json) }

    private func answering(_ object: JSONObject) throws -> APIHarness {
        try APIHarness(try FakeAppStore(String(decoding: JSONValue.object(object).json, as: UTF8.self)))
    }

    @Test func `a transaction is returned as signed`() async throws {
        let object = transaction()
        let harness = try answering(["signedTransactionInfo": .string(try signed(object))])
        let verified = try await harness.client.getTransactionInfo(TransactionId("2000"), APIHarness.production)
        #expect(verified.transaction == JSONValue.object(object).json)
        #expect(verified.environment == .production)
    }

    @Test(arguments: ["another app", "another environment", "not configured", "forged", "another authority", "no JWS"])
    func `a transaction that was not requested is rejected and reported`(kind: String) async throws {
        let jws: String
        switch kind {
        case "another app": jws = try signed(transaction(bundleId: "com.example.other"))
        case "another environment": jws = try signed(transaction(environment: "Sandbox"))
        case "not configured": jws = try signed(transaction(bundleId: "com.example.none"))
        case "forged": jws = String(try signed(transaction()).dropLast(4)) + "AAAA"
        case "another authority":
            jws = try SigningKit.imposter().signBytes(JSONValue.object(transaction()).json)
        default: jws = "signed_transaction_info_value"
        }
        let harness = try answering(["signedTransactionInfo": .string(jws)])
        do throws(APIError) {
            _ = try await harness.client.getTransactionInfo(TransactionId("2000"), APIHarness.production)
            Issue.record("\(kind) was accepted")
        } catch {
            #expect(error.kind == .unverified && !error.isRetriable)
        }
        let refusals = harness.reported.filter { if case .refusedObject = $0 { true } else { false } }
        #expect(refusals.count == 1)
    }

    @Test func `each object in a list is verified independently`() async throws {
        let harness = try answering([
            "hasMore": false, "revision": "r",
            "signedTransactions": [
                .string(try signed(transaction("1"))), .string(try signed(transaction("2", environment: "Sandbox"))),
                "x", .string(try signed(transaction("4"))),
            ],
        ])
        var pages = harness.client.getRefundHistory(of: AnyTransactionId("1"), APIHarness.production)
        let page = try #require(try await pages.next())
        let ids = try page.transactions.map { try JSONValue(json: $0.transaction).object?["transactionId"]?.string }
        #expect(ids == ["1", "4"])
        #expect(page.refused.map(\.reason) == ["audience", "jws_form"])
        #expect(try await pages.next() == nil)
        #expect(pages.cursor == "r")
    }

    @Test func `a subscription's transaction and renewal info are paired`() async throws {
        func renewalInfo(_ original: String) throws -> JSONValue {
            .string(
                try signed([
                    "originalTransactionId": .string(original), "environment": "Production", "autoRenewStatus": 1,
                    "signedDate": .integer(SigningKit.now - 1000),
                ]))
        }
        let refused: JSONObject = [
            "status": 2, "originalTransactionId": "1000", "signedTransactionInfo": .string(try signed(transaction())),
            "signedRenewalInfo": try renewalInfo("1001"),
        ]
        let harness = try answering([
            "environment": "Production", "bundleId": .string(SigningKit.bundleId),
            "data": [
                [
                    "subscriptionGroupIdentifier": "g",
                    "lastTransactions": [
                        [
                            "status": 1, "originalTransactionId": "1000",
                            "signedTransactionInfo": .string(try signed(transaction())),
                            "signedRenewalInfo": try renewalInfo("1000"),
                        ],
                        .object(refused),
                    ],
                ]
            ],
        ])
        let statuses = try await harness.client.getAllSubscriptionStatuses(
            AnyTransactionId("1000"), statuses: [.active, .expired], APIHarness.production)
        #expect(statuses.groups.map { $0.subscriptions.map(\.status) } == [[.active]])
        #expect(statuses.groups.first?.subscriptions.first?.latest.renewalInfo != nil)
        #expect(statuses.refused.map(\.reason) == ["profile_nested"])
        // The renewal info is the reason, so it is kept too.
        #expect(statuses.refusedItems.map(\.bytes) == [JSONValue.object(refused).json])
    }

    @Test func `an app transaction is verified`() async throws {
        func object(_ bundleId: String, _ environment: String) -> JSONObject {
            [
                "receiptType": .string(environment), "bundleId": .string(bundleId),
                "appAppleId": .integer(SigningKit.appAppleId), "appTransactionId": "704000000000000001",
            ]
        }
        let good = object(SigningKit.bundleId, "Production")
        let harness = try answering(["signedAppTransactionInfo": .string(try signed(good))])
        let verified = try await harness.client.getAppTransactionInfo(AnyTransactionId("1"), APIHarness.production)
        #expect(verified.appTransaction == JSONValue.object(good).json)
        for other in [object("com.example.none", "Production"), object(SigningKit.bundleId, "Sandbox"), transaction()] {
            let harness = try answering(["signedAppTransactionInfo": .string(try signed(other))])
            await #expect(throws: APIError.self) {
                try await harness.client.getAppTransactionInfo(AnyTransactionId("1"), APIHarness.production)
            }
        }
    }

    @Test func `an order of another app is a valid response without transactions`() async throws {
        let found = try answering(["status": 0, "signedTransactions": [.string(try signed(transaction()))]])
        let order = try await found.client.lookUpOrderId(OrderId("MK4TT4X3J"), APIHarness.production)
        #expect(order.status == .valid && order.transactions.count == 1)
        let other = try answering(["status": 1])
        let none = try await other.client.lookUpOrderId(OrderId("MK4TT4X3J"), APIHarness.production)
        #expect(none.status == .invalid && none.transactions.isEmpty)
    }

    // MARK: Notifications

    @Test func `notifications from the history get the same verdict as at the ingress`() async throws {
        let nonconforming = try kit.jws(.with { $0.outer["version"] = "\"1.0\"" })
        let harness = try answering([
            "hasMore": false, "paginationToken": "t",
            "notificationHistory": .array(
                try [
                    kit.jws(), nonconforming, kit.jws(.sandbox), kit.jws(.with { $0.identity["bundleId"] = "\"x\"" }),
                    "a.b.c",
                ].map { ["signedPayload": .string($0), "sendAttempts": [["sendAttemptResult": "NEW"]]] }),
        ])
        var pages = harness.client.getNotificationHistory(
            NotificationHistoryQuery(from: .earliest, to: .latest), APIHarness.production)
        let page = try #require(try await pages.next())
        #expect(page.items.map { Self.name(of: $0.verdict) } == ["accepted", "nonconforming"])
        #expect(page.items.last.map { String(decoding: $0.signedPayload, as: UTF8.self) } == nonconforming)
        #expect(page.refused.count == 3)
        #expect(page.items.first?.sendAttempts.first?.result?.isKnown == false)
    }

    @Test func `the status of a test notification includes its payload and its send attempts`() async throws {
        let jws = try kit.jws(.test)
        let harness = try answering([
            "signedPayload": .string(jws),
            "sendAttempts": [["attemptDate": 1_698_148_900_000, "sendAttemptResult": "SUCCESS"]],
        ])
        let status = try await harness.client.getTestNotificationStatus(
            TestNotificationToken("ce3af791-365e-4c60-841b-1674b43c1609_1"), APIHarness.production)
        #expect(Self.name(of: status.verdict) == "accepted")
        #expect(status.sendAttempts.map(\.result) == [.success])
    }

    private static func name(of verdict: Verdict) -> String {
        switch verdict {
        case .accepted: "accepted"
        case .nonconforming: "nonconforming"
        default: "refused"
        }
    }

    // MARK: Pages

    private func pages(_ cursors: [(revision: String?, hasMore: Bool)]) throws -> (FakeAppStore, APIHarness) {
        let store = try FakeAppStore { _, number in
            let (revision, hasMore) = cursors[min(number, cursors.count) - 1]
            let object: JSONObject = [
                "hasMore": .bool(hasMore), "revision": revision.map { .string($0) } ?? .null, "signedTransactions": [],
            ]
            return HTTPResponse(status: 200, reason: "test", body: JSONValue.object(object).json)
        }
        return (store, try APIHarness(store))
    }

    @Test func `every page is requested with the same query and the revision of the previous page`() async throws {
        let (store, harness) = try pages([("a", true), ("b", true), ("c", false)])
        var query = TransactionHistoryQuery()
        query.productIds = [ProductId("p1"), ProductId("p2")]
        query.revoked = true
        var pages = harness.client.getTransactionHistory(
            of: AnyTransactionId("1"), matching: query, APIHarness.production)
        var count = 0
        while try await pages.next() != nil { count += 1 }
        #expect(count == 3)
        #expect(store.asked.map { $0.values(of: "revision") } == [[], ["a"], ["b"]])
        #expect(
            store.asked.allSatisfy {
                $0.values(of: "productId") == ["p1", "p2"] && $0.values(of: "revoked") == ["true"]
            })
        #expect(pages.cursor == "c")
    }

    @Test(
        arguments: [
            [("a", true), ("a", true)], [("a", true), ("b", true), ("a", true)], [(nil, true)], [("", true)],
            [(String(repeating: "r", count: 4097), true)],
        ] as [[(String?, Bool)]])
    func `repeating an earlier revision with more pages ends the iteration with an error`(
        cursors: [(String?, Bool)]
    ) async throws {
        let (store, harness) = try pages(cursors.map { (revision: $0.0, hasMore: $0.1) })
        var pages = harness.client.getTransactionHistory(of: AnyTransactionId("1"), APIHarness.production)
        var count = 0
        var failure: APIError?
        do throws(APIError) {
            while try await pages.next() != nil { count += 1 }
        } catch {
            failure = error
        }
        #expect(count == cursors.count)
        #expect(store.asked.count == cursors.count)
        #expect(failure?.kind == .unreadable)
        #expect(harness.reported.contains(.repeatedPage(.getTransactionHistory, APIHarness.production)))
        #expect(try await pages.next() == nil)
    }

    @Test func `after a failure, the same page is requested again`() async throws {
        let store = try FakeAppStore { _, number in
            number == 2
                ? HTTPResponse(status: 500, reason: "test")
                : HTTPResponse(
                    status: 200, reason: "test",
                    body: Array(#"{"hasMore":\#(number == 1),"revision":"r\#(number)","signedTransactions":[]}"#.utf8))
        }
        let harness = try APIHarness(store)
        var pages = harness.client.getTransactionHistory(of: AnyTransactionId("1"), APIHarness.production)
        _ = try await pages.next()
        await #expect(throws: APIError.self) { _ = try await pages.next() }
        #expect(try await pages.next() != nil)
        #expect(try await pages.next() == nil)
        #expect(store.asked.map { $0.values(of: "revision") } == [[], ["r1"], ["r1"]])
    }
}
