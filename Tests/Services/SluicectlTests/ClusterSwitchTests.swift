import AppStoreModel
import CommandLine
import Configuration
import JSON
import Kafka
import KafkaDevBroker
import Records
import ServiceKit
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl cluster switch`: the new offsets of groups, and refusals.
@Suite(.timeLimit(.minutes(5)))
struct ClusterSwitchTests {
    private static let groups = ["sluice-entitlements", "sluice-refunds", "sluice-webhooks"]

    /// Returns a cluster with group offsets translated by a mirror.
    private func translated() async throws -> (CopiedCluster, [KafkaTopicPartition]) {
        let target = try CopiedCluster()
        try await target.write([target.notification(), target.state()])
        let topic = target.names.notifications(.production)
        let places = (0..<2).map { KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: $0)) }
        try await target.admin { admin in
            for group in Self.groups {
                let group = KafkaConsumerGroup(rawValue: group)
                try await admin.alterOffsets(of: group, to: [places[0]: 1, places[1]: 0])
            }
        }
        return (target, places)
    }

    private func committed(_ target: CopiedCluster, _ places: [KafkaTopicPartition]) async throws -> [[KafkaOffset?]] {
        try await target.admin { admin in
            var offsets: [[KafkaOffset?]] = []
            for group in Self.groups {
                let found = try await admin.committedOffsets(
                    of: KafkaConsumerGroup(rawValue: group), partitions: places)
                offsets.append(places.map { found[$0] })
            }
            return offsets
        }
    }

    @Test func `a plan changes nothing, and with --yes every group with offsets is reset to the beginning`()
        async throws
    {
        let (target, places) = try await translated()
        let (refused, plan) = await sluicectl(["cluster", "switch"] + target.flags)
        #expect(refused == 1)
        #expect(plan.complaints == ["sluicectl: nothing was changed. Run the command again with --yes."])
        #expect(plan.output.contains("group sluice-entitlements would read from the beginning"))
        #expect(plan.output.contains("moved.notifications.production  0          1     0"), "\(plan.output)")
        #expect(plan.output.contains("group sluice-archive has no offsets on this cluster and starts at the beginning"))
        #expect(plan.output.contains("with an empty data.dir"))
        #expect(plan.output.contains("different archive.url, archive.origin"))
        #expect(try await committed(target, places) == [[1, 0], [1, 0], [1, 0]])

        let (done, printed) = await sluicectl(["cluster", "switch", "--yes", "--output", "json"] + target.flags)
        #expect(done == 0, "\(printed.complaints)")
        let object = try #require(try printed.objects.first)
        #expect(object["ok"] == .bool(true))
        let groups = object["groups"]?.array?.compactMap { $0.object } ?? []
        #expect(
            groups.map { $0["executable"]?.string } == [
                "sluice-entitlements", "sluice-refunds", "sluice-reconciler", "sluice-archive", "sluice-webhooks",
            ])
        #expect(groups.map { $0["partitions"]?.array?.count } == [4, 4, 0, 0, 8])
        #expect(try await committed(target, places) == [[0, 0], [0, 0], [0, 0]])
        await target.close()
    }

    @Test func `webhooks cannot start from a time in the future`() async throws {
        let (target, places) = try await translated()
        let (exitCode, printed) = await sluicectl(
            ["cluster", "switch", "--yes", "--webhooks-from", "2999-01-01T00:00:00Z"] + target.flags)
        #expect(exitCode == 78)
        #expect(printed.complaints.last?.contains("is in the future") == true, "\(printed.complaints)")
        #expect(try await committed(target, places) == [[1, 0], [1, 0], [1, 0]])
        await target.close()
    }

    @Test func `all groups keep their offsets when one of them has members`() async throws {
        let (target, places) = try await translated()
        // A member without records to read, so that it commits nothing.
        let member = KafkaConsumer(
            target.configuration,
            source: .group("sluice-entitlements", topics: [target.names.notifications(.sandbox)])
        ) { _ in }
        try await member.start()
        try await waitUntil(within: .seconds(30)) { await !member.assignedPartitions.isEmpty }
        let (exitCode, printed) = await sluicectl(["cluster", "switch", "--yes"] + target.flags)
        #expect(exitCode == 1)
        #expect(printed.complaints.last?.contains("Stop every sluice-entitlements first") == true)
        #expect(try await committed(target, places) == [[1, 0], [1, 0], [1, 0]])
        await member.close(within: .seconds(5))
        await target.close()
    }

    @Test func `a problem ends the switch before any change, unless --despite-problems is given`() async throws {
        let (target, places) = try await translated()
        var stateless = target.notification()
        stateless.topic = target.names.notifications(.sandbox)
        try await target.write([stateless])
        let (exitCode, printed) = await sluicectl(["cluster", "switch", "--yes"] + target.flags)
        #expect(exitCode == 1)
        #expect(
            printed.complaints.last?.contains("nothing was changed: copy moved.entitlements.sandbox: it is empty")
                == true,
            "\(printed.complaints)")
        #expect(try await committed(target, places) == [[1, 0], [1, 0], [1, 0]])
        let (done, output) = await sluicectl(["cluster", "switch", "--yes", "--despite-problems"] + target.flags)
        #expect(done == 0, "\(output.complaints)")
        #expect(try await committed(target, places) == [[0, 0], [0, 0], [0, 0]])
        await target.close()
    }

    @Test func `the switch is refused until the mirror has copied all records of a reachable source`() async throws {
        let (target, places) = try await translated()
        let source = try CopiedCluster()
        let directory = try TemporaryDirectory()
        try await source.write([source.notification(), source.state(), source.state(2)])
        let (exitCode, printed) = await sluicectl(
            ["cluster", "switch", "--yes"] + target.flags + (try source.file(in: directory)))
        #expect(exitCode == 1)
        #expect(
            printed.complaints.last?.contains("copy moved.entitlements.production: 1 partitions lack") == true,
            "\(printed.complaints)")
        #expect(try await committed(target, places) == [[1, 0], [1, 0], [1, 0]])
        try await target.write([target.state(2)])
        let (done, output) = await sluicectl(
            ["cluster", "switch", "--yes"] + target.flags + (try source.file(in: directory)))
        #expect(done == 0, "\(output.complaints)")
        await source.close()
        await target.close()
    }
}

/// Findings about group members. Only Apache Kafka reports them.
@Suite struct ClusterMembersTests {
    private func view(_ id: String, _ active: Set<KafkaConsumerGroup>) -> ClusterView {
        ClusterView(id: id, topics: [], records: [], activeGroups: active)
    }

    private func findings(
        target: Set<KafkaConsumerGroup>, source: Set<KafkaConsumerGroup>, isFinal: Bool
    ) -> [String] {
        let names = TopicNames()
        let group = ClusterGroup(
            executable: "sluice-refunds", group: "refunds", inputs: [], mayStartByTime: false)
        let survey = ClusterSurvey(
            names: names,
            plan: TopicPlan(
                names, partitions: 1, demands: TopicDemands(profile: .singleNode, replicationFactor: nil), found: [],
                bootstrapServers: "b"),
            target: view("b", target), source: .answering(view("a", source)), groups: [group], withOffsets: ["refunds"],
            isFinal: isFinal)
        return survey.findings.filter { $0.check == .group }.map { "\($0.status.rawValue): \($0.found)" }
    }

    @Test func `members on this cluster are always a problem, members on the source only at the switch`() {
        let offsets = "warning: it has committed offsets on this cluster"
        #expect(findings(target: [], source: [], isFinal: false) == [offsets])
        #expect(findings(target: [], source: [], isFinal: true) == [])
        #expect(
            findings(target: ["refunds"], source: [], isFinal: false) == ["problem: it has members on this cluster"])
        #expect(findings(target: ["refunds"], source: [], isFinal: true) == ["problem: it has members on this cluster"])
        #expect(
            findings(target: [], source: ["refunds"], isFinal: false) == [
                offsets, "warning: the group still has members on the source cluster",
            ])
        #expect(
            findings(target: ["others"], source: ["refunds"], isFinal: true) == [
                "problem: the group still has members on the source cluster"
            ])
    }

    @Test func `the topics of the reconciler are not copied`() {
        let names = TopicNames()
        let copied = ClusterSurvey.copied(names.all, names)
        #expect(
            Set(names.all).subtracting(copied) == [names.reconciliation(.production), names.reconciliation(.sandbox)])
    }
}

/// The groups of an installation, and the topics in which they may have offsets.
@Suite struct ClusterGroupTests {
    @Test func `operator events and archived dead letters are inputs of the groups that read them`() throws {
        let command = Command(
            "test", summary: "", schema: ConfigurationSchema(OperationsSettings.clusterGroups.map { $0.setting }))
        guard case .run(let invocation) = command.parse([], environment: [:]) else {
            Issue.record("the command line was refused")
            return
        }
        let names = TopicNames()
        let letters = names.notifications(.production).deadLetters(of: "sluice-refunds")
        let options = AccessOptions(
            webhookReceivers: [
                .init(group: "crm", inputs: [names.entitlements(.production)], rebuilds: false),
                .init(group: "alerts", inputs: [names.operations], rebuilds: false),
            ], archived: [names.quarantine, letters], anchorsInKafka: false, repairsStatuses: false,
            tellsStories: false, publishesOperatorEvents: true)
        let groups = ClusterGroup.all(names, invocation.configuration, options)
        let inputs = Dictionary(uniqueKeysWithValues: groups.map { ($0.group.rawValue, $0.inputs) })
        #expect(Set(inputs.keys).isSuperset(of: ["crm", "alerts", "sluice-archive", "sluice-refunds"]))
        #expect(inputs["alerts"]?.contains(names.operations) == true)
        #expect(inputs["crm"]?.contains(names.operations) == false && inputs["crm"]?.count == 4)
        #expect(inputs["sluice-archive"]?.contains(letters) == true)
        #expect(inputs["sluice-archive"]?.filter { $0 == names.quarantine }.count == 1)
        #expect(inputs["sluice-refunds"] == AppStoreEnvironment.published.map(names.notifications))
        #expect(groups.filter(\.mayStartByTime).map(\.group) == ["crm", "alerts"])
    }
}
