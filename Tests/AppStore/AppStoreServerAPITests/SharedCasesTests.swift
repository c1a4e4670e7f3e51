import AppStoreModel
import Foundation
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import AppStoreServerAPI

/// The exchanges from the tests of Apple's own libraries: the expected request and the parsed response.
@Suite(.enabled(if: TestVectors.arePresent, Comment(rawValue: TestVectors.absence)))
struct SharedCasesTests {
    private struct Case {
        let id: String
        let operation: String
        let method: String
        let path: String
        let query: JSONObject
        let body: JSONValue?
        let status: Int
        let answer: [UInt8]
        let expect: JSONObject

        init(_ object: JSONObject) throws {
            func member(_ name: String, of object: JSONObject?) throws -> JSONValue {
                guard let value = object?[name] else { throw Unexpected("no \(name)") }
                return value
            }
            let request = try member("request", of: object).object
            let response = try member("response", of: object).object
            id = try member("id", of: object).string ?? ""
            operation = try member("operation", of: object).string ?? ""
            method = try member("method", of: request).string ?? ""
            path = try member("path", of: request).string ?? ""
            query = try member("query", of: request).object ?? [:]
            // `nil` alone would be the JSON value null.
            body = request?["body"].flatMap { $0 == .null ? Optional<JSONValue>.none : $0 }
            status = Int(try member("status", of: response).integer ?? 0)
            answer = try response?["bodyFile"]?.string.map { try TestVectors.bytes("api/" + $0) } ?? []
            expect = try member("expect", of: object).object ?? [:]
        }

        /// Returns the path segment at an index.
        func segment(_ index: Int) -> String {
            let segments = path.split(separator: "/")
            return segments.indices.contains(index) ? String(segments[index]) : ""
        }

        func texts(_ name: String) -> [String] { query[name]?.array?.compactMap(\.string) ?? [] }
    }

    private static let app = BundleId("com.example")
    private static let scope = APIScope(app, in: .sandbox)

    private static func cases() throws -> [Case] {
        let file = try JSONValue(json: try TestVectors.bytes("api/cases.json"))
        return try (file.object?["cases"]?.array ?? []).compactMap(\.object).map { try Case($0) }
    }

    @Test func `there are seventeen cases`() throws {
        #expect(try Self.cases().count == 17)
    }

