import CommandLine
import Configuration
import Kafka
import Testing

@testable import ServiceKit

/// Topics with `durability=managed`: the service replicates them but does not report how.
@Suite struct DurabilityTests {
    private static func topic(_ settings: [String: String], replicas: [Int32] = [1]) -> KafkaTopicDescription {
        KafkaTopicDescription(
            topic: "t",
            partitions: [.init(partition: 0, leader: 1, replicas: replicas, inSyncReplicas: replicas)],
            configuration: settings)
    }

    private static let expectation = KafkaTopicExpectation(
        topic: "t",
        createdWith: [
            "max.message.bytes": "1000000", "cleanup.policy": "compact", "retention.ms": "2592000000",
            "min.compaction.lag.ms": "86400000", "message.timestamp.type": "CreateTime",
        ])

    private static let good = [
        "max.message.bytes": "1000000", "cleanup.policy": "compact", "retention.ms": "2592000000",
        "min.compaction.lag.ms": "86400000", "message.timestamp.type": "CreateTime", "min.insync.replicas": "1",
        "unclean.leader.election.enable": "true",
    ]

    @Test func `a managed service controls replicas, in-sync replicas and elections without a warning`() {
        let topic = Self.topic(Self.good)
        #expect(Self.expectation.required(by: .managed).findings(in: topic).isEmpty)
        #expect(Self.expectation.wished(by: .managed).findings(in: topic).isEmpty)
        let checked = Self.expectation.required(by: .production).findings(in: topic).map(\.subject)
        #expect(checked == [.replicationFactor, .minInSyncReplicas, .uncleanLeaderElection])
    }

    @Test(arguments: [
        ("max.message.bytes", "1000"), ("cleanup.policy", "delete"), ("retention.ms", "3600000"),
        ("min.compaction.lag.ms", "0"), ("message.timestamp.type", "LogAppendTime"),
    ])
    func `every other setting is required as in production`(_ setting: String, _ value: String) {
        let topic = Self.topic(Self.good.merging([setting: value]) { $1 })
        #expect(Self.expectation.required(by: .managed).findings(in: topic).map(\.subject.rawValue) == [setting])
    }

    @Test func `a setting that the service does not report causes a warning, unless the service controls it`() {
        let unreported = Self.expectation.wished(by: .managed).unreported(in: Self.topic([:])).map(\.subject)
        #expect(
            Set(unreported) == [.maxMessageBytes, .cleanupPolicy, .retention, .compactionLag, .timestampType])
    }

    @Test(arguments: [
        ([String](), DeploymentProfile.production), (["--durability", "managed"], .managed),
        (["--durability", "checked"], .production), (["--profile", "single-node"], .singleNode),
        (["--profile", "single-node", "--durability", "managed"], .singleNode),
    ])
    func `profile and durability determine one of three deployments`(
        _ flags: [String], _ deployment: DeploymentProfile
    ) {
        let command = Command(
            "test", summary: "Tests.",
            schema: ConfigurationSchema(ApplicationSettings.all, openPrefixes: [ApplicationSettings.kafka]),
            version: "0")
        guard case .run(let invocation) = command.parse(flags, environment: [:]) else {
            Issue.record("\(flags)")
            return
        }
        #expect(ApplicationSettings.deployment(invocation.configuration) == deployment)
    }

    @Test func `managed is not a profile`() {
        let command = Command(
            "test", summary: "Tests.", schema: ConfigurationSchema(ApplicationSettings.all), version: "0")
        guard case .refuse(let lines, _) = command.parse(["--profile", "managed"], environment: [:]) else {
            Issue.record("accepted")
            return
        }
        #expect(lines.first?.contains("production, single-node") == true)
    }
}
