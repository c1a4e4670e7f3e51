import AppStoreModel
import HTTPServer
import Synchronization
import TestSupport
import Testing

@testable import AppStoreServerAPI

/// The content and destination of requests, and inputs that are never sent.
@Suite(.timeLimit(.minutes(5)))
struct RequestTests {
    @Test(
        arguments: [
            "", ".", "..", "../x", "1/2", "1%2F2", "1?x", "1#x", "1 2", "1\r\nX: y", "é", "\u{0}",
            String(repeating: "1", count: 257),
        ])
    func `an identifier that would change the path is rejected before sending`(id: String) async throws {
        let store = try FakeAppStore("{}")
        let harness = try APIHarness(store)
        let failure = try await harness.failure(of: APIRequest(.getTransactionInfo, id))
        #expect(failure.kind == .invalidRequest && !failure.isRetriable && failure.status == nil)
        #expect(store.asked.isEmpty)
    }

    @Test func `the path contains exactly the identifiers of the request`() throws {
        for arguments in [[], ["1", "2"]] {
            var request = APIRequest(.getTransactionInfo)
            request.arguments = arguments
            #expect(throws: APIError.self) { try request.target() }
        }
        #expect(
            try APIRequest(.getStatusOfRenewalDateExtensions, "com.example.a_b-c", "U").target()
                == "/inApps/v1/subscriptions/extend/mass/com.example.a_b-c/U")
    }

    @Test func `query values are percent-encoded`() throws {
        let request = APIRequest(
            .getRefundHistory, "1", query: [(name: "revision", value: "a b&c=d/é?#%+"), (name: "revision", value: "~")])
        #expect(
            try request.target()
                == "/inApps/v2/refund/lookup/1?revision=a%20b%26c%3Dd%2F%C3%A9%3F%23%25%2B&revision=~")
    }

    @Test func `each environment has its own base URL, and unknown environments have none`() async throws {
        let (production, sandbox) = (try FakeAppStore(), try FakeAppStore())
        let harness = try APIHarness(production, sandbox: sandbox)
        _ = try await harness.client.send(APIRequest(.finishTransaction, "1"), to: APIHarness.production)
        _ = try await harness.client.send(APIRequest(.finishTransaction, "2"), to: APIHarness.sandbox)
        #expect(production.asked.map(\.path) == ["/inApps/v1/transactions/1/finish"])
        #expect(sandbox.asked.map(\.path) == ["/inApps/v1/transactions/2/finish"])
        for environment in [AppStoreEnvironment.xcode, .localTesting, AppStoreEnvironment("production")] {
            let failure = try await harness.failure(to: APIScope(APIHarness.app, in: environment))
            #expect(failure.kind == .invalidRequest)
        }
    }

    @Test func `every operation has the method and path documented by Apple`() throws {
        let expected: [APIOperation: String] = [
            .getTransactionInfo: "GET /inApps/v1/transactions/1",
            .getAllSubscriptionStatuses: "GET /inApps/v1/subscriptions/1",
            .getTransactionHistory: "GET /inApps/v2/history/1",
            .getRefundHistory: "GET /inApps/v2/refund/lookup/1",
            .getNotificationHistory: "POST /inApps/v1/notifications/history",
            .requestTestNotification: "POST /inApps/v1/notifications/test",
            .getTestNotificationStatus: "GET /inApps/v1/notifications/test/1",
            .sendConsumptionInformation: "PUT /inApps/v2/transactions/consumption/1",
            .sendConsumptionInformationV1: "PUT /inApps/v1/transactions/consumption/1",
            .lookUpOrderId: "GET /inApps/v1/lookup/1",
            .extendSubscriptionRenewalDate: "PUT /inApps/v1/subscriptions/extend/1",
            .extendRenewalDatesForAllActiveSubscribers: "POST /inApps/v1/subscriptions/extend/mass",
            .getStatusOfRenewalDateExtensions: "GET /inApps/v1/subscriptions/extend/mass/1/2",
            .setAppAccountToken: "PUT /inApps/v1/transactions/1/appAccountToken",
            .getAppTransactionInfo: "GET /inApps/v1/transactions/appTransactions/1",
            .finishTransaction: "POST /inApps/v1/transactions/1/finish",
        ]
        #expect(expected.count == APIOperation.allCases.count)
        for operation in APIOperation.allCases {
            var request = APIRequest(operation)
            request.arguments = Array(["1", "2"].prefix(operation.path.filter { $0 == "*" }.count))
            #expect("\(operation.method) \(try request.target())" == expected[operation])
        }
    }

    // MARK: Limits

    @Test func `5000 responses to refund requests never exceed 50 in any second`() async throws {
        let time = VirtualTime()
        let moments = Mutex<[UInt64]>([])
        let store = try FakeAppStore { _, _ in
            moments.withLock { $0.append(time.now) }
            return HTTPResponse(status: 202, reason: "test")
        }
        let harness = try APIHarness(store, time: time)
        let body = Array(#"{"customerConsented":true}"#.utf8)
        for number in 0..<5000 {
            try await harness.client.sendConsumption(
                body, form: number % 2 == 0 ? .v2 : .v1, for: TransactionId(String(number)), of: APIHarness.app,
                in: .production)
        }
        let all = moments.withLock { $0 }
        #expect(all.count == 5000)
        for (index, moment) in all.enumerated().dropFirst(50) {
            // The request fifty positions earlier was sent at least a second earlier.
            guard moment - all[index - 50] >= 1_000_000_000 else {
                Issue.record("51 requests within a second, up to number \(index)")
                return
            }
        }
    }

    // MARK: 401

    @Test func `a rejected token is replaced once, and the request is sent again`() async throws {
        let store = try FakeAppStore { _, number in
            HTTPResponse(status: number == 1 ? 401 : 200, reason: "test")
        }
        let harness = try APIHarness(store)
        let body = Array(#"{"customerConsented":true}"#.utf8)
        try await harness.client.sendConsumption(
            body, form: .v2, for: TransactionId("1"), of: APIHarness.app, in: .production)
        #expect(store.asked.count == 2)
        #expect(store.asked.map(\.body) == [body, body])
        #expect(Set(store.asked.map(\.token)).count == 2)
    }

    @Test func `after the second 401, the causes are listed and reported to the operator`() async throws {
        let store = try FakeAppStore(status: 401)
        let harness = try APIHarness(store)
        let failure = try await harness.failure()
        #expect(store.asked.count == 2)
        #expect(failure.kind == .unauthorized && failure.status == 401 && !failure.isRetriable)
        for cause in ["key id", "issuer id", "revoked", "bundle id"] {
            #expect(failure.description.contains(cause), "\(cause)")
        }
        #expect(harness.reported.filter { $0 == .unauthorized(APIHarness.production) }.count == 1)
    }

    /// The `Date` of the responses is the current time, but the clients' clock is in 2027.
    @Test func `a wrong clock is listed first among the causes of a 401`() async throws {
        let harness = try APIHarness(try FakeAppStore(status: 401))
        let failure = try await harness.failure()
        #expect(failure.serverDate != nil)
        #expect(failure.fix?.hasPrefix("one of: this machine's clock differs from Apple's by") == true)
    }

    @Test func `without a key, no request is sent`() async throws {
        let store = try FakeAppStore()
        let harness = try APIHarness(store)
        let failure = try await harness.failure(to: APIScope(BundleId("com.example.other"), in: .production))
        #expect(failure.kind == .noKey)
        #expect(store.asked.isEmpty)
    }

    @Test func `a cancelled request fails as cancelled`() async throws {
        let store = try FakeAppStore { _, _ in nil }
        let harness = try APIHarness(store)
        let request = Task { try await harness.failure() }
        try await waitUntil { !store.asked.isEmpty }
        request.cancel()
        #expect(try await request.value.kind == .cancelled)
    }
}
