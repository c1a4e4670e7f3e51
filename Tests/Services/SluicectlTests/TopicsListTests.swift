import JSON
import Testing

@testable import Sluicectl

/// `sluicectl topics list`.
@Suite struct TopicsListTests {
    private func list(_ arguments: [String]) async -> (exitCode: Int32, printed: Printed) {
        await sluicectl(["topics", "list"] + arguments)
    }

    @Test func `a table names each topic with its settings`() async {
        let (code, printed) = await list(["--partitions", "6"])
        #expect(code == 0)
        let lines = printed.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("TOPIC ") == true)
        #expect(
            lines.contains { line in
                line.split(separator: " ") == [
                    "appstore.notifications.production", "6", "3", "cleanup.policy=delete",
                    "max.message.bytes=1048588", "min.insync.replicas=2", "retention.ms=2592000000",
                    "unclean.leader.election.enable=false",
                ]
            })
        #expect(lines.contains { $0.hasPrefix("appstore.notifications.sandbox.sluice-refunds.dlq ") })
    }

    @Test func `Strimzi's KafkaTopics are YAML, one document per topic`() async {
        let (code, printed) = await list([
            "--format", "strimzi", "--cluster", "kafka", "--topics.prefix", "My_Shop", "--profile", "single-node",
        ])
        #expect(code == 0)
        #expect(
            printed.output.contains(
                """
                apiVersion: kafka.strimzi.io/v1
                kind: KafkaTopic
                metadata:
                  name: "my-shop.quarantine"
                  labels:
                    strimzi.io/cluster: "kafka"
                spec:
                  topicName: "My_Shop.quarantine"
                  partitions: 1
                  replicas: 1
                  config:
                    cleanup.policy: "delete"
                    max.message.bytes: "1048588"
                    min.insync.replicas: "1"
                    retention.ms: "7776000000"
                    unclean.leader.election.enable: "false"
                ---

                """))
    }

    @Test func `a valid Kubernetes name is not repeated as topicName`() async {
        let (_, printed) = await list(["--format", "strimzi", "--cluster", "kafka"])
        #expect(!printed.output.contains("topicName"))
    }

    @Test func `topics of a managed service have its number of replicas, and no settings of replication`() async throws
    {
        let managed = ["--durability", "managed"]
        let (code, table) = await list(managed + ["--partitions", "6"])
        #expect(code == 0)
        #expect(
            table.output.split(separator: "\n").contains { line in
                line.split(separator: " ") == [
                    "appstore.notifications.production", "6", "default", "cleanup.policy=delete",
                    "max.message.bytes=1048588", "retention.ms=2592000000",
                ]
            })
        let (_, resources) = await list(managed + ["--format", "strimzi", "--cluster", "kafka"])
        #expect(resources.output.contains("  partitions: 1\n  config:\n"))
        #expect(!resources.output.contains("replicas"))
        let (_, object) = await list(managed + ["--output", "json"])
        let topics = try #require(try object.objects.first?["topics"]?.array).compactMap(\.object)
        #expect(!topics.isEmpty && topics.allSatisfy { $0["replicationFactor"] == .integer(-1) })
        #expect(topics.allSatisfy { $0["settings"]?.object?["min.insync.replicas"] == nil })
        let (_, chosen) = await list(managed + ["--replication-factor", "2"])
        #expect(
            chosen.output.split(separator: "\n").contains {
                $0.split(separator: " ").prefix(3) == ["appstore.quarantine", "1", "2"]
            })
    }

    @Test func `JSON shows which topics have keys`() async throws {
        let (code, printed) = await list(["--output", "json", "--replication-factor", "2"])
        #expect(code == 0)
        let topics = try #require(try printed.objects.first?["topics"]?.array).compactMap(\.object)
        let certificates = topics.first { $0["topic"]?.string == "appstore.certificates" }
        #expect(certificates?["partitions"] == .integer(1))
        #expect(certificates?["keyed"] == .bool(false))
        #expect(certificates?["replicationFactor"] == .integer(2))
        #expect(certificates?["settings"]?.object?["delete.retention.ms"] == .string("3888000000"))
        #expect(topics.first { $0["topic"]?.string == "appstore.refunds.sandbox" }?["keyed"] == .bool(true))
    }

    @Test(arguments: [
        (["--format", "strimzi"], 64, "--cluster kafka"), (["--format", "yaml"], 78, "must be one of text, strimzi"),
        (["--format", "strimzi", "--output", "json"], 64, "Pass only one of them"),
        (
            ["--format", "strimzi", "--cluster", "k", "--groups", "a_b,a-b"], 64,
            "two topics would have the KafkaTopic name"
        ),
    ])
    func `an invalid argument is reported in one line`(_ arguments: [String], _ exitCode: Int32, _ part: String) async {
        let (code, printed) = await list(arguments)
        #expect(code == exitCode)
        #expect(printed.output.isEmpty)
        #expect(printed.complaints.count == 1, "\(printed.complaints)")
        #expect(printed.complaints.first?.contains(part) == true, "\(printed.complaints)")
    }
}
