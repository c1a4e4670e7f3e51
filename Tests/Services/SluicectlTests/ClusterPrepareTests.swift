import AppStoreModel
import JSON
import Kafka
import KafkaDevBroker
import Records
import ServiceKit
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl cluster prepare`: the readiness of a cluster with copied topics, and the reported problems.
@Suite(.timeLimit(.minutes(5)))
struct ClusterPrepareTests {
    @Test func `complete copies are ready, without and with their source`() async throws {
        let (source, target) = (try CopiedCluster(), try CopiedCluster())
        let directory = try TemporaryDirectory()
        // These records shift the offsets.
        try await target.write([target.notification(0), target.state(0)])
        for cluster in [source, target] { try await cluster.write([cluster.notification(), cluster.state()]) }
        let (exitCode, printed) = await sluicectl(["cluster", "prepare"] + target.flags)
        #expect(exitCode == 0, "\(printed.output) \(printed.complaints)")
        #expect(printed.output.hasSuffix("\nready\n"))
        #expect(printed.output.contains("warning  brokers  the source was not compared"))
        let (compared, report) = await sluicectl(
            ["cluster", "prepare", "--output", "json"] + target.flags + (try source.file(in: directory)))
        #expect(compared == 0, "\(report.output) \(report.complaints)")
        let object = try #require(try report.objects.first)
        #expect(object["ok"] == .bool(true))
        let findings = object["findings"]?.array?.compactMap { $0.object } ?? []
        #expect(findings.map { $0["status"]?.string } == ["ok", "ok", "ok"], "\(report.output)")
        #expect(findings.map { $0["what"]?.string } == ["brokers", "topic", "copy"])
        await source.close()
        await target.close()
    }

    /// A fault in a copy.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var topics: @Sendable (inout [KafkaTopic: Int]) -> Void = { _ in }
        var records: @Sendable () -> [KafkaProducerRecord] = { [notification, state] }
        let check: ClusterCheck
        let topic: KafkaTopic
        let found: String
        let fix: String
    }

    private static let names = TopicNames()
    private static let notification = CopiedCluster.notification(in: names.notifications(.production))
    private static let state = CopiedCluster.state(in: names.entitlements(.production))

    private static func changed(
        _ record: KafkaProducerRecord, _ change: (inout KafkaProducerRecord) -> Void
    ) -> KafkaProducerRecord {
        var record = record
        change(&record)
        return record
    }

    private static let proof = {
        let (header, signature) = (String(repeating: "a", count: 64), String(repeating: "A", count: 86))
        return #"{"notification":{},"proof":{"notification":{"header":"\#(header)","signature":"\#(signature)"}}}"#
    }()

    static let faults = [
        Fault(
            testDescription: "a topic that was not mirrored", topics: { $0[names.certificates] = nil }, check: .topic,
            topic: names.certificates, found: "does not exist", fix: "sluicectl topics apply"),
        Fault(
            testDescription: "another number of partitions", topics: { $0[names.refunds(.production)] = 3 },
            check: .topic, topic: names.refunds(.production), found: "partitions is 3, expected 2",
            fix: "The partition count cannot be changed"),
        Fault(
            testDescription: "notifications without headers",
            records: { [changed(notification) { $0.headers = [] }, state] }, check: .copy,
            topic: names.notifications(.production), found: "have no header ce_id", fix: "copy headers"),
        Fault(
            testDescription: "states without headers",
            records: { [notification, changed(state) { $0.headers = [] }] }, check: .copy,
            topic: names.entitlements(.production), found: "have no header sluice.state", fix: "copy headers"),
        Fault(
            testDescription: "states in another partition",
            records: {
                let other = KafkaPartition(rawValue: 1 - CopiedCluster.place.rawValue)
                return [notification, state, changed(state) { $0.partition = other }]
            }, check: .copy, topic: names.entitlements(.production), found: "belongs in another partition",
            fix: "Configure the mirror to preserve partitions"),
        Fault(
            testDescription: "states that were not mirrored", records: { [notification] }, check: .copy,
            topic: names.entitlements(.production), found: "it is empty", fix: "Mirror it from the beginning"),
        Fault(
            testDescription: "a certificate that was not mirrored",
            records: { [changed(notification) { $0.value = Array(proof.utf8) }, state] }, check: .certificates,
            topic: names.certificates, found: "it lacks aaaa", fix: "Mirror it from the beginning"),
        Fault(
            testDescription: "rows of the reconciler",
            records: { [notification, state, changed(state) { $0.topic = names.reconciliation(.production) }] },
            check: .copy, topic: names.reconciliation(.production), found: "hide missing notifications",
            fix: "exclude the topic from the mirror"),
    ]

    @Test(arguments: faults) func `a copy that would lose data is not ready`(_ fault: Fault) {
        let problems = survey(fault.records(), topics: fault.topics).filter { $0.status == .problem }
        #expect(problems.map(\.check) == [fault.check], "\(problems)")
        #expect(problems.first?.subject == fault.topic.rawValue)
        #expect(problems.first?.found.contains(fault.found) == true, "\(problems)")
        #expect(problems.first?.fix?.contains(fault.fix) == true, "\(problems)")
        #expect(survey([Self.notification, Self.state]).isReady)
    }

    /// Returns the findings about a cluster with these records.
    private func survey(
        _ records: [KafkaProducerRecord], topics change: (inout [KafkaTopic: Int]) -> Void = { _ in }
    ) -> [ClusterFinding] {
        let names = Self.names
        var topics: [KafkaTopic: Int] = [:]
        for specification in names.specifications(partitions: CopiedCluster.partitions) {
            topics[specification.name] = specification.partitions
        }
        change(&topics)
        let descriptions = topics.map { topic, count in
            KafkaTopicDescription(
                topic: topic,
                partitions: (0..<count).map {
                    .init(partition: KafkaPartition(rawValue: Int32($0)), leader: 1, replicas: [1], inSyncReplicas: [1])
                }, configuration: nil)
        }
        let view = ClusterView(
            id: "b", topics: descriptions,
            records: records.enumerated().map { offset, record in
                KafkaRecord(
                    topic: record.topic, partition: record.partition ?? 0, offset: KafkaOffset(rawValue: Int64(offset)),
                    timestampMilliseconds: record.timestampMilliseconds, key: record.key, value: record.value,
                    headers: record.headers)
            })
        let plan = TopicPlan(
            names, partitions: CopiedCluster.partitions,
            demands: TopicDemands(profile: .singleNode, replicationFactor: nil), found: descriptions,
            bootstrapServers: "b")
        return ClusterSurvey(
            names: names, plan: plan, target: view, source: .notAsked, groups: [], withOffsets: [], isFinal: false
        ).findings
    }

    @Test func `timestamps other than the writers' are a problem in every topic`() {
        let quarantine = Self.names.specifications(partitions: 1).first { $0.name == Self.names.quarantine }
        let settings = (quarantine?.settings ?? [:]).merging(
            [
                "message.timestamp.type": "LogAppendTime", "min.insync.replicas": "1",
                "unclean.leader.election.enable": "false",
            ]) { $1 }
        let description = KafkaTopicDescription(
            topic: Self.names.quarantine,
            partitions: [.init(partition: 0, leader: 1, replicas: [1], inSyncReplicas: [1])], configuration: settings)
        let view = ClusterView(id: "b", topics: [description], records: [])
        let plan = TopicPlan(
            Self.names, partitions: 1, demands: TopicDemands(profile: .singleNode, replicationFactor: nil),
            found: [description], bootstrapServers: "b")
        let survey = ClusterSurvey(
            names: Self.names, plan: plan, target: view, source: .notAsked, groups: [], withOffsets: [], isFinal: false)
        let finding = survey.findings.first { $0.subject == Self.names.quarantine.rawValue }
        #expect(finding?.status == .problem)
        #expect(finding?.found == "message.timestamp.type is LogAppendTime, expected CreateTime")
    }

    /// A difference between a copy and its source.
    struct Difference: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: String
        let found: String
        let change: @Sendable (inout KafkaProducerRecord) -> Void
    }

    static let differences = [
        Difference(
            testDescription: "lacks a record", status: "warning",
            found: "1 partitions lack the source's last record; they are 10 s behind"
        ) { record in
            record.value = Array("{}".utf8)
            record.timestampMilliseconds = CopiedCluster.timestamp + 1 - 10_000
        },
        Difference(
            testDescription: "is stuck", status: "problem",
            found: "1 partitions lack the source's last record; they are 61 s behind"
        ) { record in
            record.value = Array("{}".utf8)
            record.timestampMilliseconds = CopiedCluster.timestamp + 1 - 61_000
        },
        Difference(testDescription: "has other timestamps", status: "problem", found: "has a different timestamp") {
            $0.timestampMilliseconds = CopiedCluster.timestamp + 5_000
        },
        Difference(testDescription: "has other headers", status: "problem", found: "has different headers") {
            $0.headers.append(KafkaHeader(key: "x", text: "y"))
        },
    ]

    @Test(arguments: differences)
    func `a copy is compared with its source by the last records`(_ difference: Difference) throws {
        let topic = TopicNames().notifications(.production)
        func view(_ id: String, offset: Int64, _ produced: KafkaProducerRecord) -> ClusterView {
            let record = KafkaRecord(
                topic: topic, partition: 0, offset: KafkaOffset(rawValue: offset),
                timestampMilliseconds: produced.timestampMilliseconds, key: produced.key, value: produced.value,
                headers: produced.headers)
            return ClusterView(id: id, topics: [], records: [record])
        }
        let original = CopiedCluster.notification(in: topic)
        var copy = original
        difference.change(&copy)
        let (source, target) = (view("a", offset: 70, original), view("b", offset: 3, copy))
        let findings = CopyChecks(source: source, target: target, isFinal: false, compacted: []).findings([topic])
        #expect(findings.map(\.status.rawValue) == [difference.status], "\(findings)")
        #expect(findings.first?.found.contains(difference.found) == true, "\(findings)")
        // At the final switch, no record may be missing from the copies.
        let final = CopyChecks(source: source, target: target, isFinal: true, compacted: []).findings([topic])
        #expect(final.map(\.status.rawValue) == ["problem"], "\(final)")
        let same = CopyChecks(
            source: source, target: view("b", offset: 3, original), isFinal: true, compacted: []
        ).findings([topic])
        #expect(same.map(\.status.rawValue) == ["ok"], "\(same)")
    }

    @Test func `a copy that begins later than its source is not ready`() {
        let topic = TopicNames().notifications(.production)
        func view(_ id: String, firstOffset: Int64, _ numbers: [Int]) -> ClusterView {
            ClusterView(
                id: id, topics: [],
                records: numbers.enumerated().map { index, number in
                    let produced = CopiedCluster.notification(number, in: topic)
                    return KafkaRecord(
                        topic: topic, partition: 0, offset: KafkaOffset(rawValue: firstOffset + Int64(index)),
                        timestampMilliseconds: produced.timestampMilliseconds, key: produced.key,
                        value: produced.value, headers: produced.headers)
                })
        }
        func findings(_ numbers: [Int], compacted: Set<KafkaTopic> = []) -> [String] {
            CopyChecks(
                source: view("a", firstOffset: 70, [0, 60_001, 99_000]), target: view("b", firstOffset: 3, numbers),
                isFinal: false, compacted: compacted
            ).findings([topic]).map { "\($0.status.rawValue) \($0.found)" }
        }
        let whole = "ok each partition's last record on a was copied"
        let late = "the first record of partition 0 is 60 s newer than the source's"
        #expect(findings([0, 60_001, 99_000]) == [whole])
        #expect(findings([60_001, 99_000]) == ["problem \(late)"])
        #expect(findings([60_000, 99_000]) == [whole])
        // A repeated key may have replaced the first record, but so far only in the copy.
        #expect(findings([60_001, 99_000], compacted: [topic]) == ["warning \(late)"])
    }

    @Test func `the first records of states are compared with those of the source`() async throws {
        let (source, target) = (try CopiedCluster(), try CopiedCluster())
        let directory = try TemporaryDirectory()
        try await source.write([source.state(-100_000), source.state(-99_000)])
        for cluster in [source, target] { try await cluster.write([cluster.notification(), cluster.state()]) }
        let (_, printed) = await sluicectl(["cluster", "prepare"] + target.flags + (try source.file(in: directory)))
        let place = CopiedCluster.place
        #expect(
            printed.output.contains(
                "moved.entitlements.production  "
                    + "the first record of partition \(place) is 100 s newer than the source's"),
            "\(printed.output)")
        await source.close()
        await target.close()
    }

    @Test func `a partition that is empty only in the copy, and another partition count, are problems`() async throws {
        let source = try CopiedCluster { topics, names in topics[names.quarantine] = 3 }
        let target = try CopiedCluster()
        let directory = try TemporaryDirectory()
        var letter = source.notification()
        (letter.topic, letter.partition) = (source.names.quarantine, 1)
        for cluster in [source, target] { try await cluster.write([cluster.notification(), cluster.state()]) }
        try await source.write([letter])
        let (exitCode, printed) = await sluicectl(
            ["cluster", "prepare"] + target.flags + (try source.file(in: directory)))
        #expect(exitCode == 1)
        #expect(printed.output.contains("it has 1 partitions, but 3 on the source"), "\(printed.output)")
        #expect(
            printed.output.contains("partition 1 is empty on this cluster, but has records"), "\(printed.output)")
        await source.close()
        await target.close()
    }

    @Test func `an unreachable source, or the target as the source, is not ready, and a lost one can be omitted`()
        async throws
    {
        let target = try CopiedCluster()
        let directory = try TemporaryDirectory()
        try await target.write([target.notification(), target.state()])
        let silent = try directory.write(
            "kafka.bootstrap.servers=127.0.0.1:1\ntopics.prefix=moved\n", to: "silent.properties")
        let (unanswered, printed) = await sluicectl(
            ["cluster", "prepare", "--source", silent] + target.flags, timeout: .milliseconds(300))
        #expect(unanswered == 1, "\(printed.output) \(printed.complaints)")
        #expect(printed.output.contains("problem  brokers  the source is unreachable"), "\(printed.output)")
        #expect(printed.output.contains("omit --source"))
        #expect(printed.output.hasSuffix("\nnot ready\n"))
        let (lost, _) = await sluicectl(["cluster", "prepare"] + target.flags)
        #expect(lost == 0)
        let (same, report) = await sluicectl(["cluster", "prepare"] + target.flags + (try target.file(in: directory)))
        #expect(same == 1)
        #expect(report.output.contains("problem  brokers  the source is this cluster itself"), "\(report.output)")
        await target.close()
    }

    @Test func `a source file with another prefix is refused`() async throws {
        let target = try CopiedCluster()
        let directory = try TemporaryDirectory()
        let file = try directory.write("topics.prefix=other\n", to: "source.properties")
        let (exitCode, printed) = await sluicectl(["cluster", "prepare", "--source", file] + target.flags)
        #expect(exitCode == 78)
        #expect(printed.complaints.first?.contains("has topics.prefix=other, but this cluster has moved") == true)
        await target.close()
    }
}
