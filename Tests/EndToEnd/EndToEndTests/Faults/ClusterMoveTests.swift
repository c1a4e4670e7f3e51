import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// An installation continues on another cluster with copies of its topics. The copies have other offsets, and the
    /// copied states are older than their input.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)")) struct ClusterMoveOnApacheKafka {
        @Test func `a failover to copies loses no facts and does not answer a refund request twice`() async throws {
            try await Harness.open { harness in
                async let started = ApacheKafka.start()
                let first = try await harness.apacheKafka()
                let other = try await started
                do {
                    try await move(from: first, to: other, harness)
                } catch {
                    try? await end(other)
                    throw error
                }
                try await end(other)
            }
        }

        /// Kills a cluster that is no longer needed, without an orderly shutdown.
        private func end(_ cluster: ApacheKafka) async throws {
            try await cluster.kill()
            try await cluster.stop()
        }

        @Test func `webhooks are reset to ten minutes before the given time, and not while a group has members`()
            async throws
        {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka()
                let moment: Int64 = 1_793_491_200_000
                let ages: [Int64] = [1_200_000, 600_001, 600_000, 0]
                try await broker.write(
                    ages.map { age in
                        var record = Subscription(number: 1).record(0).produced(in: broker.notifications(.production))
                        (record.partition, record.timestampMilliseconds) = (1, moment - age)
                        return record
                    })
                let member = KafkaConsumer(
                    try broker.configuration,
                    source: .group(
                        KafkaConsumerGroup(rawValue: "\(broker.topics.prefix).refunds"),
                        topics: [broker.notifications(.sandbox)])
                ) { _ in }
                try await member.start()
                try await waitUntil(within: .seconds(30)) { await !member.assignedPartitions.isEmpty }
                let refused = try await harness.run(planOfWebhooks(["--yes"], broker))
                #expect(refused.end == .exit(1) && refused.output.isEmpty, "\(refused)")
                #expect(refused.errors.contains("refunds: it has members on this cluster"), "\(refused)")
                await member.close(within: .seconds(5))
                try await expectOffsets(planOfWebhooks([], broker), broker, harness)
            }
        }

        /// Returns the plan for this test's groups only, because the cluster is shared.
        private func planOfWebhooks(_ flags: [String], _ broker: Broker) -> Executable {
            let groups = ["entitlements", "refunds", "reconciler", "archive", "webhooks"].flatMap {
                ["--\($0).group.id", "\(broker.topics.prefix).\($0)"]
            }
            return Executable(
                "sluicectl",
                arguments: [
                    "cluster", "switch", "--webhooks-from", "2026-11-01T00:00:00Z", "--output", "json",
                    "--despite-problems", "--partitions", "4",
                ] + flags + groups + broker.arguments)
        }

        private func expectOffsets(_ executable: Executable, _ broker: Broker, _ harness: Harness) async throws {
            let plan = try await harness.run(executable)
            #expect(plan.end == .exit(1) && plan.errors.contains("nothing was changed"), "\(plan)")
            let groups = try #require(JSON.object(plan.output)?.objects("groups"), "\(plan)")
            let webhooks = groups.first { $0.text("executable") == "sluice-webhooks" }?.objects("partitions") ?? []
            let topic = broker.notifications(.production).rawValue
            // A partition without records after the given time resumes at its end.
            let offsets = webhooks.filter { $0.text("topic") == topic }.map { $0.integer("to") }
            #expect(offsets == [0, 2, 0, 0], "\(plan)")
            let others = groups.filter { $0.text("executable") != "sluice-webhooks" }
            #expect(
                others.filter { $0.text("executable") != "sluice-refunds" }.allSatisfy {
                    $0.objects("partitions").isEmpty
                })
        }

        private func move(from first: Broker, to cluster: ApacheKafka, _ harness: Harness) async throws {
            let second = try await harness.apacheKafka(cluster, withTopics: false)
            _ = try await harness.simulatedApp()
            let api = try await RefundsAPI(harness, [])
            let scene = MovedInstallation(first: first, second: second, harness: harness, api: api)
            let before = try await scene.runFirst()
            try await scene.copy()
            #expect(try await second.facts() != first.facts(), "the copy of the states must be incomplete")

            try await scene.prepareAndSwitch()
            try await scene.refuseOldDirectory()
            let entitlements = try await harness.entitlements(on: second, data: "entitlements-2")
            let refunds = try harness.refunds(on: second, api, data: "refunds-2")
            let client = HTTPClient()
            defer { client.close() }
            try await second.waitForNoLag(entitlements.process, within: .seconds(60))
            #expect(try await entitlements.purchases(client) == before)
            #expect(try await second.facts() == first.facts())
            try await scene.expectAnswers(refunds)

            // The installation continues: a renewal of an existing purchase, and a new purchase.
            try await second.write(3..<4, periods: 2..<3)
            try await second.write(500..<501)
            try await second.waitForNoLag(entitlements.process, within: .seconds(60))
            let after = try await entitlements.purchases(client)
            let (renewed, new) = (Subscription(number: 3), Subscription(number: 500))
            #expect(after.count == before.count + 1 && after[new.originalTransactionId] != nil)
            #expect(after[renewed.originalTransactionId] != before[renewed.originalTransactionId])
            #expect(after.filter { $0.value != before[$0.key] }.count == 2)
            // The executables are stopped before their brokers, because without brokers a shutdown takes its full time
            // limit.
            for process in [entitlements.process, refunds] { await process.stop() }
        }
    }
}