    @Test(arguments: 0..<17)
    func `requests are formed and responses are parsed as in Apple's libraries`(index: Int) async throws {
        let one = try Self.cases()[index]
        let key = try TestVectors.bytes("certs/testSigningKey.p8")
        let response = HTTPResponse(status: one.status, reason: "test", body: one.answer)
        let store = try FakeAppStore { _, _ in response }
        let harness = try APIHarness(
            store, key: key, bundleId: Self.app, issuerId: "issuerId", keyId: "keyId")

        let failure: APIError?
        do throws(APIError) {
            try await perform(one, harness.client)
            failure = nil
        } catch {
            failure = error
        }

        let asked = try #require(store.asked.first, "\(one.id)")
        #expect(store.asked.count == 1)
        #expect(asked.method == one.method)
        #expect(asked.path == one.path)
        for name in one.query.names { #expect(asked.values(of: name) == one.texts(name), "\(one.id): \(name)") }
        #expect(asked.query.allSatisfy { one.query[$0.name] != nil }, "\(one.id)")
        #expect(asked.body.isEmpty ? one.body == nil : Self.isEqual(try JSONValue(json: asked.body), one.body))
        #expect(asked.accept == "application/json")
        #expect(asked.contentType == (one.body == nil ? nil : "application/json"))
        #expect(asked.userAgent?.hasPrefix("sluice/") == true)
        try checkToken(asked, key)

        if one.expect["success"]?.bool == false {
            let failure = try #require(failure, "\(one.id)")
            #expect(failure.status == one.status)
            #expect(failure.code?.rawValue == one.expect["errorCode"]?.integer)
            #expect(failure.code?.isKnown == one.expect["known"]?.bool)
            if let name = one.expect["name"]?.string { #expect(failure.code?.name == name) }
            #expect(failure.isRetriable == (one.expect["retryable"]?.string?.hasPrefix("no") == false))
        } else {
            #expect(failure == nil, "\(one.id)")
        }
    }

    /// Compares objects regardless of the order of their members.
    private static func isEqual(_ left: JSONValue, _ right: JSONValue?) -> Bool {
        guard let left = left.object, let right = right?.object else { return left == right }
        return left.names.sorted() == right.names.sorted() && left.names.allSatisfy { left[$0] == right[$0] }
    }

    private func checkToken(_ asked: FakeAppStore.Asked, _ key: [UInt8]) throws {
        #expect(asked.authorization.hasPrefix("Bearer "))
        let token = try DecodedToken(asked.token)
        #expect(token.header == ["alg": "ES256", "kid": "keyId", "typ": "JWT"])
        #expect(token.claims["iss"] == "issuerId")
        #expect(token.claims["aud"] == "appstoreconnect-v1")
        #expect(token.claims["bid"] == "com.example")
        let issued = try #require(token.claims["iat"]?.integer)
        #expect(token.claims["exp"]?.integer == issued + 300)
        #expect(try token.isSigned(byKeyIn: key))
    }

    // MARK: Operations

    private func perform(_ one: Case, _ client: AppStoreServerClient) async throws(APIError) {
        switch one.operation {
        case "Get All Subscription Statuses": try await subscriptionStatuses(one, client)
        case "Get Notification History": try await notificationHistory(one, client)
        case "Get Transaction History": try await transactionHistory(one, client)
        case "Get Transaction Info":
            let answer: TransactionInfoAnswer = try await client.answer(
                APIRequest(.getTransactionInfo, one.segment(3)), to: Self.scope)
            #expect(answer.signedTransactionInfo == one.expect["signedTransactionInfo"]?.string)
        case "Get App Transaction Info":
            _ = try await client.getAppTransactionInfo(AnyTransactionId(rawValue: one.segment(4)), Self.scope)
        case "Request a Test Notification":
            let token = try await client.requestTestNotification(Self.scope)
            #expect(token.rawValue == one.expect["testNotificationToken"]?.string)
        case "Set App Account Token":
            let token = AppAccountToken(one.body?.object?["appAccountToken"]?.string ?? "")
            try await client.setAppAccountToken(token, of: OriginalTransactionId(one.segment(3)), Self.scope)
        case "Send Consumption Information", "Send Consumption Information V1":
            try await client.sendConsumption(
                one.body?.json ?? [], form: one.operation.hasSuffix("V1") ? .v1 : .v2,
                for: TransactionId(one.segment(4)), of: Self.app, in: .sandbox)
        default: try await extensions(one, client)
        }
    }

    private func extensions(_ one: Case, _ client: AppStoreServerClient) async throws(APIError) {
        switch one.operation {
        case "Extend Subscription Renewal Dates for All Active Subscribers":
            let body = one.body?.object
            let request = RenewalDateExtensionRequest(
                extendByDays: Int32(truncatingIfNeeded: body?["extendByDays"]?.integer ?? 0),
                reason: .customerSatisfaction,
                requestIdentifier: RequestIdentifier(body?["requestIdentifier"]?.string ?? ""))
            let answer = try await client.extendRenewalDatesForAllActiveSubscribers(
                of: ProductId(body?["productId"]?.string ?? ""),
                in: body?["storefrontCountryCodes"]?.array?.compactMap(\.string), request, Self.scope)
            #expect(answer.requestIdentifier.rawValue == one.expect["requestIdentifier"]?.string)
        case "Get Status of Subscription Renewal Date Extensions":
            let answer = try await client.getStatusOfRenewalDateExtensions(
                RequestIdentifier(one.segment(6)), of: ProductId(one.segment(5)), Self.scope)
            #expect(answer.complete == one.expect["complete"]?.bool)
            #expect(answer.completeDate?.millisecondsSince1970 == one.expect["completeDate"]?.integer)
            #expect(answer.succeededCount == one.expect["succeededCount"]?.integer)
            #expect(answer.failedCount == one.expect["failedCount"]?.integer)
        default: Issue.record("\(one.id): unknown operation")
        }
    }

    private func subscriptionStatuses(_ one: Case, _ client: AppStoreServerClient) async throws(APIError) {
        let request = APIRequest(
            .getAllSubscriptionStatuses, one.segment(3), query: one.texts("status").map { (name: "status", value: $0) })
        let answer: SubscriptionStatusesAnswer = try await client.answer(request, to: Self.scope)
        #expect(answer.environment == .localTesting)
        #expect(answer.bundleId?.rawValue == one.expect["bundleId"]?.string)
        #expect(answer.appAppleId?.rawValue == one.expect["appAppleId"]?.integer)
        #expect(answer.data.count == 2)
        let statuses = answer.data.flatMap(\.lastTransactions).map { Int64($0.status.rawValue) }
        #expect(statuses == one.expect["statuses"]?.array?.compactMap(\.integer))
        #expect(answer.data.flatMap(\.lastTransactions).map(\.signedRenewalInfo).allSatisfy { $0 != nil })
    }

    private func notificationHistory(_ one: Case, _ client: AppStoreServerClient) async throws(APIError) {
        var query = NotificationHistoryQuery(
            from: AppStoreInstant(clampingMillisecondsSince1970: 1_698_148_900_000),
            to: AppStoreInstant(clampingMillisecondsSince1970: 1_698_148_950_000))
        query.notificationType = .subscribed
        query.notificationSubtype = .initialBuy
        query.transactionId = AnyTransactionId(rawValue: "999733843")
        query.onlyFailures = true
        let answer: NotificationHistoryAnswer = try await client.answer(
            .notificationHistory(query, paginationToken: one.texts("paginationToken").first), to: Self.scope)
        #expect(answer.paginationToken == one.expect["paginationToken"]?.string)
        #expect(answer.hasMore)
        let results = answer.notificationHistory.map { $0.sendAttempts.compactMap { $0.result?.rawValue } }
        #expect(
            results == [
                one.expect["firstItemAttempts"]?.array?.compactMap(\.string) ?? [],
                one.expect["secondItemAttempts"]?.array?.compactMap(\.string) ?? [],
            ])
        #expect(
            answer.notificationHistory.first?.sendAttempts.first?.attemptDate?.millisecondsSince1970
                == 1_698_148_900_000)
    }

