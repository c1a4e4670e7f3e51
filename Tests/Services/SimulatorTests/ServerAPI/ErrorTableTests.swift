import AppStoreModel
import HTTPClient
import JSON
import Testing

@testable import Simulator

@Suite(.timeLimit(.minutes(5))) struct `API errors` {
    /// An invalid request and the expected error code.
    struct Row: Sendable, CustomTestStringConvertible {
        let code: Int64
        let method: String
        let path: String
        let body: JSONObject?

        init(_ error: ServerAPIError, _ method: String, _ path: String, _ body: JSONObject? = nil) {
            code = error.code ?? 0
            self.method = method
            self.path = path
            self.body = body
        }

        var testDescription: String { "\(code) \(method) \(path) \(body?.text ?? "")" }
    }

    private static let day = Duration.days(1).milliseconds
    private static let now = TestTime.start
    private static let consumption = "/inApps/v2/transactions/consumption/"
    private static let consumptionV1 = "/inApps/v1/transactions/consumption/"
    private static let history = "/inApps/v2/history/1000"
    private static let extensions = "/inApps/v1/subscriptions/extend/"
    private static let notifications = "/inApps/v1/notifications/history"
    private static let extend: JSONObject = [
        "extendByDays": 10, "extendReasonCode": 1, "requestIdentifier": "fdf964a4-233b-486c-aac1-97d8d52688ac",
    ]
    private static let extendAll = extend.with("productId", "com.example.app.premium")
    private static let window: JSONObject = [
        "startDate": .integer(now - day), "endDate": .integer(now),
    ]

    static let rows = identifiers + histories + notificationHistories + consumptions + versionOne + extending + others

    private static let identifiers = [
        Row(.invalidTransactionId, "GET", "/inApps/v1/transactions/abc"),
        Row(.invalidTransactionId, "GET", "/inApps/v1/subscriptions/1%2F2"),
        Row(.invalidTransactionId, "GET", "/inApps/v1/transactions/appTransactions/invalid_id"),
        Row(.invalidTransactionId, "PUT", consumption + "1000x", decline),
        Row(.transactionIdNotFound, "GET", "/inApps/v1/transactions/42"),
        Row(.transactionIdNotFound, "GET", "/inApps/v2/history/42"),
        Row(.transactionIdNotFound, "GET", "/inApps/v2/refund/lookup/42"),
        Row(.transactionIdNotFound, "POST", "/inApps/v1/transactions/42/finish"),
        Row(.transactionIdNotFound, "PUT", consumption + "42", decline),
        Row(.appTransactionDoesNotExist, "GET", "/inApps/v1/transactions/appTransactions/6000"),
        Row(
            .invalidAppAccountTokenUUID, "PUT", "/inApps/v1/transactions/1000/appAccountToken", ["appAccountToken": "x"]
        ),
        Row(
            .familyTransactionNotSupported, "PUT", "/inApps/v1/transactions/3000/appAccountToken",
            ["appAccountToken": "7389a31a-fb6d-4569-a2a6-db7d85d84813"]),
        Row(
            .assignedTransactionNotSupported, "PUT", "/inApps/v1/transactions/8000/appAccountToken",
            ["appAccountToken": "7389a31a-fb6d-4569-a2a6-db7d85d84813"]),
        Row(
            .notOriginalTransactionId, "PUT", "/inApps/v1/transactions/2001/appAccountToken",
            ["appAccountToken": "7389a31a-fb6d-4569-a2a6-db7d85d84813"]),
        Row(.generalBadRequest, "PUT", "/inApps/v1/transactions/1000/appAccountToken", ["token": "x"]),
    ]

    private static let histories = [
        Row(.invalidRequestRevision, "GET", history + "?revision=1"),
        Row(.invalidStartDate, "GET", history + "?startDate=today"),
        Row(.invalidEndDate, "GET", history + "?endDate=-1"),
        Row(.startDateAfterEndDate, "GET", history + "?startDate=2&endDate=2"),
        Row(.invalidSort, "GET", history + "?sort=DOWN"),
        Row(.invalidProductType, "GET", history + "?productType=Consumable"),
        Row(.invalidProductId, "GET", history + "?productId="),
        Row(.invalidSubscriptionGroupIdentifier, "GET", history + "?subscriptionGroupIdentifier="),
        Row(.invalidExcludeRevoked, "GET", history + "?excludeRevoked=yes"),
        Row(.invalidOwnershipType, "GET", history + "?inAppOwnershipType=RENTED"),
        Row(.invalidRevoked, "GET", history + "?revoked=False"),
        Row(.generalBadRequest, "GET", history + "?color=red"),
        Row(.invalidStatus, "GET", "/inApps/v1/subscriptions/2000?status=6"),
        Row(.invalidRequestRevision, "GET", "/inApps/v2/refund/lookup/1000?revision=0_0"),
    ]

    private static let notificationHistories = [
        Row(.invalidStartDate, "POST", notifications, window.with("startDate", nil)),
        Row(.invalidEndDate, "POST", notifications, window.with("endDate", "now")),
        Row(.startDateAfterEndDate, "POST", notifications, window.with("startDate", .integer(now))),
        Row(.startDateTooFarInPast, "POST", notifications, window.with("startDate", .integer(now - 181 * day))),
        Row(.invalidPaginationToken, "POST", notifications + "?paginationToken=x", window),
        Row(.invalidPaginationToken, "POST", notifications + "?paginationToken=1.0_0", window),
        Row(.invalidNotificationType, "POST", notifications, window.with("notificationType", "SOLD")),
        Row(.invalidNotificationType, "POST", notifications, window.with("notificationSubtype", "UPGRADE")),
        Row(
            .multipleFilters, "POST", notifications,
            window.with("notificationType", "REFUND").with("transactionId", "1000")),
        Row(.generalBadRequest, "POST", notifications, window.with("onlyFailures", "yes")),
        Row(.invalidTestNotificationToken, "GET", "/inApps/v1/notifications/test/x"),
        Row(
            .testNotificationNotFound, "GET",
            "/inApps/v1/notifications/test/ce3af791-365e-4c60-841b-1674b43c1609_1709690120000"),
        Row(.notificationURLNotFound, "POST", "/inApps/v1/notifications/test"),
    ]

    private static let prorated = decline.with("refundPreference", "GRANT_PRORATED")
    private static let undelivered = decline.with("deliveryStatus", "UNDELIVERED_OTHER")
    private static let consumptions = [
        Row(.invalidCustomerConsented, "PUT", consumption + "1000", decline.with("customerConsented", false)),
        Row(.invalidCustomerConsented, "PUT", consumption + "1000", decline.with("customerConsented", nil)),
        Row(.invalidCustomerConsented, "PUT", consumption + "1000", decline.with("customerConsented", "true")),
        Row(.invalidDeliveryStatus, "PUT", consumption + "1000", decline.with("deliveryStatus", "LOST")),
        Row(.invalidDeliveryStatus, "PUT", consumption + "1000", decline.with("deliveryStatus", 0)),
        Row(.invalidSampleContentProvided, "PUT", consumption + "1000", decline.with("sampleContentProvided", nil)),
        Row(.invalidRefundPreference, "PUT", consumption + "1000", decline.with("refundPreference", "GRANT")),
        Row(.percentageOutOfRange, "PUT", consumption + "1000", decline.with("consumptionPercentage", 100_001)),
        Row(.percentageOutOfRange, "PUT", consumption + "1000", decline.with("consumptionPercentage", -1)),
        Row(.percentageOutOfRange, "PUT", consumption + "1000", prorated),
        Row(.percentageOutOfRange, "PUT", consumption + "1000", prorated.with("consumptionPercentage", 0)),
        Row(.percentageOutOfRange, "PUT", consumption + "1000", prorated.with("consumptionPercentage", 100_000)),
        Row(.percentageOfUndelivered, "PUT", consumption + "1000", undelivered.with("consumptionPercentage", 1)),
        Row(.percentageOfSubscription, "PUT", consumption + "2000", decline.with("consumptionPercentage", 0)),
        Row(.familyTransactionNotSupported, "PUT", consumption + "3000", decline),
        Row(.assignedTransactionNotSupported, "PUT", consumption + "8000", decline),
        Row(.appTransactionIdNotSupported, "PUT", consumption + "7000", decline),
        Row(.advancedCommerceNotSupported, "PUT", consumption + "5000", decline),
    ]

    private static let versionOne = [
        Row(.invalidAccountTenure, "PUT", consumptionV1 + "1000", declineV1.with("accountTenure", 8)),
        Row(.invalidAppAccountToken, "PUT", consumptionV1 + "1000", declineV1.with("appAccountToken", nil)),
        Row(.invalidAppAccountToken, "PUT", consumptionV1 + "1000", declineV1.with("appAccountToken", "me")),
        Row(.invalidConsumptionStatus, "PUT", consumptionV1 + "1000", declineV1.with("consumptionStatus", 4)),
        Row(.invalidCustomerConsented, "PUT", consumptionV1 + "1000", declineV1.with("customerConsented", false)),
        Row(.invalidDeliveryStatus, "PUT", consumptionV1 + "1000", declineV1.with("deliveryStatus", 6)),
        Row(
            .invalidLifetimeDollarsPurchased, "PUT", consumptionV1 + "1000",
            declineV1.with("lifetimeDollarsPurchased", 8)),
        Row(
            .invalidLifetimeDollarsRefunded, "PUT", consumptionV1 + "1000",
            declineV1.with("lifetimeDollarsRefunded", -1)),
        Row(.invalidPlatform, "PUT", consumptionV1 + "1000", declineV1.with("platform", 3)),
        Row(.invalidPlayTime, "PUT", consumptionV1 + "1000", declineV1.with("playTime", "1")),
        Row(.invalidSampleContentProvided, "PUT", consumptionV1 + "1000", declineV1.with("sampleContentProvided", 0)),
        Row(.invalidUserStatus, "PUT", consumptionV1 + "1000", declineV1.with("userStatus", 5)),
        Row(.invalidRefundPreference, "PUT", consumptionV1 + "1000", declineV1.with("refundPreference", 4)),
        Row(.transactionTypeNotSupported, "PUT", consumptionV1 + "4000", declineV1),
        Row(.transactionTypeNotSupported, "PUT", consumptionV1 + "4100", declineV1),
        Row(.familyTransactionNotSupported, "PUT", consumptionV1 + "3000", declineV1),
        Row(.assignedTransactionNotSupported, "PUT", consumptionV1 + "8000", declineV1),
        Row(.appTransactionIdNotSupported, "PUT", consumptionV1 + "7000", declineV1),
    ]

    private static let extending = [
        Row(.invalidOriginalTransactionId, "PUT", extensions + "abc", extend),
        Row(.originalTransactionIdNotFound, "PUT", extensions + "42", extend),
        Row(.invalidExtendByDays, "PUT", extensions + "2000", extend.with("extendByDays", 91)),
        Row(.invalidExtendReasonCode, "PUT", extensions + "2000", extend.with("extendReasonCode", 4)),
        Row(.invalidRequestIdentifier, "PUT", extensions + "2000", extend.with("requestIdentifier", "")),
        Row(.generalBadRequest, "PUT", extensions + "2000", extendAll),
        Row(.extensionIneligible, "PUT", extensions + "2100", extend),
        Row(.extensionIneligible, "PUT", extensions + "2200", extend),
        Row(.extensionIneligible, "PUT", extensions + "1000", extend),
        Row(.familyExtensionIneligible, "PUT", extensions + "3000", extend),
        Row(.assignedExtensionIneligible, "PUT", extensions + "8000", extend),
        Row(.invalidProductId, "POST", extensions + "mass", extend),
        Row(.emptyStorefrontCountryCodes, "POST", extensions + "mass", extendAll.with("storefrontCountryCodes", [])),
        Row(
            .invalidStorefrontCountryCode, "POST", extensions + "mass", extendAll.with("storefrontCountryCodes", ["US"])
        ),
        Row(.statusRequestNotFound, "GET", extensions + "mass/com.example.app.premium/1"),
    ]

    /// Errors that depend on Apple's internal data. An id that contains the error's number triggers them.
    private static let others = [
        ServerAPIError.invalidAppIdentifier, .transactionNotConsumable, .accountNotFound, .accountNotFoundRetryable,
        .appNotFound, .appNotFoundRetryable, .originalTransactionIdNotFoundRetryable, .rateLimitExceeded,
        .generalInternal, .generalInternalRetryable,
    ].map { Row($0, "GET", "/inApps/v1/transactions/9999\($0.code ?? 0)") }

    @Test(arguments: rows) func `each input has its documented code`(row: Row) async throws {
        try await APIHarness.open { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            KnownPurchases.registerAssigned("8000", in: harness.api, now: harness.time.now)
            let answer = try await harness.send(row.method, row.path, row.body)
            #expect(answer.errorCode == row.code)
            #expect(answer.status == Int(row.code / 10_000))
            #expect(answer.json?["errorMessage"]?.string?.isEmpty == false)
            #expect(answer.json?.names == ["errorCode", "errorMessage"])
        }
    }

    /// Errors that need more than one request are tested separately.
    private static let elsewhere: [ServerAPIError] = [.maximumExtensions, .paginationTokenExpired]

    @Test func `every documented code can be provoked`() {
        let provoked = Set(Self.rows.map(\.code) + Self.elsewhere.compactMap(\.code))
        #expect(provoked == Set(ServerAPIError.all.compactMap(\.code)))
    }

    @Test func `codes and names match Apple's list and are unique`() {
        #expect(Set(ServerAPIError.all.compactMap(\.code)).count == ServerAPIError.all.count)
        #expect(Set(ServerAPIError.all.map(\.name)).count == ServerAPIError.all.count)
        #expect(ServerAPIError.withCode(4_000_035)?.name == "InvalidCustomerConsented")
        #expect(ServerAPIError.withCode(4_040_010)?.name == "TransactionIdNotFound")
        #expect(ServerAPIError.withCode(1) == nil)
    }

    @Test(arguments: ["", "{", "[]", "null", "{\"customerConsented\":true,}", "\u{FEFF}{}"])
    func `a consumption answer that is not a JSON object is answered 400 without a code`(body: String) async throws {
        try await APIHarness.open { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            for path in [Self.consumption, Self.consumptionV1] {
                let answer = try await harness.send("PUT", path + "1000", bytes: Array(body.utf8))
                #expect(answer.status == 400 && answer.body.isEmpty)
            }
            #expect(harness.api.answers.allSatisfy { !$0.isAccepted && $0.errorCode == nil })
        }
    }

    @Test func `undocumented members are refused`() async throws {
        try await APIHarness.open { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            // Members of the other version, and a percentage that is not a number.
            let bodies = [
                (Self.consumption, decline.with("appAccountToken", "")),
                (Self.consumption, decline.with("consumptionPercentage", "0")),
                (Self.consumptionV1, declineV1.with("consumptionPercentage", 0)),
            ]
            for (path, body) in bodies {
                let answer = try await harness.send("PUT", path + "1000", body)
                #expect(answer.status == 400 && answer.body.isEmpty)
            }
        }
    }

    @Test func `a third extension in a year is refused`() async throws {
        try await APIHarness.open { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            for _ in 0..<2 {
                #expect(try await harness.send("PUT", Self.extensions + "2000", Self.extend).status == 200)
            }
            let third = try await harness.send("PUT", Self.extensions + "2000", Self.extend)
            #expect(third.errorCode == ServerAPIError.maximumExtensions.code)
        }
    }

    @Test func `a pagination token is valid for an hour, for its own query`() async throws {
        try await APIHarness.open { harness in
            let series = try makeSeries()
            for run in 0..<Scenario.all.count {
                for notification in series.notifications(of: run) { harness.api.register(notification) }
            }
            let request: JSONObject = [
                "startDate": .integer(harness.time.now - 170 * Self.day), "endDate": .integer(harness.time.now),
            ]
            let first = try await harness.send("POST", Self.notifications, request)
            let token = try #require(first.json?["paginationToken"]?.string)
            #expect(first.json?["notificationHistory"]?.array?.count == 20)
            harness.time.advance(by: .seconds(3599))
            let next = Self.notifications + "?paginationToken=" + token
            #expect(try await harness.send("POST", next, request).status == 200)
            harness.time.advance(by: .seconds(1))
            #expect(
                try await harness.send("POST", next, request).errorCode == ServerAPIError.paginationTokenExpired.code)
            // A pagination token is valid only for its query.
            let other = try await harness.send("POST", next, request.with("onlyFailures", true))
            #expect(other.errorCode == ServerAPIError.invalidPaginationToken.code)
        }
    }

    @Test func `most damaged bodies are refused, and none crashes`() {
        var generator = SeededGenerator(seed: 11)
        var read = 0
        for index in 0..<20_000 {
            var body = index % 2 == 0 ? decline.bytes : declineV1.bytes
            for _ in 0...Int(generator.next() % 3) {
                let position = Int(generator.next() % UInt64(body.count))
                body[position] = UInt8(truncatingIfNeeded: generator.next())
            }
            let information =
                index % 2 == 0 ? try? ConsumptionRequestRules.read(body) : try? ConsumptionRequestV1Rules.read(body)
            if information != nil { read += 1 }
            _ = try? ExtensionRequest(body, isForAll: true)
            _ = try? NotificationHistoryRequest(body, environment: .production, now: TestTime.start)
        }
        // Nearly all damage is detected.
        #expect(read < 2000)
    }

    @Test func `an extension of the greatest date does not overflow`() async throws {
        try await APIHarness.open { harness in
            KnownPurchases.register(in: harness.api, now: harness.time.now)
            let current = try payload(
                try await harness.send("GET", "/inApps/v1/transactions/2001").json?["signedTransactionInfo"])
            harness.api.register(transaction: current.with("expiresDate", .integer(.max)))
            let answer = try await harness.send("PUT", Self.extensions + "2000", Self.extend)
            #expect(answer.json?["effectiveDate"]?.integer == .max)
        }
    }

    @Test func `other paths are answered 404 and other methods 405`() async throws {
        try await APIHarness.open { harness in
            #expect(try await harness.send("GET", "/inApps/v1/nothing").status == 404)
            #expect(try await harness.send("GET", "/").status == 404)
            let answer = try await harness.send("GET", Self.consumption + "1")
            #expect(answer.status == 405 && answer.response.header("Allow") == "PUT")
        }
    }
}
