import Foundation
import HTTPClient
import TestSupport
import Testing

extension EndToEnd {
    /// Nothing that was acknowledged is lost, and everybody gets an answer, while brokers and the ingress itself go away.
    @Suite struct Faults {
        @Test func `a hanging broker brings 503 in time, and 200 again soon after its return`() async throws {
            try await Stage.open { stage in try await outage(on: try await stage.embeddedBroker(partitions: 12), stage)
            }
        }

        @Test(.enabled(if: ApacheKafka.isOurs, "\(ApacheKafka.tormentAbsence)"))
        func `Apache Kafka gone brings 503 in time, and 200 again soon after its return`() async throws {
            try await Stage.open { stage in try await outage(on: try await stage.apacheKafka(), stage) }
        }

        @Test func `an ingress that is killed has lost nothing that it acknowledged`() async throws {
            try await Stage.open { stage in
                let broker = try await stage.embeddedBroker(partitions: 12)
                let app = try await stage.simulatedApp()
                var outcomes: [Load.Outcome] = []
                for seed: UInt64 in 1...4 {
                    let ingress = try await stage.ingress(on: broker, for: app)
                    let load = try Load(ingress, pki: stage.path("pki"), perSecond: 100, count: 400, seed: seed)
                    outcomes += try await load.run {
                        try await load.wait(for: 20, ingress) { $0.isAcknowledged }
                        ingress.process.signal(SIGKILL)
                        try await load.wait(for: 1, ingress) { $0.answer == .refused }
                    }
                    #expect(ingress.process.ended == .signal(SIGKILL))
                }
                try await checkAllAcknowledgedAreThere(outcomes, broker)
            }
        }

        @Test func `SIGTERM ends each executable with 0`() async throws {
            try await Stage.open { stage in
                let broker = try await stage.embeddedBroker()
                _ = try await stage.ingress(on: broker, for: try await stage.simulatedApp())
                _ = try await stage.entitlements(on: broker)
                // Last started, first ended: each has what it needs while it stops.
                for process in stage.running.reversed() {
                    process.signal(SIGTERM)
                    #expect(try await process.end(within: .seconds(10)) == .exit(0), "\(process)")
                }
            }
        }

        @Test func `SIGTERM under load leaves no request without an answer`() async throws {
            try await Stage.open { stage in
                let broker = try await stage.embeddedBroker(partitions: 12)
                try await terminate(stage, broker, underWay: 0)
            }
        }

        @Test func `SIGTERM while the broker hangs leaves no request without an answer`() async throws {
            try await Stage.open { stage in
                let broker = try await stage.embeddedBroker(partitions: 12)
                try await terminate(stage, broker, underWay: 20) { try await broker.stop() }
            }
        }
    }
}

extension EndToEnd.Faults {
    private func outage(on broker: Broker, _ stage: Stage) async throws {
        let ingress = try await stage.ingress(on: broker, for: try await stage.simulatedApp())
        let load = try Load(ingress, pki: stage.path("pki"), perSecond: 20, count: 1500)
        let client = HTTPClient()
        defer { client.close() }
        var stopped = ContinuousClock.now
        var returned = ContinuousClock.now
        var isReadyMeanwhile = true
        let outcomes = try await load.run {
            try await load.wait(for: 40, ingress) { $0.isAcknowledged }
            try await broker.stop()
            stopped = .now
            _ = await eventually(within: .seconds(12)) { ContinuousClock.now - stopped >= .seconds(10) }
            isReadyMeanwhile = await ingress.isReady(client)
            try await broker.bringBack()
            returned = .now
            try await load.wait(for: 20, ingress) { $0.isAcknowledged && $0.begun > returned }
        }

        let answers = Dictionary(grouping: outcomes, by: \.answer).mapValues(\.count)
        #expect(Set(answers.keys) == [.status(200), .status(503)], "\(answers); \(ingress.process)")
        #expect(try #require(outcomes.map(\.duration).max()) <= .milliseconds(5500))
        let meanwhile = outcomes.filter { $0.begun > stopped && $0.ended < returned }
        #expect(meanwhile.count > 50)
        #expect(meanwhile.allSatisfy { $0.answer == .status(503) })
        #expect(!isReadyMeanwhile)
        let firstAgain = outcomes.filter { $0.isAcknowledged && $0.ended > returned }.map(\.ended).min()
        #expect(try #require(firstAgain) - returned <= .seconds(10))
        try await checkAllAcknowledgedAreThere(outcomes, broker)
    }

    /// - Parameters:
    ///   - underWay: at least so many posts wait for their answer when SIGTERM is sent.
    ///   - before: what happens under load before it.
    private func terminate(
        _ stage: Stage, _ broker: Broker, underWay: Int, before: () async throws -> Void = {}
    ) async throws {
        let ingress = try await stage.ingress(on: broker, for: try await stage.simulatedApp())
        let load = try Load(ingress, pki: stage.path("pki"), perSecond: 40, count: 1000)
        var signalled = ContinuousClock.now
        var took = Duration.zero
        var end: ProcessEnd?
        let outcomes = try await load.run {
            try await load.wait(for: 60, ingress) { $0.isAcknowledged }
            try await before()
            _ = await eventually(within: .seconds(10)) { load.underWay >= underWay }
            signalled = .now
            ingress.process.signal(SIGTERM)
            end = try await ingress.process.end(within: .seconds(20))
            took = .now - signalled
            try await load.wait(for: 1, ingress) { $0.answer == .refused }
        }

        #expect(end == .exit(0), "\(ingress.process)")
        #expect(took <= .seconds(10))
        let sent = outcomes.filter { $0.answer != .refused }
        #expect(sent.allSatisfy { [.status(200), .status(503)].contains($0.answer) }, "\(ingress.process)")
        #expect(sent.filter { $0.begun < signalled && $0.ended > signalled }.count >= underWay)
        try await broker.bringBack()
        try await checkAllAcknowledgedAreThere(outcomes, broker)
    }

    private func checkAllAcknowledgedAreThere(_ outcomes: [Load.Outcome], _ broker: Broker) async throws {
        let acknowledged = Set(outcomes.filter(\.isAcknowledged).map(\.notificationUUID))
        let there = Set(try await broker.notificationUUIDs())
        #expect(acknowledged.subtracting(there) == [])
        #expect(there.subtracting(outcomes.map(\.notificationUUID)) == [])
    }
}

extension Load {
    /// Waits until there are so many outcomes of a kind.
    fileprivate func wait(
        for count: Int, _ ingress: Ingress, _ condition: (Outcome) -> Bool
    ) async throws {
        let areThere = await eventually(within: .seconds(30)) { outcomes.filter(condition).count >= count }
        let answers = Dictionary(grouping: outcomes, by: \.answer).mapValues(\.count)
        try #require(areThere, "\(answers); \(ingress.process)")
    }
}
