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

    @Test func `a topic that matches its expectation yields no finding`() {
        #expect(expectation().findings(in: description(Self.sound)).isEmpty)
    }

    @Test(arguments: [
        ("min.insync.replicas", "1"), ("unclean.leader.election.enable", "true"), ("max.message.bytes", "999999"),
        ("cleanup.policy", "delete"), ("retention.ms", "1000"), ("retention.ms", "unknown"),
        ("max.message.bytes", "99999999999999999999"),
    ])
    func `each setting that differs yields a finding`(name: String, value: String) {
        let settings = Self.sound.merging([name: value]) { $1 }
        let findings = expectation().findings(in: description(settings))
        #expect(findings.map(\.subject.rawValue) == [name])
        #expect(findings.map(\.found) == [value])
    }

    @Test func `unlimited retention is long enough`() {
        #expect(expectation().findings(in: description(Self.sound.merging(["retention.ms": "-1"]) { $1 })).isEmpty)
    }

    @Test func `a missing topic yields one finding`() {
        #expect(expectation().findings(in: nil).map(\.subject) == [.missing])
        #expect(expectation().findings(in: nil).map(\.description) == ["topic t does not exist"])
    }

    @Test func `a different number of partitions or replicas yields a finding`() {
        let findings = expectation().findings(in: description(replicas: 1, partitions: 4, Self.sound))
        #expect(findings.map(\.subject) == [.partitionCount, .replicationFactor])
    }

    @Test func `a setting that the broker does not report is unknown, not a finding`() {
        #expect(expectation().findings(in: description([:])).isEmpty)
        let unreported = expectation().unreported(in: description([:]))
        #expect(
            unreported.map(\.subject) == [
                .minInSyncReplicas, .uncleanLeaderElection, .maxMessageBytes, .cleanupPolicy, .retention,
            ])
        #expect(
            unreported.map(\.expected) == [
                "at least 2", "false", "at least 1000000", "delete, compact", "at least 2592000000",
            ])
        #expect(expectation().unreported(in: description(Self.sound)).isEmpty)
        #expect(expectation().unreported(in: nil).isEmpty)
        #expect(expectation().unreported(in: description(nil)).isEmpty)
    }

    @Test(arguments: [
        ("min.compaction.lag.ms", "86400000", "0"), ("max.compaction.lag.ms", "604800000", "9223372036854775807"),
        ("segment.ms", "86400000", "604800000"), ("message.timestamp.type", "CreateTime", "LogAppendTime"),
    ])
    func `cleanup policy and timestamp settings are compared`(name: String, right: String, wrong: String) {
        var expectation = KafkaTopicExpectation(topic: "t")
        expectation.compactionLagMilliseconds = 86_400_000
        expectation.maxCompactionLagMilliseconds = 604_800_000
        expectation.maxSegmentMilliseconds = 86_400_000
        expectation.timestampType = "CreateTime"
        #expect(expectation.findings(in: description([name: right])).isEmpty)
        #expect(expectation.findings(in: description([name: wrong])).map(\.subject.rawValue) == [name])
    }

    @Test func `if the broker does not report settings, only the layout is compared`() {
        #expect(expectation().findings(in: description(nil)).isEmpty)
    }

    @Test func `settings without an expectation are not compared`() {
        #expect(KafkaTopicExpectation(topic: "t").findings(in: description(replicas: 1, [:])).isEmpty)
    }
}
