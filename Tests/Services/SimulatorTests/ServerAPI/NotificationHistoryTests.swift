import AppStoreModel
import AppStoreServerAPI
import AppStoreSigning
import AppStoreVerification
import Cryptography
import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

@testable import Simulator

/// Get Notification History, called by the services' client.
@Suite(.timeLimit(.minutes(5))) struct `Notification history` {
    private static let path = "/inApps/v1/notifications/history"
    private static let day = Duration.days(1).milliseconds

    /// Reads every page, and returns the notificationUUIDs in page order.
    private func identifiers(
        _ client: AppStoreServerClient, _ query: NotificationHistoryQuery, _ scope: APIScope
    ) async throws -> (identifiers: [String], pages: Int) {
        var pages = client.getNotificationHistory(query, scope)
        var found: [String] = []
        var count = 0
        while let page = try await pages.next() {
            #expect(page.refused.isEmpty)
            count += 1
            for item in page.items {
                let notification = try JSONValue(
                    json: CompactJWS.payload(String(decoding: item.signedPayload, as: UTF8.self)))
                found.append(try #require(notification.object?["notificationUUID"]?.string))
            }
        }
        return (found, count)
    }

    private func query(_ harness: APIHarness, days: Int64 = 170) -> NotificationHistoryQuery {
        NotificationHistoryQuery(
            from: AppStoreInstant(clampingMillisecondsSince1970: harness.time.now - days * Self.day),
            to: AppStoreInstant(clampingMillisecondsSince1970: harness.time.now + 1))
    }

    @Test func `the 500 undelivered of 20,000 notifications are found, 20 per page`() async throws {
        try await APIHarness.open { harness in
            let series = try makeSeries([try #require(Scenario.named("subscription-life"))])
            let reach = harness.time.now - 169 * Self.day
            var sent = 0
            var lost: [String] = []
            var run = 0
            while sent < 20_000 {
                defer { run += 1 }
                for notification in series.notifications(of: run).prefix(20_000 - sent) {
                    sent += 1
                    harness.api.register(notification)
                    if lost.count < 500, sent % 20 == 0, notification.signedDate > reach {
                        harness.api.recordLoss(of: notification.notificationUUID)
                        lost.append(notification.notificationUUID.rawValue)
                    } else {
                        harness.api.record(.status(200), of: notification.notificationUUID)
                    }
                }
            }
            #expect(sent == 20_000 && lost.count == 500)
            try await harness.withClient { client in
                var failures = query(harness)
                failures.onlyFailures = true
                let found = try await identifiers(client, failures, harness.scope())
                #expect(found.identifiers == lost && found.pages == 25)
            }
        }
    }

    @Test func `injected faults do not change the results`() async throws {
        try await APIHarness.open { harness in
            let series = try makeSeries()
            for run in 0..<Scenario.all.count {
                for notification in series.notifications(of: run) { harness.api.register(notification) }
            }
            try await harness.withClient { client in
                let expected = try await identifiers(client, query(harness), harness.scope()).identifiers
                #expect(expected.count > 60)
                let share = try #require(Percentage(text: "15%"))
                harness.api.faults = try #require(
                    ServerAPIFaults([.internalError: share, .lost: share, .malformed: share], seed: 5))
                var pages = client.getNotificationHistory(query(harness), harness.scope())
                var found = 0
                var failures = 0
                while true {
                    do {
                        guard let page = try await pages.next() else { break }
                        found += page.items.count
                    } catch {
                        failures += 1
                        guard failures < 1000 else { throw error }
                    }
                }
                #expect(found == expected.count && failures > 0)
            }
        }
    }

    @Test func `later pages miss nothing when notifications of an earlier page are delivered in between`() async throws
    {
        try await APIHarness.open { harness in
            let series = try makeSeries([try #require(Scenario.named("consumable"))])
            let sent = (0..<50).flatMap { series.notifications(of: $0) }
            for notification in sent { harness.api.register(notification) }
            try await harness.withClient { client in
                var failures = query(harness)
                failures.onlyFailures = true
                var pages = client.getNotificationHistory(failures, harness.scope())
                var found = try #require(try await pages.next()).items.count
                for notification in sent.prefix(10) {
                    harness.api.record(.status(200), of: notification.notificationUUID)
                }
                while let page = try await pages.next() { found += page.items.count }
                #expect(found == sent.count)
            }
        }
    }

    @Test(arguments: [(AppStoreEnvironment.production, Int64(180)), (.sandbox, Int64(30))])
    func `the history reaches the documented number of days back`(
        environment: AppStoreEnvironment, days: Int64
    ) async throws {
        try await APIHarness.open { harness in
            func status(from start: Int64) async throws -> Int64? {
                try await harness.send(
                    "POST", Self.path, ["startDate": .integer(start), "endDate": .integer(start + Self.day)],
                    in: environment
                ).errorCode
            }
            let oldest = harness.time.now - days * Self.day
            let (within, beyond) = (try await status(from: oldest), try await status(from: oldest - 1))
            #expect(within == nil && beyond == 4_000_012)
            #expect(NotificationHistoryRequest.reach(in: environment) == .days(days))
        }
    }

    @Test func `a token expires after the configured lifetime, and the window can be restarted`() async throws {
        try await APIHarness.open {
            $0.paginationLifetime = .minutes(5)
        } _: { harness in
            let series = try makeSeries()
            for run in 0..<Scenario.all.count {
                for notification in series.notifications(of: run) { harness.api.register(notification) }
            }
            try await harness.withClient { client in
                var pages = client.getNotificationHistory(query(harness), harness.scope())
                _ = try await pages.next()
                harness.time.advance(by: .minutes(5))
                let failure = await #expect(throws: APIError.self) { try await pages.next() }
                #expect(failure?.code?.rawValue == 4_000_017)
                var again = client.getNotificationHistory(query(harness), harness.scope())
                #expect(try await again.next()?.items.count == 20)
            }
        }
    }

    @Test func `at most six attempts are listed, and one without a response is a failure`() async throws {
        try await APIHarness.open { harness in
            let series = try makeSeries([try #require(Scenario.named("consumable"))])
            let (retried, lost) = (series.notifications(of: 0)[0], series.notifications(of: 1)[0])
            for notification in [retried, lost] { harness.api.register(notification) }
            for _ in 0..<8 { harness.api.record(.status(503), of: retried.notificationUUID) }
            harness.api.recordLoss(of: lost.notificationUUID)
            try await harness.withClient { client in
                var failures = query(harness)
                failures.onlyFailures = true
                var pages = client.getNotificationHistory(failures, harness.scope())
                let attempts = try #require(try await pages.next()).items.map(\.sendAttempts)
                #expect(attempts.map(\.count) == [6, 1])
                #expect(attempts[0].allSatisfy { $0.result == .unsuccessfulHTTPResponseCode })
                #expect(attempts[1][0].result == .noResponse)
                #expect(attempts[1][0].attemptDate?.millisecondsSince1970 == harness.time.now)
            }
        }
    }

    @Test func `a notification delivered after six failed attempts is not listed as a failure`() async throws {
        try await APIHarness.open { harness in
            let series = try makeSeries([try #require(Scenario.named("consumable"))])
            let notification = series.notifications(of: 0)[0]
            harness.api.register(notification)
            for _ in 0..<6 { harness.api.record(.status(503), of: notification.notificationUUID) }
            try await harness.withClient { client in
                var failures = query(harness)
                failures.onlyFailures = true
                let before = try await identifiers(client, failures, harness.scope())
                #expect(before.identifiers == [notification.notificationUUID.rawValue])
                harness.api.record(.status(200), of: notification.notificationUUID)
                #expect(try await identifiers(client, failures, harness.scope()).identifiers.isEmpty)
                var pages = client.getNotificationHistory(query(harness), harness.scope())
                let attempts = try #require(try await pages.next()?.items.first).sendAttempts
                #expect(attempts.count == 6 && attempts.allSatisfy { $0.result == .unsuccessfulHTTPResponseCode })
            }
        }
    }

    // MARK: Captured notifications

    @Test(.enabled(if: TestVectors.arePresent, Comment(rawValue: TestVectors.absence)))
    func `captured Apple samples are served byte for byte and accepted`() async throws {
        let samples = try TestVectors.appleSamples()
        let first = try #require(samples.first?.facts)
        let app = SimulatedApp(
            bundleId: BundleId(first.bundleId), appAppleId: AppAppleId(first.appAppleId), environment: .sandbox)
        let directory = try TemporaryDirectory()
        for (number, sample) in samples.enumerated() {
            // Every second file contains a posted body.
            _ = try directory.write(
                number % 2 == 0 ? Array(sample.signedPayload.utf8) : sample.body, to: "\(number).jws")
        }
        _ = try directory.write("not a notification", to: "README.md")
        try await APIHarness.open {
            $0.app = app
        } _: { harness in
            try HistoryFiles(directory: directory.path).list(in: harness.api)
            try await harness.withClient(roots: [AppleRootCertificate.g3]) { client in
                var failures = query(harness, days: 7)
                failures.onlyFailures = true
                var pages = client.getNotificationHistory(failures, harness.scope(in: .sandbox))
                let page = try #require(try await pages.next())
                #expect(
                    page.items.map { String(decoding: $0.signedPayload, as: UTF8.self) } == samples.map(\.signedPayload)
                )
                #expect(page.refused.isEmpty && !page.hasMore)
                for item in page.items {
                    guard case .accepted = item.verdict else {
                        Issue.record("\(item.verdict)")
                        continue
                    }
                }
                failures.transactionId = AnyTransactionId(first.transactionId)
                failures.notificationType = nil
                var ofOne = client.getNotificationHistory(failures, harness.scope(in: .sandbox))
                let expected = samples.filter {
                    $0.facts.transactionId == first.transactionId
                        || $0.facts.originalTransactionId == first.transactionId
                }
                #expect(try await ofOne.next()?.items.count == expected.count)
            }
        }
    }

    @Test func `a directory without notifications of the app is refused with the file's name`() async throws {
        try await APIHarness.open { harness in
            let directory = try TemporaryDirectory()
            let files = HistoryFiles(directory: directory.path)
            #expect(throws: SimulatorError.self) {
                try HistoryFiles(directory: directory.path + "/none").list(in: harness.api)
            }
            #expect(throws: SimulatorError.self) { try files.list(in: harness.api) }
            _ = try directory.write("eyJ.e30.x", to: "a.jws")
            let unread = #expect(throws: SimulatorError.self) { try files.list(in: harness.api) }
            #expect(unread?.description.contains("a.jws is neither") == true)
            let other = try makeSeries(
                [try #require(Scenario.named("consumable"))],
                app: SimulatedApp(
                    bundleId: BundleId("com.example.other"), appAppleId: AppAppleId(2), environment: .production))
            let notification = try NotificationFactory(series: other, pki: testPKI.get()).make(
                PlannedPost(run: 0, step: 0))
            _ = try directory.write(notification.body, to: "a.jws")
            let refused = #expect(throws: SimulatorError.self) { try files.list(in: harness.api) }
            #expect(refused?.description.contains("belongs to com.example.other in Production") == true)
        }
    }

    @Test func `damaged files never crash the reader`() throws {
        let series = try makeSeries([try #require(Scenario.named("consumable"))])
        let body = try NotificationFactory(series: series, pki: testPKI.get()).make(PlannedPost(run: 0, step: 0)).body
        #expect(CapturedNotification(body) != nil)
        #expect(CapturedNotification([]) == nil && CapturedNotification(Array(" \n".utf8)) == nil)
        #expect(CapturedNotification([UInt8](repeating: 0x41, count: CapturedNotification.maximumBytes + 1)) == nil)
        var generator = Simulator.SeededGenerator(seed: 3)
        for _ in 0..<500 {
            var damaged = body
            damaged[Int(generator.next() % UInt64(body.count))] = UInt8(truncatingIfNeeded: generator.next())
            _ = CapturedNotification(damaged)
            _ = CapturedNotification(Array(body.prefix(Int(generator.next() % UInt64(body.count)))))
        }
    }
}

extension APIHarness {
    func scope(in environment: AppStoreEnvironment = .production) -> APIScope {
        APIScope(api.settings.app.bundleId, in: environment)
    }

    /// Calls `body` with the services' client.
    func withClient(
        roots: [[UInt8]]? = nil, _ body: (AppStoreServerClient) async throws -> Void
    ) async throws {
        let app = api.settings.app
        let directory = try TemporaryDirectory()
        let keyFile = try directory.write(try testAPIKey.get().pem(), to: "api.key.p8")
        let http = HTTPClient()
        defer { http.close() }
        let client = AppStoreServerClient(
            AppStoreServerClient.Configuration(
                credentials: [app.bundleId: APICredentials(issuerId: "issuer", keyId: "key", keyFile: keyFile)],
                productionURL: api.url(of: .production), sandboxURL: api.url(of: .sandbox)),
            http: http,
            verifier: try NotificationVerifier(
                VerifierConfiguration(
                    roots: try roots ?? [testPKI.get().root.der],
                    apps: [AppIdentity(bundleId: app.bundleId, appAppleId: app.appAppleId)], revocation: .off)),
            clocks: time.clocks)
        try await body(client)
    }
}
