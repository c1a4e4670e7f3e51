import AppStoreModel
import AppStoreServerAPI
import AppStoreSigning
import AppStoreVerification
import Cryptography
import HTTPClient
import JSON
import TestSupport
import Testing

@testable import Simulator

/// The services' client against the simulator. Every response is parsed, and its signed objects are verified.
@Suite(.timeLimit(.minutes(5))) struct `API client and simulator` {
    private static let app = productionApp.bundleId
    private static let scope = APIScope(app, in: .production)

    /// Opens a client of a served API, with one subscriber's history and every kind of purchase registered.
    private func open(_ body: (AppStoreServerClient, APIHarness) async throws -> Void) async throws {
        let posted = PostedNotifications()
        try await APIHarness.open {
            $0.post = { posted.post($0, $1) }
        } _: { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            let series = try makeSeries([try #require(Scenario.named("subscription-life"))])
            for notification in series.notifications(of: 0) { harness.api.register(notification) }
            let directory = try TemporaryDirectory()
            let keyFile = try directory.write(try testAPIKey.get().pem(), to: "api.key.p8")
            let http = HTTPClient()
            defer { http.close() }
            let client = AppStoreServerClient(
                AppStoreServerClient.Configuration(
                    credentials: [
                        Self.app: APICredentials(issuerId: "issuer", keyId: "key", keyFile: keyFile)
                    ], productionURL: harness.api.url(of: .production), sandboxURL: harness.api.url(of: .sandbox)),
                http: http,
                verifier: try NotificationVerifier(
                    VerifierConfiguration(
                        roots: [testPKI.get().root.der],
                        apps: [AppIdentity(bundleId: Self.app, appAppleId: productionApp.appAppleId)],
                        revocation: .off)),
                clocks: harness.time.clocks)
            try await body(client, harness)
        }
    }

    @Test func `transactions, statuses and orders are read`() async throws {
        try await open { client, harness in
            let transaction = try await client.getTransactionInfo(TransactionId("1000"), Self.scope)
            #expect(try JSONValue(json: transaction.transaction).object?["transactionId"] == "1000")
            let app = try await client.getAppTransactionInfo(AnyTransactionId("1000"), Self.scope)
            #expect(try JSONValue(json: app.appTransaction).object?["appTransactionId"] == "7000")
            let statuses = try await client.getAllSubscriptionStatuses(AnyTransactionId("2001"), Self.scope)
            #expect(statuses.refused.isEmpty && statuses.groups.flatMap(\.subscriptions).count == 5)
            let order = try await client.lookUpOrderId(OrderId("M1000"), Self.scope)
            #expect(order.transactions.count == 1 && order.refused.isEmpty)
            try await client.finishTransaction(TransactionId("1000"), Self.scope)
            try await client.setAppAccountToken(
                AppAccountToken("7389a31a-fb6d-4569-a2a6-db7d85d84813"), of: OriginalTransactionId("1000"), Self.scope)
        }
    }

    @Test func `histories are read page by page`() async throws {
        try await open { client, harness in
            for number in 100_001...100_045 {
                harness.api.register(
                    transaction: [
                        "transactionId": .string("\(number)"), "originalTransactionId": .string("\(number)"),
                        "bundleId": "com.example.app", "environment": "Production", "productId": "coins",
                        "type": "Consumable", "purchaseDate": .integer(harness.time.now), "quantity": 1,
                        "originalPurchaseDate": .integer(harness.time.now), "inAppOwnershipType": "PURCHASED",
                        "signedDate": .integer(harness.time.now), "appTransactionId": "7009",
                        "revocationDate": .integer(harness.time.now),
                    ])
            }
            var history = client.getTransactionHistory(of: AnyTransactionId("7009"), Self.scope)
            var refunds = client.getRefundHistory(of: AnyTransactionId("7009"), Self.scope)
            var counts: [[Int]] = [[], []]
            while let page = try await history.next() { counts[0].append(page.transactions.count) }
            while let page = try await refunds.next() { counts[1].append(page.transactions.count) }
            #expect(counts == [[20, 20, 5], [20, 20, 5]])

            let day = Duration.days(1).milliseconds
            var notifications = client.getNotificationHistory(
                NotificationHistoryQuery(
                    from: AppStoreInstant(clampingMillisecondsSince1970: harness.time.now - 170 * day),
                    to: AppStoreInstant(clampingMillisecondsSince1970: harness.time.now)), Self.scope)
            var count = 0
            while let page = try await notifications.next() {
                #expect(page.refused.isEmpty)
                count += page.items.count
            }
            #expect(count > 5)
        }
    }

    @Test func `extensions and test notifications are read`() async throws {
        try await open { client, _ in
            let request = RenewalDateExtensionRequest(
                extendByDays: 10, reason: .serviceIssue,
                requestIdentifier: RequestIdentifier("fdf964a4-233b-486c-aac1-97d8d52688ac"))
            let one = try await client.extendSubscriptionRenewalDate(
                of: OriginalTransactionId("2000"), request, Self.scope)
            #expect(one.success == true)
            let product = ProductId(KnownPurchases.product)
            _ = try await client.extendRenewalDatesForAllActiveSubscribers(
                of: product, in: ["USA"], request, Self.scope)
            let status = try await client.getStatusOfRenewalDateExtensions(
                request.requestIdentifier, of: product, Self.scope)
            #expect(status.succeededCount == 2 && status.failedCount == 2)
            let token = try await client.requestTestNotification(Self.scope)
            #expect(try await client.getTestNotificationStatus(token, Self.scope).sendAttempts.count == 1)
        }
    }

    @Test func `consumption is sent, and errors are named`() async throws {
        try await open { client, harness in
            try await client.sendConsumption(
                decline.bytes, form: .v2, for: TransactionId("1000"), of: Self.app, in: .production)
            #expect(harness.api.answers.map(\.isAccepted) == [true])
            let failure = await #expect(throws: APIError.self) {
                try await client.sendConsumption(
                    decline.bytes, form: .v2, for: TransactionId("5000"), of: Self.app, in: .production)
            }
            #expect(failure?.status == 400 && failure?.isRetriable == false)
            harness.api.faults = .always(.rateLimit)
            let limited = await #expect(throws: APIError.self) {
                try await client.sendConsumption(
                    decline.bytes, form: .v2, for: TransactionId("1000"), of: Self.app, in: .production)
            }
            #expect(limited?.isRetriable == true && limited?.retryAt == harness.time.now + 1000)
        }
    }
}