/// An installation that moves between clusters.
private struct MovedInstallation {
    static let subscriptions = 40
    /// Refund requests. The copies contain the frozen answer to the last one, but not its acceptance.
    static let requests = ["4000001", "4000002", "4000003", "4000004"]
    static let cut = "4000004"
    /// The first offset of the copies.
    static let base = 25

    let first: Broker
    let second: Broker
    let harness: Harness
    let api: RefundsAPI

    /// - Returns: the last response of the first cluster's read API.
    func runFirst() async throws -> [String: String] {
        try await first.write(0..<Self.subscriptions, periods: 0..<2)
        for id in Self.requests { try await first.write([RefundRequests.record(id, first)]) }
        let entitlements = try await harness.entitlements(on: first)
        let refunds = try harness.refunds(on: first, api)
        try await RefundRequests.wait(for: Self.requests.count, on: first, api, refunds)
        try await first.waitForNoLag(entitlements.process, within: .seconds(60))
        let client = HTTPClient()
        defer { client.close() }
        let purchases = try await entitlements.purchases(client)
        for process in [entitlements.process, refunds] {
            process.signal(SIGTERM)
            #expect(try await process.end(within: .seconds(40)) == .exit(0), "\(process)")
        }
        return purchases
    }

    /// Copies like a mirror that has lost its source: all offsets differ, states lack their last records, and
    /// translated group offsets are at the end of the input.
    func copy() async throws {
        let specifications = second.topics.specifications(partitions: 4)
        try await createTopics(specifications)
        let others = AppStoreEnvironment.published.map(first.topics.reconciliation)
        let records = try await recordsOfFirst(specifications.map(\.name).filter { !others.contains($0) })
        let whole = records.filter { $0.topic != first.topics.entitlements(.production) }
        let states = records.filter { $0.topic == first.topics.entitlements(.production) }
        try await second.write((withoutAcceptance(whole) + Self.withoutEnds(states)).map(Self.copied))
        try await second.withAdmin { admin in
            let ends = try await admin.watermarks(of: second.notifications(.production)).mapValues(\.high)
            for group: KafkaConsumerGroup in ["sluice-entitlements", "sluice-refunds"] {
                try await admin.alterOffsets(of: group, to: ends)
            }
        }
    }

    private func recordsOfFirst(_ topics: [KafkaTopic]) async throws -> [KafkaRecord] {
        let starts = try await first.withAdmin { admin in
            var starts: [KafkaTopicPartition: KafkaOffset] = [:]
            for topic in topics { starts.merge(try await admin.watermarks(of: topic).mapValues(\.low)) { $1 } }
            return starts
        }
        var records: [KafkaRecord] = []
        try await KafkaConsumer.readToEnd(try first.configuration, from: starts, within: .seconds(60)) { records += $0 }
        return records
    }

    /// Creates the topics. Some of them begin at another offset.
    private func createTopics(_ specifications: [TopicSpecification]) async throws {
        let (compacted, policy) = ("compact", "cleanup.policy")
        let shifted = [
            second.notifications(.production), second.entitlements(.production), second.topics.refunds(.production),
        ]
        let new = specifications.map { specification in
            // Kafka cannot delete records from a topic that is only compacted.
            let deleting = shifted.contains(specification.name) ? [policy: "delete"] : [:]
            return KafkaNewTopic(
                topic: specification.name, partitions: specification.partitions, replicationFactor: 1,
                configuration: specification.settings.merging(deleting) { $1 })
        }
        let failures = try await second.withAdmin { try await $0.createTopics(new) }
        try #require(failures.isEmpty)
        try await shiftOffsets(of: shifted)
        let altered = specifications.filter { shifted.contains($0.name) && $0.settings[policy] == compacted }
        try await withThrowingTaskGroup { group in
            for specification in altered {
                let arguments = [
                    "--alter", "--entity-type", "topics", "--entity-name", specification.name.rawValue, "--add-config",
                    "\(policy)=\(compacted)",
                ]
                group.addTask { _ = try await second.tool("kafka-configs.sh", arguments) }
            }
            try await group.waitForAll()
        }
    }

