import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// The brokers respond, but the topic or the disk rejects the record. The fault is on our side, so the ingress
    /// answers 503.
    @Suite(.enabled(if: ApacheKafka.isOurs, "\(ApacheKafka.faultAbsence)")) struct TopicFaultsOnApacheKafka {
        @Test func `a lower size limit of the topic causes 503 until it is raised`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka(try await .shared())
                let topic = ["--entity-type", "topics", "--entity-name", broker.notifications(.production).rawValue]
                try await refused("records larger than the topic allows", broker, harness) {
                    _ = try await broker.tool(
                        "kafka-configs.sh", ["--alter", "--add-config", "max.message.bytes=1000"] + topic)
                } mend: {
                    _ = try await broker.tool(
                        "kafka-configs.sh", ["--alter", "--delete-config", "max.message.bytes"] + topic)
                }
            }
        }

        @Test func `a deleted topic causes 503 until it exists again`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka(try await .shared())
                let name = broker.notifications(.production)
                let production = try #require(
                    broker.topics.specifications(partitions: 4).first { $0.name.rawValue == name.rawValue })
                // Its earlier records are deleted with the topic.
                try await refused("topic deleted", broker, harness, keepsRecords: false) {
                    _ = try await broker.tool("kafka-topics.sh", ["--delete", "--topic", name.rawValue])
                } mend: {
                    try await broker.create([production])
                }
            }
        }

        @Test func `a full broker disk causes 503 until there is space`() async throws {
            try await Harness.open { harness in
                let cluster = try await ApacheKafka.start()
                let broker = try await harness.apacheKafka(cluster)
                try await refused("disk of the broker refuses", broker, harness) {
                    try await cluster.limitFiles(to: 1)
                } mend: {
                    // Restarts the broker without the limit. Kafka stops using a failed directory, and exits when its
                    // last one fails.
                    try await cluster.restart()
                }
                try await cluster.stop()
            }
        }
    }
}

extension EndToEnd.TopicFaultsOnApacheKafka {
    /// - Parameters:
    ///   - keepsRecords: whether previously acknowledged records still exist afterwards.
    ///   - spoil: causes the fault; returns when no record is accepted.
    ///   - mend: repairs it; returns when records are accepted again.
    private func refused(
        _ fault: String, _ broker: Broker, _ harness: Harness, keepsRecords: Bool = true,
        spoil: () async throws -> Void, mend: () async throws -> Void
    ) async throws {
        let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
        let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 20)
        var spoilt = ContinuousClock.now
        var mended = ContinuousClock.now
        var again = Duration.zero
        let outcomes = try await load.run {
            try await load.wait(for: 20, ingress.process) { $0.isAcknowledged }
            try await spoil()
            // The last accepted records have been acknowledged by now.
            try await load.wait(for: 1, ingress.process) { $0.answer == .status(503) }
            spoilt = .now
            try await load.wait(for: TestScale.choose(short: 40, long: 400), ingress.process) {
                $0.answer == .status(503) && $0.begun > spoilt
            }
            try await mend()
            mended = .now
            again = try await load.waitForAcknowledgement(
                begunAfter: mended, ingress.process, within: .seconds(30))
            try await load.wait(for: 20, ingress.process) { $0.isAcknowledged && $0.begun > mended }
        }
        let kept = keepsRecords ? outcomes : outcomes.filter { $0.begun > spoilt }
        let ledger = try await Ledger(kept, broker)
        ledger.check(ingress.process)
        #expect(outcomes.allSatisfy { [.status(200), .status(503)].contains($0.answer) })
        #expect(try #require(outcomes.map(\.duration).max()).keeps(.milliseconds(5500)))
        #expect(again.keeps(.seconds(10)))

        var report = FaultReport("\(fault), Apache Kafka")
        report.add("lasted", mended - spoilt)
        ledger.add(to: &report)
        report.add("200 again after", again)
        try report.publish()
    }
}
