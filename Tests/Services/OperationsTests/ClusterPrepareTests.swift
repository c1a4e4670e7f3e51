import AppStoreModel
import JSON
import Kafka
import KafkaDevBroker
import Records
import TestSupport
import Testing

@testable import Operations

/// `sluicectl cluster prepare`: when a cluster with copied topics is ready, and what it says when it is not.
@Suite(.timeLimit(.minutes(5)))
struct ClusterPrepareTests {
    @Test func `whole copies are ready, without and with their source`() async throws {
        let (source, target) = (try CopiedCluster(), try CopiedCluster())
        let directory = try TemporaryDirectory()
        // Another offset base.
        try await target.write([target.notification(0), target.state(0)])
        for cluster in [source, target] { try await cluster.write([cluster.notification(), cluster.state()]) }
        let (exitCode, printed) = await sluicectl(["cluster", "prepare"] + target.flags)
        #expect(exitCode == 0, "\(printed.output) \(printed.complaints)")
        #expect(printed.output.hasSuffix("\nready\n"))
        #expect(printed.output.contains("warning  brokers  the source was not asked"))
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

    /// One thing that is wrong with a copy.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var topics: @Sendable (inout [KafkaTopic: Int], TopicNames) -> Void = { _, _ in }
        var records: @Sendable (CopiedCluster) -> [KafkaProducerRecord] = { [$0.notification(), $0.state()] }
        /// The beginning of its line.
        let line: String
        let fix: String
    }

    static let faults = [
        Fault(
            testDescription: "a topic that was not mirrored", topics: { $0[$1.certificates] = nil },
            line: "problem  topic moved.certificates                  it does not exist", fix: "sluicectl topics apply"),
        Fault(
            testDescription: "another number of partitions", topics: { $0[$1.refunds(.production)] = 3 },
            line: "problem  topic moved.refunds.production", fix: "The partition count cannot be changed"),
        Fault(
            testDescription: "notifications without headers",
            records: {
                var record = $0.notification()
                record.headers = []
                return [record, $0.state()]
            },
            line: "problem  copy moved.notifications.production", fix: "Have the mirror copy headers"),
        Fault(
            testDescription: "states without headers",
            records: {
                var record = $0.state()
                record.headers = []
                return [$0.notification(), record]
            },
            line: "problem  copy moved.entitlements.production", fix: "Have the mirror copy headers"),
        Fault(
            testDescription: "states in another partition",
            records: {
                var record = $0.state()
                record.partition = KafkaPartition(rawValue: 1 - CopiedCluster.place.rawValue)
                return [$0.notification(), $0.state(), record]
            },
            line: "problem  copy moved.entitlements.production", fix: "keep the partition of each record"),
        Fault(
            testDescription: "states that were not mirrored", records: { [$0.notification()] },
            line: "problem  copy moved.entitlements.production", fix: "Mirror it from its beginning"),
        Fault(
            testDescription: "a certificate that was not mirrored",
            records: {
                var record = $0.notification()
                let (header, signature) = (String(repeating: "a", count: 64), String(repeating: "A", count: 86))
                record.value = Array(
                    #"{"notification":{},"proof":{"notification":{"header":"\#(header)","signature":"\#(signature)"}}}"#
                        .utf8)
                return [record, $0.state()]
            },
            line: "problem  certificates moved.certificates", fix: "Mirror it from its beginning"),
        Fault(
            testDescription: "rows of the reconciler",
            records: {
                var record = $0.state()
                record.topic = $0.names.reconciliation(.production)
                return [$0.notification(), $0.state(), record]
            },
            line: "problem  copy moved.reconciliation.production", fix: "leave it out of the mirror"),
    ]

