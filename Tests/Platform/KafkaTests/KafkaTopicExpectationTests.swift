import Kafka
import Testing

@Suite struct KafkaTopicExpectationTests {
    private static let sound: [String: String] = [
        "min.insync.replicas": "2", "unclean.leader.election.enable": "false", "max.message.bytes": "1048588",
        "cleanup.policy": "compact,delete", "retention.ms": "2592000000",
    ]

    private func expectation() -> KafkaTopicExpectation {
        var expectation = KafkaTopicExpectation(topic: "t")
        expectation.partitions = 2
        expectation.replicationFactor = 3
        expectation.minInSyncReplicas = 2
        expectation.uncleanLeaderElection = false
        expectation.maxMessageBytes = 1_000_000
        expectation.cleanupPolicy = "delete, compact"
        expectation.retentionMilliseconds = 2_592_000_000
        return expectation
    }

    private func description(replicas: Int = 3, partitions: Int32 = 2, _ settings: [String: String]?)
        -> KafkaTopicDescription
    {
        let all = (0..<Int32(replicas)).map { $0 }
        return KafkaTopicDescription(
            topic: "t",
            partitions: (0..<partitions).map {
                .init(partition: KafkaPartition(rawValue: $0), leader: 0, replicas: all, inSyncReplicas: all)
            }, configuration: settings)
    }

    @Test func `a topic as expected yields nothing`() {
        #expect(expectation().findings(in: description(Self.sound)).isEmpty)
    }

    @Test(arguments: [
        ("min.insync.replicas", "1"), ("unclean.leader.election.enable", "true"), ("max.message.bytes", "999999"),
        ("cleanup.policy", "delete"), ("retention.ms", "1000"), ("retention.ms", "unknown"),
        ("max.message.bytes", "99999999999999999999"),
    ])
    func `each setting that differs is named`(name: String, value: String) {
        let settings = Self.sound.merging([name: value]) { $1 }
        let findings = expectation().findings(in: description(settings))
        #expect(findings.map(\.subject.rawValue) == [name])
        #expect(findings.map(\.found) == [value])
    }

    @Test func `an unlimited retention is long enough`() {
        #expect(expectation().findings(in: description(Self.sound.merging(["retention.ms": "-1"]) { $1 })).isEmpty)
    }

    @Test func `a missing topic is one finding`() {
        #expect(expectation().findings(in: nil).map(\.subject) == [.missing])
        #expect(expectation().findings(in: nil).map(\.description) == ["topic t does not exist"])
    }

    @Test func `partitions and replicas are counted`() {
        let findings = expectation().findings(in: description(replicas: 1, partitions: 4, Self.sound))
        #expect(findings.map(\.subject) == [.partitionCount, .replicationFactor])
    }

    @Test func `a setting that the broker does not name is a finding`() {
        let findings = expectation().findings(in: description([:]))
        #expect(
            findings.map(\.subject) == [
                .minInSyncReplicas, .uncleanLeaderElection, .maxMessageBytes, .cleanupPolicy, .retention,
            ])
        #expect(findings.allSatisfy { $0.found == "unknown" })
    }

    @Test func `on a broker without settings only the layout is compared`() {
        #expect(expectation().findings(in: description(nil)).isEmpty)
    }

    @Test func `what is not expected is not compared`() {
        #expect(KafkaTopicExpectation(topic: "t").findings(in: description(replicas: 1, [:])).isEmpty)
    }
}
