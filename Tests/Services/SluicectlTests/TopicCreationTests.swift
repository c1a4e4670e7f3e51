import Foundation
import JSON
import Kafka
import Records
import ServiceKit
import TestSupport
import Testing

@testable import Sluicectl

/// `topics apply` on a cluster that rejects some of a topic's settings.
@Suite struct TopicCreationTests {
    private static let plan = TopicPlan(
        TopicNames(prefix: "test"), partitions: 2, demands: TopicDemands(profile: .production, replicationFactor: nil),
        found: [], bootstrapServers: "kafka-1:9092")
    private static let state: KafkaTopic = "test.refunds.production"

    /// A cluster that rejects a topic with any of these settings.
    private struct Cluster {
        let refused: [String]
        let code: KafkaError.Code
        /// Whether the reason names one of the settings.
        var names = true
        private(set) var created: [KafkaTopic: [String: String]] = [:]
        private(set) var requests = 0

        mutating func create(_ topics: [KafkaNewTopic]) -> [KafkaTopic: KafkaError] {
            requests += 1
            var errors: [KafkaTopic: KafkaError] = [:]
            for topic in topics {
                if let name = refused.first(where: { topic.configuration[$0] != nil }) {
                    let reason = names ? "Unknown topic config name: \(name)." : "not allowed here"
                    errors[topic.topic] = KafkaError(code, "create \(topic.topic): \(reason)")
                } else {
                    created[topic.topic] = topic.configuration
                }
            }
            return errors
        }
    }

    @Test(arguments: [
        (["message.timestamp.type"], KafkaError.Code.invalidTopicSetting),
        (["min.compaction.lag.ms", "max.compaction.lag.ms"], .invalidTopicSetting),
        (["min.insync.replicas", "unclean.leader.election.enable"], .policyViolation),
    ])
    func `a topic is created without refused optional settings, and with all others`(
        _ refused: [String], _ code: KafkaError.Code
    ) async throws {
        var cluster = Cluster(refused: refused, code: code)
        let outcome = try await TopicCreation.create(Self.plan.newTopics) { topics throws(KafkaError) in
            cluster.create(topics)
        }
        #expect(outcome.failures.isEmpty)
        #expect(Set(cluster.created.keys) == Set(Self.plan.newTopics.map(\.topic)))
        for topic in Self.plan.newTopics {
            let present = refused.filter { topic.configuration[$0] != nil }
            #expect(outcome.omitted[topic.topic] ?? [] == present)
            #expect(cluster.created[topic.topic] == topic.configuration.filter { !present.contains($0.key) })
        }
        let report = TopicReport(Self.plan, missing: .created, creation: outcome)
        #expect(report.isGood)
        let line = try #require(report.lines.first { $0.item.topic == Self.state })
        #expect(line.status == .created)
        let expected = try #require(Self.plan.newTopics.first { $0.topic == Self.state }?.configuration)
        for name in refused {
            let setting = "\(name)=\(try #require(expected[name]))"
            #expect(report.text.contains(setting))
            #expect(line.json[OutputName.omitted]?.array?.contains(.string(setting)) == true)
        }
        #expect(report.text.contains("The cluster rejected these settings of \(Self.state)"))
    }

    @Test func `if the reason names no setting, settings that protect records remain`() async throws {
        var cluster = Cluster(refused: ["segment.ms"], code: .policyViolation, names: false)
        let outcome = try await TopicCreation.create(Self.plan.newTopics) { topics throws(KafkaError) in
            cluster.create(topics)
        }
        #expect(cluster.requests == 2)
        #expect(outcome.failures.isEmpty)
        let kept = Set(try #require(cluster.created[Self.state]).keys)
        #expect(kept.isSuperset(of: ["min.insync.replicas", "unclean.leader.election.enable", "cleanup.policy"]))
        #expect(kept.isDisjoint(with: ["segment.ms", "min.compaction.lag.ms", "message.timestamp.type"]))
        // A topic that was not rejected keeps all settings.
        #expect(outcome.omitted["test.quarantine"] == nil)
    }

    @Test func `a topic is not created without settings that protect records if the reason names none`()
        async throws
    {
        var cluster = Cluster(refused: ["min.insync.replicas"], code: .policyViolation, names: false)
        let outcome = try await TopicCreation.create(Self.plan.newTopics) { topics throws(KafkaError) in
            cluster.create(topics)
        }
        #expect(cluster.created.isEmpty)
        #expect(outcome.failures[Self.state]?.code == .policyViolation)
    }

    @Test(arguments: [
        (["cleanup.policy"], KafkaError.Code.invalidTopicSetting), (["segment.ms"], .topicAuthorizationFailed),
    ])
    func `a topic is not created without required settings, or after another refusal`(
        _ refused: [String], _ code: KafkaError.Code
    ) async throws {
        var cluster = Cluster(refused: refused, code: code)
        let outcome = try await TopicCreation.create(Self.plan.newTopics) { topics throws(KafkaError) in
            cluster.create(topics)
        }
        #expect(cluster.created[Self.state] == nil)
        #expect(outcome.failures[Self.state]?.code == code)
        #expect(outcome.omitted[Self.state] == nil)
        #expect(!TopicReport(Self.plan, missing: .created, creation: outcome).isGood)
    }
}

@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .timeLimit(.minutes(5)))
struct TopicCreationOnApacheKafkaTests {
    @Test func `Apache Kafka names the refused topic setting in its reason`() async throws {
        let configuration = try KafkaConfiguration(bootstrapServers: await ApacheKafka.shared().bootstrapServers)
        let topic = KafkaTopic(rawValue: "creation-\(UUID())")
        let new = KafkaNewTopic(
            topic: topic, partitions: 1, replicationFactor: 1,
            configuration: ["cleanup.policy": "compact", "message.timestamp.type": "Neither", "segment.ms": "86400000"])
        let outcome = try await KafkaAdmin(configuration).closing { admin in
            try await TopicCreation.create([new]) { topics throws(KafkaError) in try await admin.createTopics(topics) }
        }
        #expect(outcome == TopicCreation.Outcome(omitted: [topic: ["message.timestamp.type"]]))
    }
}
