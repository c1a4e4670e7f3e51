import AppStoreModel
import JSON
import Kafka
import Records
import ServiceKit
import Testing

@testable import Sluicectl

/// The plan derived from the brokers' descriptions.
@Suite struct TopicPlanTests {
    private let names = TopicNames(prefix: "test")
    private let production = TopicDemands(profile: .production, replicationFactor: nil)

    private func plan(
        _ found: [KafkaTopicDescription], demands: TopicDemands? = nil, isEmbedded: Bool = false
    ) -> TopicPlan {
        TopicPlan(
            names, partitions: 12, demands: demands ?? production, found: found, isEmbedded: isEmbedded,
            bootstrapServers: "kafka-1:9092")
    }

    @Test func `further groups have dead-letter topics for both inputs, and no topic is duplicated`() {
        let own = Set(names.specifications().map(\.name))
        let plan = TopicPlan(
            names, partitions: 12, groups: ["sluice-webhooks", "inbox"], demands: production, found: [],
            bootstrapServers: "kafka-1:9092")
        #expect(Set(plan.items.map(\.topic)).count == plan.items.count)
        #expect(
            Set(plan.items.map(\.topic)).subtracting(own)
                == Set(
                    ["production", "sandbox"].flatMap { environment in
                        [
                            KafkaTopic(rawValue: "test.notifications.\(environment).sluice-webhooks.dlq"),
                            KafkaTopic(rawValue: "test.notifications.\(environment).inbox.dlq"),
                            KafkaTopic(rawValue: "test.entitlements.\(environment).inbox.dlq"),
                        ]
                    }))
    }

    @Test func `the topic of a custom state is compacted like Sluice's, and suits proposals`() throws {
        let plan = TopicPlan(
            names, partitions: 6, stateTopics: ["test.latest.production", "test.entitlements.production"],
            demands: production, found: [], bootstrapServers: "kafka-1:9092")
        #expect(Set(plan.items.map(\.topic)).count == plan.items.count)
        let topic = try #require(plan.newTopics.first { $0.topic == "test.latest.production" })
        #expect(topic.partitions == 6)
        #expect(topic.configuration["cleanup.policy"] == "compact")
        #expect(topic.configuration["min.compaction.lag.ms"] == "86400000")
        #expect(topic.configuration["delete.retention.ms"] == "3888000000")
        #expect(topic.configuration["min.insync.replicas"] == "2")
    }

    /// Returns the topics as expected, with a change to one of them.
    private func found(
        changing topic: String? = nil, partitions: Int = 12, replicas: Int = 3, settings: [String: String] = [:]
    ) -> [KafkaTopicDescription] {
        names.specifications().map { specification in
            let isChanged = specification.name.rawValue == topic
            let count = isChanged ? partitions : specification.partitions
            let brokers = (0..<Int32(isChanged ? replicas : 3)).map { $0 }
            let changes = isChanged ? settings : [:]
            return KafkaTopicDescription(
                topic: specification.name,
                partitions: (0..<Int32(count)).map {
                    .init(
                        partition: KafkaPartition(rawValue: $0), leader: 0, replicas: brokers, inSyncReplicas: brokers)
                }, configuration: production.settings(of: specification).merging(changes) { $1 })
        }
    }

    @Test func `a missing topic is created with all settings of its specification`() throws {
        let plan = plan([])
        #expect(plan.newTopics.map(\.topic.rawValue) == names.specifications().map(\.name.rawValue))
        let notifications = try #require(plan.newTopics.first)
        #expect(notifications.partitions == 12)
        #expect(notifications.replicationFactor == 3)
        #expect(
            notifications.configuration == [
                "cleanup.policy": "delete", "retention.ms": "2592000000", "max.message.bytes": "1048588",
                "min.insync.replicas": "2", "unclean.leader.election.enable": "false",
            ])
        let entitlements = try #require(plan.newTopics.first { $0.topic.rawValue.contains("entitlements.p") })
        #expect(entitlements.configuration["cleanup.policy"] == "compact")
        #expect(entitlements.configuration["retention.ms"] == nil)
        #expect(entitlements.configuration["max.compaction.lag.ms"] == "604800000")
        #expect(entitlements.configuration["segment.ms"] == "86400000")
        #expect(entitlements.configuration["message.timestamp.type"] == "CreateTime")
        #expect(plan.newTopics.first { $0.topic == "test.quarantine" }?.partitions == 1)
    }

    private func notes(_ report: TopicReport) -> [String]? {
        report.json[OutputName.notes]?.array?.compactMap(\.string)
    }

    @Test(arguments: DeploymentProfile.allCases + [.managed])
    func `the reported differences equal those that the executables refuse, in either profile`(
        _ profile: DeploymentProfile
    ) {
        let demands = TopicDemands(profile: profile, replicationFactor: nil)
        for specification in names.specifications() {
            let topic = specification.name
            let required = specification.expectation.required(by: profile)
            for changes in [
                [:], ["min.insync.replicas": "1"], ["unclean.leader.election.enable": "true"],
                ["max.message.bytes": "1000"], ["cleanup.policy": "compact,delete"], ["retention.ms": "1209600000"],
                ["retention.ms": "86400000"],
            ] {
                for replicas in [1, 3] {
                    let found = found(
                        changing: topic.rawValue, partitions: specification.partitions, replicas: replicas,
                        settings: changes)
                    let item = plan(found, demands: demands).items.first { $0.topic == topic }
                    let description = found.first { $0.topic == topic }
                    #expect(item?.differences == required.findings(in: description), "\(topic) \(changes) \(replicas)")
                }
            }
        }
    }

    @Test func `a correction satisfies the expectation, regardless of the requested number of replicas`() throws {
        let demands = TopicDemands(profile: .production, replicationFactor: 1)
        let topic = "test.quarantine"
        let found = found(changing: topic, partitions: 1, settings: ["min.insync.replicas": "1"])
        let item = try #require(plan(found, demands: demands).items.first { $0.topic.rawValue == topic })
        #expect(item.corrections.first?.hasSuffix("--add-config min.insync.replicas=2") == true)
    }

    @Test func `a created topic without leaders is reported as a failure`() throws {
        let plan = plan([])
        let report = TopicReport(
            plan, missing: .created, leaderless: ["test.quarantine": "created, but 1 of 1 partitions have no leader"])
        #expect(!report.isGood)
        let line = try #require(report.lines.first { $0.item.topic == "test.quarantine" })
        #expect(line.status == .created)
        #expect(report.text.contains("1 of 1 partitions have no leader"))
        #expect(line.json[OutputName.error]?.string?.contains("no leader") == true)
    }

    @Test func `a topic that matches its specification is not changed`() {
        let plan = plan(found())
        #expect(plan.newTopics.isEmpty)
        #expect(plan.items.allSatisfy { $0.differences.isEmpty && $0.corrections.isEmpty })
        let report = TopicReport(plan, missing: .created)
        #expect(report.isGood)
        #expect(report.lines.allSatisfy { $0.status == .exists })
    }

    @Test(
        arguments: [
            (DeploymentProfile.production, nil, 3, 2), (.singleNode, nil, 1, 1), (.production, 1, 1, 1),
            (.production, 5, 5, 2), (.singleNode, 3, 3, 1),
        ] as [(DeploymentProfile, Int?, Int, Int)])
    func `the number of replicas follows from the profile unless it is given`(
        _ profile: DeploymentProfile, _ given: Int?, _ replicas: Int, _ inSync: Int
    ) {
        let demands = TopicDemands(profile: profile, replicationFactor: given)
        #expect(demands.replicationFactor == replicas)
        #expect(demands.minInSyncReplicas == inSync)
    }

    @Test func `wrong settings are corrected by one command`() throws {
        let topic = "test.entitlements.sandbox"
        let settings = [
            "cleanup.policy": "delete", "min.insync.replicas": "1", "unclean.leader.election.enable": "true",
            "max.message.bytes": "1000",
        ]
        let item = try #require(
            plan(found(changing: topic, settings: settings)).items.first { $0.topic.rawValue == topic })
        #expect(item.differences.count == 4)
        #expect(
            item.corrections == [
                "kafka-configs.sh --bootstrap-server kafka-1:9092 --alter --entity-type topics --entity-name \(topic) "
                    + "--add-config min.insync.replicas=2,unclean.leader.election.enable=false,"
                    + "max.message.bytes=1048588,cleanup.policy=compact"
            ])
    }

    @Test(arguments: DeploymentProfile.allCases + [.managed])
    func `tombstones that are deleted too soon are a difference in either profile`(_ profile: DeploymentProfile) throws
    {
        let topic = "test.entitlements.production"
        let plan = plan(
            found(changing: topic, settings: ["delete.retention.ms": "86400000"]),
            demands: TopicDemands(profile: profile, replicationFactor: nil))
        let item = try #require(plan.items.first { $0.topic.rawValue == topic })
        #expect(item.differences.map(\.subject) == [.deleteRetention])
        #expect(item.corrections.first?.hasSuffix("--add-config delete.retention.ms=3888000000") == true)
    }

    @Test(arguments: [
        ("max.compaction.lag.ms", "9223372036854775807", "604800000"), ("segment.ms", "604800000", "86400000"),
        ("min.compaction.lag.ms", "0", "86400000"), ("message.timestamp.type", "LogAppendTime", "CreateTime"),
    ])
    func `settings that erasures and proposals need are checked, with the command that corrects them`(
        _ setting: String, _ found: String, _ right: String
    ) throws {
        let topic = "test.refunds.production"
        let item = try #require(
            plan(self.found(changing: topic, settings: [setting: found])).items.first { $0.topic.rawValue == topic })
        #expect(item.differences.map(\.subject.rawValue) == [setting])
        #expect(item.corrections.first?.hasSuffix("--add-config \(setting)=\(right)") == true)
    }

    @Test func `a setting that the brokers do not report is not a difference, and is listed`() throws {
        let topic = KafkaTopic(rawValue: "test.quarantine")
        let found = found().map { description in
            guard description.topic == topic else { return description }
            var settings = description.configuration
            settings?["min.insync.replicas"] = nil
            return KafkaTopicDescription(
                topic: topic, partitions: description.partitions, configuration: settings)
        }
        let report = TopicReport(plan(found), missing: .missing)
        #expect(report.isGood)
        #expect(
            report.text.contains(
                "The brokers do not report these settings of test.quarantine, expected: "
                    + "min.insync.replicas (at least 2)."))
    }

    @Test func `a number of partitions is never corrected`() throws {
        let topic = "test.notifications.production"
        let plan = plan(found(changing: topic, partitions: 24))
        #expect(plan.newTopics.isEmpty)
        let correction = try #require(plan.items.first { $0.topic.rawValue == topic }?.corrections.first)
        #expect(correction.contains("a different topics.prefix"))
        #expect(correction.contains("topics.partitions=24"))
        #expect(!TopicReport(plan, missing: .created).isGood)
    }

    @Test func `quarantine may have any number of partitions`() {
        #expect(TopicReport(plan(found(changing: "test.quarantine", partitions: 12)), missing: .missing).isGood)
    }

    @Test func `too few replicas are reported with the tool that adds them`() throws {
        let topic = "test.entitlements.production"
        let item = try #require(
            plan(found(changing: topic, replicas: 1)).items.first { $0.topic.rawValue == topic })
        #expect(item.differences.map(\.subject) == [.replicationFactor])
        #expect(item.corrections.first?.hasPrefix("kafka-reassign-partitions.sh") == true)
    }

    @Test func `replicas and settings are not checked on the embedded broker`() {
        let found = found(changing: "test.quarantine", replicas: 1).map {
            KafkaTopicDescription(topic: $0.topic, partitions: $0.partitions, configuration: nil)
        }
        #expect(TopicReport(plan(found, isEmbedded: true), missing: .missing, isEmbedded: true).isGood)
    }

    @Test func `the JSON report has stable names`() throws {
        let plan = plan(
            found(changing: "test.quarantine", partitions: 1, settings: ["min.insync.replicas": "1"]).filter {
                $0.topic == "test.quarantine"
            })
        let json = String(decoding: JSONValue.object(TopicReport(plan, missing: .created).json).json, as: UTF8.self)
        #expect(
            json.hasPrefix(
                #"{"ok":false,"embeddedBroker":false,"topics":[{"topic":"test.notifications.production","#
                    + #""status":"created","partitions":12,"replicationFactor":3,"differences":[],"corrections":[]},"#))
        #expect(
            json.contains(
                #"{"topic":"test.quarantine","status":"differs","partitions":1,"replicationFactor":3,"differences":["#
                    + #"{"setting":"min.insync.replicas","found":"1","expected":"at least 2"}],"corrections":["#
                    + #""kafka-configs.sh --bootstrap-server kafka-1:9092 --alter --entity-type topics "#
                    + #"--entity-name test.quarantine --add-config min.insync.replicas=2"]}"#))
    }

    @Test func `creating topics warns that their partition counts cannot be changed`() {
        #expect(TopicReport(plan([]), missing: .created).text.contains("cannot be changed"))
        #expect(notes(TopicReport(plan([]), missing: .created)) == [TopicReport.partitionCountIsFixed])
        #expect(notes(TopicReport(plan([]), missing: .wouldBeCreated)) == [TopicReport.partitionCountIsFixed])
        #expect(notes(TopicReport(plan(found()), missing: .created)) == [])
        #expect(
            notes(TopicReport(plan(found(), isEmbedded: true), missing: .missing, isEmbedded: true))
                == [TopicReport.embeddedBroker])
        #expect(TopicReport(plan([]), missing: .wouldBeCreated).text.contains("would be created"))
        #expect(!TopicReport(plan(found()), missing: .created).text.contains("cannot be changed"))
    }

    @Test func `a managed service gets topics with its own number of replicas`() {
        let names = TopicNames(prefix: "test")
        let demands = TopicDemands(profile: .managed, replicationFactor: nil)
        let plan = TopicPlan(
            names, partitions: 2, demands: demands, found: [], bootstrapServers: "kafka-1:9092")
        #expect(!plan.newTopics.isEmpty)
        for topic in plan.newTopics {
            #expect(topic.replicationFactor == -1, "\(topic)")
            #expect(topic.configuration["min.insync.replicas"] == nil)
            #expect(topic.configuration["unclean.leader.election.enable"] == nil)
        }
        for specification in names.specifications(partitions: 2) {
            let expectation = demands.expectation(of: specification, isEmbedded: false)
            #expect(expectation.replicationFactor == nil && expectation.minInSyncReplicas == nil)
        }
        let chosen = TopicDemands(profile: .managed, replicationFactor: 3)
        #expect(chosen.replicationFactor == 3)
    }
}