    @Test(arguments: faults) func `a copy that would lose something is not ready`(_ fault: Fault) async throws {
        let target = try CopiedCluster(topics: fault.topics)
        try await target.write(fault.records(target))
        let (exitCode, printed) = await sluicectl(["cluster", "prepare"] + target.flags)
        #expect(exitCode == 1, "\(printed.complaints)")
        #expect(printed.output.hasSuffix("\nnot ready\n"))
        let problems = printed.output.split(separator: "\n").filter { $0.hasPrefix("problem") }
        #expect(problems.count == 1, "\(printed.output)")
        #expect(problems.first?.contains(fault.fix) == true, "\(problems)")
        let words = { (text: Substring) in text.split(separator: " ") }
        #expect(words(problems.first ?? "").starts(with: words(fault.line[...])), "\(problems)")
        await target.close()
    }

    /// How a copy differs from its source.
    struct Difference: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: String
        let found: String
        let change: @Sendable (inout KafkaProducerRecord) -> Void
    }

    static let differences = [
        Difference(
            testDescription: "lacks a record", status: "warning",
            found: "1 partitions lack the source's last record, by 10 s"
        ) { record in
            record.value = Array("{}".utf8)
            record.timestampMilliseconds = CopiedCluster.timestamp + 1 - 10_000
        },
        Difference(
            testDescription: "is stuck", status: "problem", found: "1 partitions lack the source's last record, by 61 s"
        ) { record in
            record.value = Array("{}".utf8)
            record.timestampMilliseconds = CopiedCluster.timestamp + 1 - 61_000
        },
        Difference(testDescription: "has other timestamps", status: "problem", found: "with another timestamp") {
            $0.timestampMilliseconds = CopiedCluster.timestamp + 5_000
        },
        Difference(testDescription: "has other headers", status: "problem", found: "with other headers") {
            $0.headers.append(KafkaHeader(key: "x", text: "y"))
        },
    ]

    @Test(arguments: differences)
    func `a copy is compared with its source, record by record at the end`(_ difference: Difference) throws {
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
        let findings = CopyChecks(source: source, target: target, isFinal: false).findings([topic])
        #expect(findings.map(\.status.rawValue) == [difference.status], "\(findings)")
        #expect(findings.first?.found.contains(difference.found) == true, "\(findings)")
        // Nothing may be on its way any more.
        let final = CopyChecks(source: source, target: target, isFinal: true).findings([topic])
        #expect(final.map(\.status.rawValue) == ["problem"], "\(final)")
        let same = CopyChecks(source: source, target: view("b", offset: 3, original), isFinal: true).findings([topic])
        #expect(same.map(\.status.rawValue) == ["ok"], "\(same)")
    }

    @Test func `a partition that is empty here, and another count of partitions, are problems`() async throws {
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
        #expect(printed.output.contains("it has 1 partitions, and 3 on the source"), "\(printed.output)")
        #expect(printed.output.contains("partition 1 is empty, and has records on the source"), "\(printed.output)")
        await source.close()
        await target.close()
    }

    @Test func `a source that is silent does not hold up a failover, and one that is the target does`() async throws {
        let target = try CopiedCluster()
        let directory = try TemporaryDirectory()
        try await target.write([target.notification(), target.state()])
        let silent = try directory.write(
            "kafka.bootstrap.servers=127.0.0.1:1\ntopics.prefix=moved\n", to: "silent.properties")
        let (ready, printed) = await sluicectl(
            ["cluster", "prepare", "--source", silent] + target.flags, timeout: .milliseconds(300))
        #expect(ready == 0, "\(printed.output) \(printed.complaints)")
        #expect(printed.output.contains("warning  brokers  the source does not answer"))
        let (same, report) = await sluicectl(["cluster", "prepare"] + target.flags + (try target.file(in: directory)))
        #expect(same == 1)
        #expect(report.output.contains("problem  brokers  the source is this cluster itself"), "\(report.output)")
        await target.close()
    }

    @Test func `a file of the source with another prefix is refused`() async throws {
        let target = try CopiedCluster()
        let directory = try TemporaryDirectory()
        let file = try directory.write("topics.prefix=other\n", to: "source.properties")
        let (exitCode, printed) = await sluicectl(["cluster", "prepare", "--source", file] + target.flags)
        #expect(exitCode == 78)
        #expect(printed.complaints.first?.contains("has topics.prefix=other, and this cluster moved") == true)
        await target.close()
    }
}