    private func transactionHistory(_ one: Case, _ client: AppStoreServerClient) async throws(APIError) {
        var query = TransactionHistoryQuery()
        query.startDate = AppStoreInstant(millisecondsSince1970: 123_455)
        query.endDate = AppStoreInstant(millisecondsSince1970: 123_456)
        query.productIds = one.texts("productId").map { ProductId($0) }
        query.productTypes = [.consumable, .autoRenewable]
        query.sort = .ascending
        query.subscriptionGroupIdentifiers = one.texts("subscriptionGroupIdentifier").map {
            SubscriptionGroupIdentifier($0)
        }
        query.inAppOwnershipType = .familyShared
        query.revoked = false
        let answer: TransactionHistoryAnswer = try await client.answer(
            .transactionHistory(
                of: AnyTransactionId(rawValue: one.segment(3)), query, revision: one.texts("revision").first),
            to: Self.scope)
        #expect(answer.revision == "revision_output")
        #expect(answer.hasMore)
        #expect(answer.signedTransactions.count == 2)
        #expect(answer.appAppleId?.rawValue == 323_232)
        if let raw = one.expect["rawEnvironment"]?.string {
            #expect(answer.environment?.rawValue == raw)
            #expect(answer.environment?.isKnown == one.expect["environmentKnown"]?.bool)
        } else {
            #expect(answer.environment?.rawValue == one.expect["environment"]?.string)
        }
    }
}
