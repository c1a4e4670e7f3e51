import Foundation
import HTTPClient
import TestSupport
import Testing

extension EndToEnd {
    /// The ingress itself is killed or shut down under load.
    @Suite struct IngressDeaths {
        @Test func `a killed ingress loses no acknowledged notification`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(partitions: 12)
                try await EndToEnd.killAgainAndAgain(TestScale.choose(short: 4, long: 20), broker, harness)
            }
        }

        @Test func `each executable exits with 0 on SIGTERM`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                _ = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                _ = try await harness.entitlements(on: broker)
                // Stopped in reverse start order, so that each has its dependencies while it stops.
                for process in harness.running.reversed() {
                    process.signal(SIGTERM)
                    #expect(try await process.end(within: .seconds(10)) == .exit(0), "\(process)")
                }
            }
        }

        @Test func `SIGTERM under load leaves no request unanswered`() async throws {
            var ends: [Ending] = []
            var records: [String] = []
            // An embedded broker can store the records of about fifty shutdowns.
            for batch in 0..<TestScale.choose(short: 1, long: 5) {
                try await Harness.open { harness in
                    let broker = try await harness.embeddedBroker(partitions: 100)
                    let app = try await harness.simulatedApp()
                    ends += try await inLanes(TestScale.choose(short: 4, long: 40)) { number in
                        try await terminate(harness, broker, app, seed: batch * 1000 + number)
                    }
                    records += try await broker.notificationUUIDs()
                }
            }
            let ledger = Ledger(ends.flatMap(\.outcomes), records: records)
            ledger.check(mayRefuse: true)
            try publish("SIGTERM under load", ends, ledger)
        }

        @Test func `SIGTERM while the broker hangs leaves no request unanswered`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(partitions: 12)
                let app = try await harness.simulatedApp()
                var ends: [Ending] = []
                for number in 1...TestScale.choose(short: 1, long: 10) {
                    ends.append(
                        try await terminate(harness, broker, app, seed: number, underWay: 20) {
                            try await broker.remove(.frozen)
                        })
                    try await broker.bringBack()
                }
                let ledger = try await Ledger(ends.flatMap(\.outcomes), broker)
                ledger.check(mayRefuse: true)
                try publish("SIGTERM while the broker hangs", ends, ledger)
            }
        }

        @Test func `a busy process always exits with 0`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(partitions: 100)
                let app = try await harness.simulatedApp()
                _ = try await harness.simulatedApp(pki: "forged")
                // Valid signatures, invalid certificate chains and junk keep all components busy at shutdown.
                let bodies =
                    try NotificationSupply.bodies(100, pki: harness.path("pki"), seed: 1)
                    + NotificationSupply.bodies(100, pki: harness.path("forged"), seed: 2)
                    + [Array("{}".utf8)]
                let ends = try await inLanes(TestScale.choose(short: 6, long: 300)) { _ in
                    let ingress = try await harness.ingress(on: broker, for: app)
                    let flood = Flood(port: ingress.port, bodies: bodies.shuffled(), connections: 4)
                    try #require(await eventually { flood.statuses.values.reduce(0, +) >= 50 }, "\(flood.statuses)")
                    ingress.process.signal(SIGTERM)
                    let end = try await ingress.process.end(within: .seconds(20))
                    await flood.stop()
                    #expect(end == .exit(0), "\(ingress.process)")
                    return (end, flood.statuses)
                }
                var report = FaultReport("exits of a busy process, embedded broker")
                report.add("exits", ends.count)
                report.add("with 0", ends.count { $0.0 == .exit(0) })
                report.add("requests", ends.reduce(0) { $0 + $1.1.values.reduce(0, +) })
                try report.publish()
            }
        }
    }
}

extension EndToEnd.IngressDeaths {
    /// A shutdown by SIGTERM.
    struct Ending: Sendable {
        let outcomes: [Load.Outcome]
        let took: Duration
        let underWay: Int
    }

