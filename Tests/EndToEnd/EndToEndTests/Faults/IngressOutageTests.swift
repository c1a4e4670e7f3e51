import AppStoreModel
import Foundation
import HTTPClient
import Simulator
import TestSupport
import Testing

extension EndToEnd {
    /// The ingress is down for three hours, during which renewals are notified. Apple retries, `sluice-reconciler`
    /// reads Apple's history, and `sluice-entitlements` waits for late notifications, so every paying customer always
    /// has access. All of them use the test's wall clock, which advances in steps of a quarter of an hour.
    @Suite(
        .enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"),
        .enabled(if: WallClock.compiler != nil, "\(WallClock.absence)"))
    struct IngressOutageOnApacheKafka {
        @Test func `no paying customer is denied access during an ingress outage of three hours`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka()
                let count = TestScale.choose(short: 200, long: 1_000)
                var trial = try await IngressOutageTrial(of: count, on: broker, harness)
                try await trial.run()
                await trial.stop()
            }
        }
    }
}

/// The day of the outage.
private struct IngressOutageTrial {
    /// Periods end between two hours before the outage and its end.
    private static let hours: ClosedRange<Int64> = 10...14
    private static let outage: Range<Int64> = 12 * RenewalDay.hour..<15 * RenewalDay.hour

    let broker: Broker
    let harness: Harness
    private let app: SentApp
    private let clock: WallClock
    private let store: RetryingStore
    private let entitlements: Entitlements
    private let reconciler: ChildProcess
    private let admin: AdminAddress
    private let client = HTTPClient()
    private var ingress: Ingress?
    private var day: RenewalDay
    private var now: Int64
    private var published: PublishedStates
    /// Failed notifications that are not in the topic.
    private var missing: [UnsignedNotification] = []
    private var asked = 0
    private var denied: [String] = []
    /// Notifications that were published from the history.
    private var restored: Set<NotificationUUID> = []

    init(of purchases: Int, on broker: Broker, _ harness: Harness) async throws {
        (self.broker, self.harness) = (broker, harness)
        clock = try await WallClock(harness)
        app = try await harness.simulatedApp()
        day = try RenewalDay(purchases, endingIn: Self.hours, pki: harness.path("pki"))
        now = day.start + Self.hours.lowerBound * RenewalDay.hour
        try clock.stop(at: now)
        store = try RetryingStore(pki: harness.path("pki"), at: now)
        ingress = try await harness.ingress(on: broker, for: app)
        entitlements = try await harness.entitlements(on: broker, under: clock.wrapper)
        published = try await PublishedStates(broker)
        for body in try day.notifiedBefore() {
            #expect(try await ingress?.post(body, with: client).status == 200)
        }
        reconciler = try harness.start(
            Executable(
                "sluice-reconciler",
                arguments: broker.arguments + [
                    "--data.dir", harness.path("reconciler"), "--admin.port", "0", "--revocation", "off",
                    "--apps", app.setting, "--apps.com.example.app.environments", "Production",
                    "--root.certificates", try #require(app.rootCertificate),
                    "--appstore.api.issuer.id", SimulatedAPIKey.issuerId, "--appstore.api.key.id",
                    SimulatedAPIKey.keyId,
                    "--appstore.api.key.file", harness.path("pki/\(SimulatedAPIKey.fileName)"),
                    "--appstore.api.url", store.api.url(of: .production),
                    "--appstore.api.sandbox.url", store.api.url(of: .sandbox),
                ]), under: clock.wrapper)
        admin = try await AdminAddress(reconciler)
    }

    func stop() async {
        client.close()
        await store.api.stop()
    }

    mutating func run() async throws {
        // The end of the last period, plus three hours of leeway.
        let end = day.start + (Self.hours.upperBound + 5) * RenewalDay.hour
        while now <= end {
            store.advance(to: now)
            let isAway = Self.outage.contains(now - day.start)
            // The hourly sweep begins as soon as it is due: by then Apple's history has the undelivered notifications.
            if isAway {
                try await stopIngress()
                try await attempt()
            }
            try clock.stop(at: now)
            if !isAway {
                try await startIngress()
                try await attempt()
            }
            try await reconcile()
            try await waitForTopic()
            try await askAboutPayers()
            now += RenewalDay.hour / 4
        }
        #expect(denied.isEmpty, "\(denied.prefix(10)); \(entitlements.process); \(reconciler)")
        #expect(!restored.isEmpty && store.failed.count > day.late.count / 4)
        let takenBack = published.all.filter { !day.lapsing.contains($0.key) && $0.value.contains("EXPIRED") }
        #expect(takenBack.isEmpty, "\(takenBack); \(entitlements.process)")
        try report()
    }

