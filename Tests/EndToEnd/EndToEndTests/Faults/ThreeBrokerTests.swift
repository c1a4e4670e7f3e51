import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// Three brokers, three replicas with two in sync, and the profile `production`.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)")) struct ThreeBrokersOfApacheKafka {
        @Test func `repeatedly killing one of three brokers loses nothing`() async throws {
            try await scene { broker, ingress, load in
                let kills = TestScale.choose(short: 1, long: 20)
                var slowest = Duration.zero
                let outcomes = try await load.run {
                    try await load.wait(for: 40, ingress.process) { $0.isAcknowledged }
                    for number in 0..<kills {
                        let node = number % 3 + 1
                        let killed = ContinuousClock.now
                        try await broker.remove(.killed, node: node)
                        // The other two continue.
                        let again = try await load.waitForAcknowledgement(
                            begunAfter: killed + .milliseconds(500), ingress.process, within: .seconds(20))
                        slowest = max(slowest, again)
                        await pass(.seconds(2), since: killed)
                        try await broker.bringBack(node: node)
                        // The next broker to stop must not be the only one with a record.
                        try await broker.waitForReplicas()
                    }
                }
                let ledger = try await Ledger(outcomes, broker)
                ledger.check(ingress.process)
                #expect(slowest.keeps(.seconds(10)))
                try publish("kill -9 of one broker of three", kills, "kills", ledger)
            }
        }

        @Test func `losing two of three brokers causes 503, and 200 again soon after their return`() async throws {
            try await scene { broker, ingress, load in
                let times = TestScale.choose(short: 1, long: 3)
                var windows: [Range<ContinuousClock.Instant>] = []
                var slowest = Duration.zero
                let outcomes = try await load.run {
                    for _ in 0..<times {
                        let before = ContinuousClock.now
                        try await load.wait(for: 20, ingress.process) { $0.isAcknowledged && $0.begun > before }
                        try await broker.remove(.killed, node: 2)
                        try await broker.remove(.killed, node: 3)
                        let gone = ContinuousClock.now
                        await pass(TestScale.choose(short: .seconds(7), long: .seconds(30)))
                        windows.append(gone..<ContinuousClock.now)
                        async let second: Void = broker.bringBack(node: 2)
                        try await broker.bringBack(node: 3)
                        try await second
                        let returned = ContinuousClock.now
                        slowest = max(
                            slowest,
                            try await load.waitForAcknowledgement(
                                begunAfter: returned, ingress.process, within: .seconds(30)))
                        // The next broker to stop must not be the only one with a record.
                        try await broker.waitForReplicas()
                    }
                }
                let ledger = try await Ledger(outcomes, broker)
                ledger.check(ingress.process)
                for window in windows {
                    let meanwhile = outcomes.filter { window.contains($0.begun) && window.contains($0.ended) }
                    #expect(meanwhile.count > 10)
                    #expect(meanwhile.allSatisfy { $0.answer == .status(503) })
                }
                #expect(try #require(outcomes.map(\.duration).max()).keeps(.milliseconds(5500)))
                #expect(slowest.keeps(.seconds(10)))
                try publish("two brokers of three killed", times, "times", ledger, again: slowest)
            }
        }

        @Test func `moving leaders under load loses nothing`() async throws {
            try await scene { broker, ingress, load in
                let rounds = TestScale.choose(short: 1, long: 10)
                let outcomes = try await load.run {
                    try await load.wait(for: 50, ingress.process) { $0.isAcknowledged }
                    for round in 0..<rounds { try await moveLeaders(broker, round) }
                    let moved = ContinuousClock.now
                    try await load.wait(for: 50, ingress.process) { $0.isAcknowledged && $0.begun > moved }
                }
                let ledger = try await Ledger(outcomes, broker)
                ledger.check(ingress.process)
                #expect(ledger.duplicates == 0)
                #expect(ledger.count(503) * 100 <= outcomes.count)
                try publish("leaders moved", rounds * Self.partitions, "moves", ledger)
            }
        }

        @Test func `an ingress killed repeatedly loses no acknowledged notification`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka(try await .threeBrokers(), partitions: Self.partitions)
                try await EndToEnd.killAgainAndAgain(TestScale.choose(short: 3, long: 200), broker, harness)
            }
        }

        private static let partitions = 6
    }
}

extension EndToEnd.ThreeBrokersOfApacheKafka {
    private func scene(_ body: (Broker, Ingress, Load) async throws -> Void) async throws {
        try await Harness.open { harness in
            let broker = try await harness.apacheKafka(try await .threeBrokers(), partitions: Self.partitions)
            let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
            try await body(
                broker, ingress,
                try Load(
                    to: ingress.url, pki: harness.path("pki"), perSecond: TestScale.choose(short: 40, long: 100)))
        }
    }

    private func publish(
        _ fault: String, _ count: Int, _ unit: String, _ ledger: Ledger, again: Duration? = nil
    ) throws {
        var report = FaultReport("\(fault), Apache Kafka with 3 brokers")
        report.add(unit, count)
        ledger.add(to: &report)
        report.add("200 again after", again)
        try report.publish()
    }

    /// Makes the next replica of each partition the preferred one, and then the leader.
    private func moveLeaders(_ broker: Broker, _ round: Int) async throws {
        let topic = broker.notifications(.production).rawValue
        let plan = (0..<Self.partitions).map { partition in
            let replicas = (0..<3).map { ($0 + partition + round) % 3 + 1 }
            return #"{"topic":"\#(topic)","partition":\#(partition),"replicas":\#(replicas)}"#
        }
        let file = "\(ProcessCleanup.shared.directory)/moves-\(UUID().uuidString.prefix(8)).json"
        try #"{"version":1,"partitions":[\#(plan.joined(separator: ","))]}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        _ = try await broker.tool(
            "kafka-reassign-partitions.sh", ["--reassignment-json-file", file, "--execute"])
        _ = try await broker.tool(
            "kafka-leader-election.sh",
            ["--election-type", "preferred", "--path-to-json-file", file])
    }
}