    /// Runs an operation repeatedly with limited concurrency, because a shutdown mostly waits.
    private func inLanes<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Result
    ) async throws -> [Result] {
        let lanes = 4
        return try await withThrowingTaskGroup(of: [Result].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var results: [Result] = []
                    for number in stride(from: lane, to: count, by: lanes) {
                        results.append(try await body(number + 1))
                    }
                    return results
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// - Parameters:
    ///   - underWay: minimum number of posts without a response when SIGTERM is sent.
    ///   - before: runs under load before it.
    private func terminate(
        _ harness: Harness, _ broker: Broker, _ app: SentApp, seed: Int, underWay: Int = 0,
        before: () async throws -> Void = {}
    ) async throws -> Ending {
        let ingress = try await harness.ingress(on: broker, for: app)
        let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 40, seed: UInt64(seed))
        var signalled = ContinuousClock.now
        var took = Duration.zero
        var end: ProcessEnd?
        let outcomes = try await load.run {
            try await load.wait(for: 20, ingress.process) { $0.isAcknowledged }
            try await before()
            _ = await eventually(within: .seconds(10)) { load.underWay >= underWay }
            signalled = .now
            ingress.process.signal(SIGTERM)
            end = try await ingress.process.end(within: .seconds(20))
            took = .now - signalled
            try await load.wait(for: 1, ingress.process) { $0.answer == .refused }
        }
        #expect(end == .exit(0), "\(ingress.process)")
        #expect(took.keeps(.seconds(10)))
        // Requests received before the shutdown are answered. Later connections are refused.
        let sent = outcomes.filter { $0.answer != .refused }
        let allAnswered = sent.allSatisfy { [.status(200), .status(503)].contains($0.answer) }
        #expect(allAnswered, "\(sent.filter { $0.answer.isUnanswered }); \(ingress.process)")
        let waiting = sent.count { $0.begun < signalled && $0.ended > signalled }
        #expect(waiting >= underWay)
        return Ending(outcomes: outcomes, took: took, underWay: waiting)
    }

    private func publish(_ fault: String, _ ends: [Ending], _ ledger: Ledger) throws {
        var report = FaultReport("\(fault), embedded broker")
        report.add("ends", ends.count)
        ledger.add(to: &report)
        report.add("requests under way at SIGTERM", ends.reduce(0) { $0 + $1.underWay })
        report.add("slowest exit", ends.map(\.took).max())
        try report.publish()
    }
}

extension EndToEnd {
    /// Kills the ingress repeatedly at different moments under load, and restarts it on the same port.
    static func killAgainAndAgain(_ kills: Int, _ broker: Broker, _ harness: Harness) async throws {
        let app = try await harness.simulatedApp()
        var ingress = try await harness.ingress(on: broker, for: app)
        let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 200)
        var random = SeededGenerator(seed: 1)
        var outcomes = try await load.run {
            for _ in 0..<kills {
                let before = load.count(where: \.isAcknowledged)
                let wanted = 5 + Int(random.next() % 40)
                try await load.wait(for: before + wanted, ingress.process) { $0.isAcknowledged }
                ingress.process.signal(SIGKILL)
                #expect(try await ingress.process.end(within: .seconds(5)) == .signal(SIGKILL))
                ingress = try await harness.ingress(on: broker, for: app, port: ingress.port)
            }
        }
        let broken = outcomes.count { $0.answer.isUnanswered }
        // Post again, as Apple does.
        #expect(
            try await load.repeatUnacknowledged(within: TestScale.choose(short: .seconds(30), long: .seconds(300))) == 0
        )
        outcomes = load.outcomes
        let ledger = try await Ledger(outcomes, broker)
        ledger.check(ingress.process, mayBreak: true, mayRefuse: true)
        #expect(broken > 0)

        var report = FaultReport(
            "kill -9 of the ingress, "
                + (broker.isEmbedded ? "embedded broker" : "Apache Kafka with \(broker.replicas) brokers"))
        report.add("kills", kills)
        ledger.add(to: &report)
        try report.publish()
    }
}