    private mutating func stopIngress() async throws {
        guard let process = ingress?.process else { return }
        ingress = nil
        process.signal(SIGTERM)
        #expect(try await process.end(within: .seconds(20)) == .exit(0))
    }

    private mutating func startIngress() async throws {
        if ingress == nil { ingress = try await harness.ingress(on: broker, for: app) }
    }

    /// Makes Apple's delivery attempts that are now due.
    private mutating func attempt() async throws {
        for notification in store.attempts(with: day.signed(upTo: now)) {
            if let ingress {
                let body = try day.post(notification)
                #expect(try await ingress.post(body, with: client).status == 200, "\(ingress.process)")
            } else if !restored.contains(notification.notificationUUID),
                !missing.contains(where: { $0.notificationUUID == notification.notificationUUID })
            {
                missing.append(notification)
            }
            store.end(notification, isDelivered: ingress != nil)
        }
    }

    /// Waits until the hourly sweep of failures is complete. The notifications that it found are then in the topic.
    private mutating func reconcile() async throws {
        var begun: Int64 = 0
        let isDone = try await eventually(within: .seconds(60)) {
            let page = try await client.send(HTTPClientRequest(url: "http://127.0.0.1:\(admin.port)/reconciliation"))
            let sweeps = JSON.object(page.body)?.objects("sweeps") ?? []
            guard let sweep = sweeps.first(where: { $0.text("kind") == "failures" }),
                let last = sweep.object("last")?.integer("startedAt"), sweep.object("run")?.object("progress") == nil,
                sweep.integer("nextAt") ?? 0 > now
            else { return false }
            begun = last
            return true
        }
        try #require(isDone, "\(reconciler)")
        // Allows two minutes for notifications in flight.
        for notification in missing where notification.signedDate < begun - 120_000 {
            _ = try day.post(notification)
            restored.insert(notification.notificationUUID)
        }
        missing.removeAll { $0.signedDate < begun - 120_000 }
    }

    /// Waits until the last published state of every purchase follows from the notification topic.
    private mutating func waitForTopic() async throws {
        let expected = day.states(at: now)
        let isPublished = try await eventually(within: .seconds(60)) {
            try await published.read()
            return published.last == expected
        }
        let different = expected.filter { published.last[$0.key] != $0.value }
        try #require(
            isPublished, "\((now - day.start) / 60_000) min: \(different); \(entitlements.process); \(reconciler)")
    }

    private mutating func askAboutPayers() async throws {
        let payers = day.states(at: now).keys.filter { !day.lapsing.contains($0) }.sorted()
        for start in stride(from: 0, to: payers.count, by: 16) {
            let refused = try await withThrowingTaskGroup(of: String?.self) { [entitlements, client] group in
                for payer in payers[start..<min(start + 16, payers.count)] {
                    group.addTask {
                        let answer = try await entitlements.answer(
                            originalTransactionId: payer, environment: "Production", with: client)
                        let isEntitled = answer?.objects("grants").contains { $0.flag("isEntitled") == true } ?? false
                        return isEntitled ? nil : payer
                    }
                }
                return try await group.reduce(into: [String]()) { if let payer = $1 { $0.append(payer) } }
            }
            denied += refused.map { "\($0) at minute \((now - day.start) / 60_000)" }
        }
        asked += payers.count
    }

    private func report() throws {
        var report = FaultReport("an ingress away for three hours, Apache Kafka")
        report.add("purchases", published.all.count)
        report.add("renewals not delivered at once", store.failed.count)
        report.add("published from Apple's history", restored.count)
        report.add("questions", asked)
        report.add("payers denied", denied.count)
        try report.publish()
    }
}