    private func shiftOffsets(of topics: [KafkaTopic]) async throws {
        try await waitUntil(within: .seconds(20)) {
            let haveLeaders: Bool? = try? await second.withAdmin { admin in
                for topic in topics { _ = try await admin.watermarks(of: topic) }
                return true
            }
            return haveLeaders == true
        }
        try await second.writeAtOnce(
            topics.flatMap { topic in
                (0..<4 * Self.base).map { number in
                    KafkaProducerRecord(
                        topic: topic, partition: KafkaPartition(rawValue: Int32(number % 4)), key: [1], value: [1])
                }
            })
        try await second.withAdmin { admin in
            for topic in topics {
                let ends = try await admin.watermarks(of: topic).mapValues(\.high)
                try await admin.deleteRecords(before: ends)
            }
        }
    }

    private static func copied(_ record: KafkaRecord) -> KafkaProducerRecord {
        KafkaProducerRecord(
            topic: record.topic, partition: record.partition, timestampMilliseconds: record.timestampMilliseconds,
            key: record.key, value: record.value, headers: record.headers)
    }

    /// Returns the records without the last third of each partition.
    private static func withoutEnds(_ records: [KafkaRecord]) -> [KafkaRecord] {
        Dictionary(grouping: records, by: \.partition).values.flatMap { $0.dropLast(($0.count + 2) / 3) }
    }

    /// Returns the records without one case's records between its frozen answer and Apple's acceptance.
    private func withoutAcceptance(_ records: [KafkaRecord]) -> [KafkaRecord] {
        var isFrozen = false
        return records.filter { record in
            guard record.topic == first.topics.refunds(.production),
                record.key.map({ String(decoding: $0, as: UTF8.self).hasSuffix("/\(Self.cut)") }) == true
            else {
                return true
            }
            defer { if record.header("sluice.proposal") != nil { isFrozen = true } }
            return !isFrozen
        }
    }

    /// Runs the commands of the runbook.
    func prepareAndSwitch() async throws {
        let flags = second.arguments + ["--partitions", "4"]
        let source = try harness.write(
            "kafka.bootstrap.servers=\(first.bootstrapServers)\ntopics.prefix=\(first.topics.prefix)\n",
            to: "source.properties")
        func run(_ arguments: [String]) async throws -> Finished {
            try await harness.run(
                Executable("sluicectl", arguments: ["cluster"] + arguments + flags), within: .seconds(60))
        }
        let prepared = try await run(["prepare", "--source", source])
        #expect(prepared.end == .exit(0), "\(prepared)")
        #expect(prepared.output.contains("lack the source's last record"), "\(prepared)")
        // With a reachable source the switch waits for the mirror.
        let refused = try await run(["switch", "--yes", "--source", source])
        #expect(refused.end == .exit(1) && refused.errors.contains("nothing was changed"), "\(refused)")
        let alone = try await run(["prepare"])
        #expect(alone.end == .exit(0), "\(alone)")
        let switched = try await run(["switch", "--yes"])
        #expect(switched.end == .exit(0), "\(switched)")
        #expect(switched.output.contains("group sluice-entitlements reads from the beginning"), "\(switched)")
    }

    /// Checks that a database of the first cluster is refused on the second.
    func refuseOldDirectory() async throws {
        let process = try harness.start(
            Executable(
                "sluice-entitlements",
                arguments: second.arguments
                    + ["--data.dir", harness.path("entitlements"), "--http.port", "0", "--admin.port", "0"]))
        #expect(try await process.end(within: .seconds(40)) == .exit(78), "\(process)")
        #expect(process.errors.contains("belongs to the cluster"), "\(process)")
    }

    /// Checks that a request with a copied acceptance is not answered again, and that one with a copied frozen answer
    /// is answered with the same bytes.
    func expectAnswers(_ refunds: ChildProcess) async throws {
        try await waitUntil(within: .seconds(60)) {
            let accepted = try await RefundRequests.statuses(second).values.count { $0 == "accepted" }
            return accepted == Self.requests.count || refunds.ended != nil
        }
        try #require(refunds.ended == nil, "\(refunds)")
        // All requests were read again.
        try await waitUntil(within: .seconds(60)) {
            try await second.withAdmin { admin in
                let ends = try await admin.watermarks(of: second.notifications(.production)).mapValues(\.high)
                return try await admin.committedOffsets(of: "sluice-refunds", partitions: Array(ends.keys)) == ends
            }
        }
        let answers = Dictionary(grouping: try await api.answers(), by: \.id)
        #expect(answers.mapValues(\.count) == ["4000001": 1, "4000002": 1, "4000003": 1, "4000004": 2])
        #expect(answers.values.allSatisfy { Set($0.map(\.body)).count == 1 })
    }
}
