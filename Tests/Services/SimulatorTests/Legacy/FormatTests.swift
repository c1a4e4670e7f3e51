import AppStoreModel
import AppStoreServerAPI
import CommandLine
import Configuration
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Simulator

/// Tests the formats of the same history.
@Suite(.timeLimit(.minutes(5))) struct `Formats` {
    @Test func `each step is sent in every format that reports it, and no body twice`() throws {
        let life = try #require(Scenario.named("subscription-life"))
        let series = try makeSeries([life], formats: [.v2, .v1, .v0])
        let posts = Array(PostingPlan(series: series, runs: 1))
        for format in NotificationFormat.allCases {
            let count = format == .v2 ? life.steps.count : series.legacyBodies(of: 0, format).count
            #expect(posts.count { $0.format == format } == count && count > 0)
        }
        #expect(Set(posts).count == posts.count)
        #expect(posts.map(\.step) == posts.map(\.step).sorted())
        #expect(Array(PostingPlan(series: try makeSeries([life]), runs: 1)).map(\.step) == Array(life.steps.indices))
    }

    @Test func `scenarios that a format does not report are omitted`() throws {
        let v1 = try makeSeries(formats: [.v1])
        #expect(!v1.scenarios.contains { $0.name == "test" } && v1.scenarios.contains { $0.name == "refund-request" })
        let test = try #require(Scenario.named("test"))
        #expect(
            ScenarioSeries(scenarios: [test], app: productionApp, seed: 1, endingAt: scenarioEnd, formats: [.v1]) == nil
        )
    }

    @Test(arguments: [
        (NotificationFormat.v2, [0, 1, 13, 37, 85, 157] as [Int64]), (.v1, [0, 6, 30, 78]), (.v0, [0, 6, 30, 78]),
    ]) func `each format is retried on its own schedule, and never in the sandbox`(
        format: NotificationFormat, hours: [Int64]
    ) async throws {
        for app in [productionApp, sandboxApp] {
            let series = try makeSeries(
                [try #require(Scenario.named("subscription-renewing"))], app: app, formats: [format])
            let clock = SkippingClock()
            let posts = Mutex<[Duration]>([])
            let delivery = Delivery(
                plan: PostingPlan(series: series, count: 1),
                schedules: Dictionary(
                    uniqueKeysWithValues: NotificationFormat.allCases.map {
                        ($0, RetrySchedule(environment: app.environment, format: $0))
                    }), connections: 1, rate: nil, clock: clock,
                sign: { try NotificationFactory(series: series, pki: testPKI.get(), sharedSecret: "s").make($0) },
                post: { _ in
                    posts.withLock { $0.append(clock.now.offset) }
                    return .status(503)
                })
            let (interrupts, _) = AsyncStream.makeStream(of: String.self)
            let summary = try await delivery.run(interrupts: interrupts)
            #expect(posts.withLock { $0 } == (app.environment == .sandbox ? [0] : hours).map { .hours($0) })
            #expect(summary.gaveUp == 1)
        }
    }

    @Test func `a rebuilt body is the same, byte for byte`() throws {
        let series = try makeSeries(formats: [.v1, .v0])
        let factory = NotificationFactory(series: series, pki: try testPKI.get(), sharedSecret: "secret")
        for post in PostingPlan(series: series) {
            let (one, other) = (try factory.make(post), try factory.make(post))
            #expect(one.body == other.body && one.format == post.format)
            #expect(try JSONValue(json: one.body).object?["password"] == "secret")
        }
    }

    @Test(arguments: [UInt64.min, 7, .max])
    func `every post of a plan can be made for any accounts, receipt length and first run`(
        seed: UInt64
    ) throws {
        for (accounts, receipt, firstRun) in [(nil, 0, 0), (1, 30, 5), (7, 3, 1_000_003)] as [(Int?, Int, Int)] {
            let series = try makeSeries(
                accounts: accounts, seed: seed, formats: Set(NotificationFormat.allCases), receiptTransactions: receipt)
            var posts = 0
            for post in PostingPlan(series: series, firstRun: firstRun, runs: 2 * series.scenarios.count) {
                posts += 1
                #expect(series.notification(of: post.run, step: post.step) != nil, "\(post)")
                guard post.format != .v2 else { continue }
                let bodies = series.legacyBodies(of: post.run, step: post.step, post.format)
                #expect(bodies.indices.contains(post.number), "\(post)")
            }
            #expect(posts > 3 * series.scenarios.count)
        }
    }

    @Test func `the history lists only version 2`() async throws {
        try await APIHarness.open { harness in
            let series = try makeSeries([try #require(Scenario.named("consumable"))])
            let notification = series.notifications(of: 0)[0]
            harness.api.register(notification, isListed: false)
            try await harness.withClient { client in
                var pages = client.getNotificationHistory(
                    NotificationHistoryQuery(
                        from: AppStoreInstant(clampingMillisecondsSince1970: harness.time.now - 86_400_000),
                        to: AppStoreInstant(clampingMillisecondsSince1970: harness.time.now + 1)), harness.scope())
                #expect(try await pages.next()?.items.isEmpty == true)
                let id = try #require(notification.transactionId)
                _ = try await client.getTransactionInfo(id, harness.scope())
            }
        }
    }

    // MARK: The command line

    private func parsed(_ arguments: [String]) -> Configuration? {
        let outcome = SimulatorCommand.command.parse(
            ["post", "--url", "http://127.0.0.1:1/"] + arguments, environment: [:])
        guard case .run(let invocation) = outcome else { return nil }
        return invocation.configuration
    }

    @Test func `formats are parsed, and only version 2 needs no secret`() throws {
        let configuration = try #require(parsed(["--formats", "v1,v2"]))
        #expect(configuration[SimulatorSettings.formats] == [.v1, .v2])
        #expect(throws: SimulatorError.self) { try SharedSecretFile.read(configuration) }
        #expect(try SharedSecretFile.read(try #require(parsed([]))).isEmpty)
        for text in ["", "v3", "v1,", "V1"] { #expect(parsed(["--formats", text]) == nil) }
    }

    @Test func `the secret is the content of the file without white space`() throws {
        let directory = try TemporaryDirectory()
        let read = { (path: String) in
            try SharedSecretFile.read(
                try #require(parsed(["--formats", "v0", "--shared-secret-file", path])))
        }
        #expect(try read(directory.write(" secret\n", to: "secret")) == "secret")
        for text in ["\n", String(repeating: "s", count: 2000)] {
            let path = try directory.write(text, to: "other")
            #expect(throws: SimulatorError.self) { try read(path) }
        }
        #expect(throws: SimulatorError.self) { try read(directory.file("none")) }
    }
}
