import AppStoreModel
import JSON
import Primitives
import TestSupport
import Testing

@testable import Simulator

@Suite(.timeLimit(.minutes(5))) struct `API endpoints` {
    private func open(_ body: (APIHarness) async throws -> Void) async throws {
        try await APIHarness.open { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            try await body(harness)
        }
    }

    @Test func `a manually registered transaction is signed unchanged`() async throws {
        try await open { harness in
            let strange: JSONObject = [
                "transactionId": "77", "bundleId": "com.example.other", "price": "free", "signedDate": 5,
            ]
            harness.api.register(transaction: strange)
            let answer = try await harness.send("GET", "/inApps/v1/transactions/77")
            #expect(answer.status == 200 && answer.json?.names == ["signedTransactionInfo"])
            #expect(try payload(answer.json?["signedTransactionInfo"]) == strange)
            #expect(try await harness.send("GET", "/inApps/v1/transactions/77", in: .sandbox).errorCode == 4_040_010)
        }
    }

    @Test func `statuses list every subscription of the customer by group`() async throws {
        try await open { harness in
            // Any transaction id of the customer is accepted.
            for id in ["1000", "2001", "7000"] {
                let body = try #require(try await harness.send("GET", "/inApps/v1/subscriptions/\(id)").json)
                #expect(body.names == ["appAppleId", "bundleId", "environment", "data"])
                let group = try #require(body["data"]?.array?.first?.object)
                #expect(group["subscriptionGroupIdentifier"]?.string == "21345678")
                let subscriptions = try #require(group["lastTransactions"]?.array).compactMap(\.object)
                #expect(
                    Set(subscriptions.compactMap { $0["originalTransactionId"]?.string }) == [
                        "2000", "2100", "2200", "3000", "5000",
                    ])
                let renewed = try #require(subscriptions.first { $0["originalTransactionId"] == "2000" })
                #expect(renewed["status"] == 1)
                #expect(try payload(renewed["signedTransactionInfo"])["transactionId"] == "2001")
                #expect(try payload(renewed["signedRenewalInfo"])["originalTransactionId"] == "2000")
            }
            let lapsed = try await harness.send("GET", "/inApps/v1/subscriptions/2000?status=2&status=5").json
            let group = lapsed?["data"]?.array?.first?.object
            #expect(
                group?["lastTransactions"]?.array?.compactMap { $0.object?["originalTransactionId"]?.string } == [
                    "2100"
                ])
        }
    }

    @Test func `a history is paged, and continues from its last revision`() async throws {
        try await APIHarness.open { harness in
            for number in 1...45 {
                harness.api.register(transaction: Self.consumable(number, of: "7000"))
            }
            harness.api.register(transaction: Self.consumable(46, of: "7001"))
            var ids: [String] = []
            var revision: String?
            for expected in [20, 20, 5] {
                let query = revision.map { "?revision=\($0)" } ?? ""
                let page = try #require(try await harness.send("GET", "/inApps/v2/history/7000\(query)").json)
                let signed = try #require(page["signedTransactions"]?.array)
                #expect(signed.count == expected && page["hasMore"]?.bool == (expected == 20))
                ids += try signed.map { try #require(try payload($0)["transactionId"]?.string) }
                revision = page["revision"]?.string
            }
            #expect(ids == (1...45).map(String.init))
            // A later request with this revision returns the changes since then.
            let last = try #require(revision)
            harness.api.register(transaction: Self.consumable(3, of: "7000").with("quantity", 9))
            let news = try #require(try await harness.send("GET", "/inApps/v2/history/7000?revision=\(last)").json)
            #expect(try news["signedTransactions"]?.array?.map { try payload($0)["transactionId"] } == ["3"])
            let other = try await harness.send("GET", "/inApps/v2/history/7000?sort=DESCENDING&revision=\(last)")
            #expect(other.errorCode == 4_000_005)
        }
    }

    private static func consumable(_ number: Int, of customer: String) -> JSONObject {
        [
            "transactionId": .string(String(number)), "originalTransactionId": .string(String(number)),
            "type": "Consumable", "productId": .string(number % 2 == 0 ? "even" : "odd"),
            "purchaseDate": .integer(Int64(number)), "inAppOwnershipType": "PURCHASED",
            "appTransactionId": .string(customer),
        ]
    }

    @Test(arguments: [
        ("startDate=3&endDate=5", ["3", "4"]), ("sort=DESCENDING", ["6", "5", "4", "3", "2", "1"]),
        ("productId=even", ["2", "4", "6"]), ("productId=even&productId=odd&endDate=3", ["1", "2"]),
        ("productType=CONSUMABLE&startDate=6", ["6"]), ("productType=AUTO_RENEWABLE", []),
        ("inAppOwnershipType=FAMILY_SHARED", []), ("revoked=true", ["6"]), ("revoked=false&startDate=5", ["5"]),
        ("excludeRevoked=true&startDate=5", ["5"]), ("subscriptionGroupIdentifier=1", []),
    ])
    func `a history is filtered by its query`(query: String, expected: [String]) async throws {
        try await APIHarness.open { harness in
            for number in 1...6 {
                let transaction = Self.consumable(number, of: "7000")
                harness.api.register(transaction: number == 6 ? transaction.with("revocationDate", 9) : transaction)
            }
            let body = try #require(try await harness.send("GET", "/inApps/v2/history/7000?\(query)").json)
            #expect(
                try body["signedTransactions"]?.array?.compactMap { try payload($0)["transactionId"]?.string }
                    == expected)
        }
    }

    @Test func `refunds are ordered by date`() async throws {
        try await APIHarness.open { harness in
            for (number, date) in [(1, 30), (2, 10), (3, 20)] as [(Int, Int64)] {
                harness.api.register(
                    transaction: Self.consumable(number, of: "7000").with("revocationDate", .integer(date)))
            }
            harness.api.register(transaction: Self.consumable(4, of: "7000"))
            let body = try #require(try await harness.send("GET", "/inApps/v2/refund/lookup/4").json)
            #expect(body.names == ["signedTransactions", "revision", "hasMore"])
            #expect(
                try body["signedTransactions"]?.array?.compactMap { try payload($0)["transactionId"]?.string } == [
                    "2", "3", "1",
                ])
        }
    }

    @Test func `an order is found by its id, and an unknown order is not an error`() async throws {
        try await open { harness in
            let known = try await harness.send("GET", "/inApps/v1/lookup/M1000")
            #expect(known.json?["status"] == 0)
            #expect(try payload(known.json?["signedTransactions"]?.array?.first)["transactionId"] == "1000")
            let unknown = try await harness.send("GET", "/inApps/v1/lookup/MK5TTTVQ1")
            #expect(unknown.status == 200 && unknown.json == ["status": 1, "signedTransactions": []])
        }
    }

    @Test func `an account token is set for the whole purchase`() async throws {
        try await open { harness in
            let token: JSONObject = ["appAccountToken": "7389a31a-fb6d-4569-a2a6-db7d85d84813"]
            let answer = try await harness.send("PUT", "/inApps/v1/transactions/2000/appAccountToken", token)
            #expect(answer.status == 200 && answer.body.isEmpty)
            let renewed = try await harness.send("GET", "/inApps/v1/transactions/2001")
            #expect(try payload(renewed.json?["signedTransactionInfo"])["appAccountToken"] == token["appAccountToken"])
        }
    }

    @Test func `the app transaction belongs to the customer`() async throws {
        try await open { harness in
            let answer = try await harness.send("GET", "/inApps/v1/transactions/appTransactions/2001")
            let transaction = try payload(answer.json?["signedAppTransactionInfo"])
            #expect(transaction["appTransactionId"] == "7000" && transaction["bundleId"] == "com.example.app")
        }
    }

    @Test func `the response to finishing a transaction has no body`() async throws {
        try await open { harness in
            let answer = try await harness.send("POST", "/inApps/v1/transactions/1000/finish")
            #expect(answer.status == 200 && answer.body.isEmpty)
        }
    }

    // MARK: Extensions

    private let extend: JSONObject = ["extendByDays": 10, "extendReasonCode": 1, "requestIdentifier": "r1"]

    @Test func `an extension moves the date and posts a notification`() async throws {
        let posted = PostedNotifications()
        try await APIHarness.open {
            $0.post = { posted.post($0, $1) }
        } _: { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            let answer = try await harness.send("PUT", "/inApps/v1/subscriptions/extend/2000", extend)
            let date = harness.time.now + Duration.days(20).milliseconds
            #expect(
                answer.json == [
                    "originalTransactionId": "2000", "webOrderLineItemId": "92000", "success": true,
                    "effectiveDate": .integer(date),
                ])
            #expect(try posted.types == ["RENEWAL_EXTENDED"])
            let data = try #require(try posted.payloads.first?["data"]?.object)
            #expect(try payload(data["signedTransactionInfo"])["expiresDate"]?.integer == date)
            #expect(try payload(data["signedRenewalInfo"])["renewalDate"]?.integer == date)
        }
    }

    @Test func `an extension for all subscribers is counted, and its summary is posted`() async throws {
        let posted = PostedNotifications()
        try await APIHarness.open {
            $0.post = { posted.post($0, $1) }
        } _: { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            let request = extend.with("productId", .string(KnownPurchases.product)).with(
                "storefrontCountryCodes", ["USA"])
            let answer = try await harness.send("POST", "/inApps/v1/subscriptions/extend/mass", request)
            #expect(answer.json == ["requestIdentifier": "r1"])
            let status = try await harness.send(
                "GET", "/inApps/v1/subscriptions/extend/mass/\(KnownPurchases.product)/r1")
            // The free trial and the family member cannot be extended, and the lapsed subscription is not active.
            #expect(
                status.json == [
                    "requestIdentifier": "r1", "complete": true, "completeDate": .integer(harness.time.now),
                    "succeededCount": 2, "failedCount": 2,
                ])
            let summary = try #require(try posted.payloads.first)
            #expect(summary["subtype"] == "SUMMARY" && summary["summary"]?.object?["succeededCount"] == 2)
        }
    }

    // MARK: Notifications

    @Test func `a test notification is posted, and its attempts can be read`() async throws {
        let posted = PostedNotifications { $0 == 1 ? .status(500) : .status(200) }
        try await APIHarness.open {
            $0.post = { posted.post($0, $1) }
        } _: { harness in
            let answer = try await harness.send("POST", "/inApps/v1/notifications/test")
            let token = try #require(answer.json?["testNotificationToken"]?.string)
            #expect(try posted.types == ["TEST"])
            harness.time.advance(by: .hours(1))
            let status = try #require(try await harness.send("GET", "/inApps/v1/notifications/test/\(token)").json)
            #expect(try payload(status["signedPayload"])["notificationType"] == "TEST")
            #expect(
                status["sendAttempts"]?.array?.compactMap { $0.object?["sendAttemptResult"]?.string } == [
                    "UNSUCCESSFUL_HTTP_RESPONSE_CODE", "SUCCESS",
                ])
        }
    }

    @Test func `the notification history lists each notification with its attempts, and can be filtered`() async throws
    {
        try await APIHarness.open { harness in
            let series = try makeSeries([try #require(Scenario.named("subscription-cancelled"))])
            let sent = series.notifications(of: 0)
            for (index, notification) in sent.enumerated() {
                harness.api.register(notification)
                if index == 1 { harness.api.record(.failed("timedOut"), of: notification.notificationUUID) }
                harness.api.record(index == 2 ? .status(503) : .status(200), of: notification.notificationUUID)
            }
            let window: JSONObject = [
                "startDate": .integer(harness.time.now - Duration.days(100).milliseconds),
                "endDate": .integer(harness.time.now),
            ]
            func history(_ request: JSONObject) async throws -> [JSONObject] {
                let body = try #require(
                    try await harness.send("POST", "/inApps/v1/notifications/history", request).json)
                #expect(body["hasMore"] == false && body["paginationToken"] == nil)
                return try #require(body["notificationHistory"]?.array).compactMap(\.object)
            }
            let all = try await history(window)
            #expect(
                try all.map { try payload($0["signedPayload"])["notificationUUID"]?.string }
                    == sent.map(\.notificationUUID.rawValue))
            #expect(
                all[1]["sendAttempts"]?.array?.compactMap { $0.object?["sendAttemptResult"]?.string } == [
                    "TIMED_OUT", "SUCCESS",
                ])
            #expect(try await history(window.with("onlyFailures", true)).count == 1)
            #expect(try await history(window.with("notificationType", "SUBSCRIBED")).count == 1)
            let id = try #require(sent[0].transactionId?.rawValue)
            #expect(try await history(window.with("transactionId", .string(id))).count == sent.count)
            #expect(try await history(window.with("transactionId", "42")).isEmpty)
        }
    }

    // MARK: Consumption

    @Test func `a consumption answer is answered 202 without a body, and kept byte for byte`() async throws {
        try await open { harness in
            let body = Array(
                "{ \"customerConsented\" : true,\n\"deliveryStatus\":\"DELIVERED\", \"sampleContentProvided\":false}"
                    .utf8)
            let answer = try await harness.send("PUT", "/inApps/v2/transactions/consumption/1000", bytes: body)
            #expect(answer.status == 202 && answer.body.isEmpty)
            harness.time.advance(by: .seconds(5))
            _ = try await harness.send("PUT", "/inApps/v1/transactions/consumption/5000", declineV1)
            let kept = harness.api.answers
            #expect(kept.map(\.transactionId.rawValue) == ["1000", "5000"] && kept.map(\.version) == [2, 1])
            #expect(kept.map(\.body) == [body, declineV1.bytes] && kept.allSatisfy { $0.isAccepted && $0.number == 1 })
            #expect(kept[1].receivedAt - kept[0].receivedAt == 5000)
        }
    }

    @Test func `with unknown transactions accepted, any id is valid and the member rules still apply`() async throws {
        try await APIHarness.open {
            $0.acceptsUnknownTransactions = true
        } _: { harness async throws in
            #expect(try await harness.send("PUT", "/inApps/v2/transactions/consumption/case-17", decline).status == 202)
            let refused = decline.with("customerConsented", false)
            #expect(try await harness.send("PUT", "/inApps/v2/transactions/consumption/case-17", refused).status == 400)
            #expect(harness.api.answers.map(\.number) == [1, 2])
            // Other endpoints return no such transaction.
            #expect(try await harness.send("GET", "/inApps/v1/transactions/17").status == 404)
        }
    }

    // MARK: Scenarios

    @Test func `every object of a scenario can be queried`() async throws {
        try await APIHarness.open { harness in
            let series = try makeSeries([try #require(Scenario.named("subscription-life"))])
            let notifications = series.notifications(of: 0)
            for notification in notifications { harness.api.register(notification) }
            let original = try #require(notifications.first?.originalTransactionId?.rawValue)
            let history = try #require(try await harness.send("GET", "/inApps/v2/history/\(original)").json)
            #expect(history["signedTransactions"]?.array?.count == 6)
            let statuses = try #require(try await harness.send("GET", "/inApps/v1/subscriptions/\(original)").json)
            let subscription = statuses["data"]?.array?.first?.object?["lastTransactions"]?.array?.first?.object
            let current = try payload(subscription?["signedTransactionInfo"])
            let last = try #require(notifications.last?.transactionId)
            #expect(current["transactionId"]?.string == last.rawValue)
            // Signed at the time of the request, so it is newer than every notification.
            #expect(current["signedDate"]?.integer == harness.time.now)
        }
    }
}
