import AppStoreModel
import JSON
import Kafka
import KafkaDevBroker
import KeyedState
import Records
import ServiceKit
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl state rekey`: each key of the copy is in its partition, with all of its records in order.
@Suite(.timeLimit(.minutes(5)))
struct StateRekeyTests {
    @Test func `a plan changes nothing, --yes copies every key to its partition, and a repetition copies nothing`()
        async throws
    {
        let topics = try TwoStates()
        let written = (0..<40).map { topics.row("k\($0 % 10)", $0, in: topics.source, partitions: 2) }
        try await topics.write(written)

        let (refused, plan) = await topics.rekey()
        #expect(refused == 1)
        #expect(plan.complaints == ["sluicectl: nothing was changed. Run the command again with --yes."])
        #expect(plan.output.contains("\(topics.source): 40 records for 10 keys in 2 partitions"), "\(plan.output)")
        #expect(plan.output.contains("\(topics.target): 0 of these keys, in 4 partitions"))
        #expect(try await topics.records(of: topics.target) == [])

        let (done, printed) = await topics.rekey(["--yes", "--output", "json"])
        #expect(done == 0, "\(printed.complaints)")
        let object = try #require(try printed.objects.first)
        #expect(object["ok"] == .bool(true))
        #expect(object["copied"] == .integer(40))
        #expect(object["partitions"] == .array([.integer(2), .integer(4)]))
        let copies = try await topics.records(of: topics.target)
        #expect(
            copies.sorted { $0.timestampMilliseconds ?? 0 < $1.timestampMilliseconds ?? 0 }
                == written.map {
                    var copy = $0
                    copy.topic = topics.target
                    copy.partition = KafkaPartition(ofKey: copy.key ?? [], partitions: 4)
                    return copy
                })
        for (_, records) in Dictionary(grouping: copies, by: \.key) {
            let moments = records.compactMap(\.timestampMilliseconds)
            #expect(moments == moments.sorted())
            #expect(Set(records.map(\.partition)).count == 1)
        }

        let (again, repeated) = await topics.rekey(["--yes"])
        #expect(again == 0)
        #expect(repeated.output.contains("\(topics.target): 10 of these keys"))
        #expect(try await topics.records(of: topics.target).count == 40)
        await topics.close()
    }

    @Test func `keys in two partitions, because partitions were added, are merged in writing order`()
        async throws
    {
        let topics = try TwoStates()
        let key = topics.movingKey
        // The newer partition has the lower number, and timestamps within a partition do not ascend.
        try await topics.write([
            topics.row(key, 3, in: topics.source, at: 1), topics.row(key, 2, in: topics.source, at: 1),
            topics.row(key, 9, in: topics.source, at: 0), topics.row(key, 4, in: topics.source, at: 0),
        ])
        let (done, printed) = await topics.rekey(["--yes"])
        #expect(done == 0, "\(printed.complaints)")
        #expect(printed.output.contains("1 keys were in several partitions"))
        let copies = try await topics.records(of: topics.target)
        #expect(copies.compactMap { $0.timestampMilliseconds } == [3, 2, 9, 4].map { TwoStates.moment + $0 })
        #expect(Set(copies.map(\.partition)) == [KafkaPartition(ofKey: Array(key.utf8), partitions: 4)])
        await topics.close()
    }

    @Test func `an interrupted copy continues with the missing keys, including tombstones`() async throws {
        let topics = try TwoStates()
        var erased = topics.row("k1", 5, in: topics.source, partitions: 2)
        erased.value = nil
        let rows = (0..<3).map { topics.row("k\($0)", $0, in: topics.source, partitions: 2) }
        try await topics.write(rows + [erased])
        // In the target, k0 is complete, k1 has the first of two records, and k2 is missing.
        try await topics.write((0..<2).map { topics.row("k\($0)", $0, in: topics.target, partitions: 4) })

        let (done, printed) = await topics.rekey(["--yes"])
        #expect(done == 0, "\(printed.complaints)")
        #expect(printed.output.contains("3 records were copied"))
        let copies = Dictionary(grouping: try await topics.records(of: topics.target), by: \.key)
        #expect(copies[Array("k0".utf8)]?.count == 1)
        #expect(copies[Array("k1".utf8)]?.last?.value == .some(nil))
        #expect(copies[Array("k2".utf8)]?.count == 1)
        await topics.close()
    }

    @Test func `records that members skip are omitted, but not those of a member in a former partition`()
        async throws
    {
        let topics = try TwoStates()
        let key = topics.movingKey
        let wrong = KafkaPartition(ofKey: Array(key.utf8), partitions: 2).rawValue == 0 ? 1 : 0
        var foreign = topics.row(key, 1, in: topics.source, at: Int32(wrong))
        foreign.headers = []
        var foreignInPlace = topics.row("k5", 2, in: topics.source, partitions: 2)
        foreignInPlace.headers = []
        var unkeyed = topics.row("k0", 3, in: topics.source, at: 0)
        unkeyed.key = nil
        try await topics.write([foreign, foreignInPlace, unkeyed, topics.row("k7", 4, in: topics.source, at: 0)])
        try await topics.write([topics.row("k7", 5, in: topics.source, at: 1)])
        let (done, printed) = await topics.rekey(["--yes"])
        #expect(done == 0, "\(printed.complaints)")
        #expect(printed.output.contains("2 records were left out: they have no key, or"))
        let copies = try await topics.records(of: topics.target)
        #expect(Set(copies.compactMap(\.timestampMilliseconds)) == Set([2, 4, 5].map { TwoStates.moment + $0 }))
        await topics.close()
    }

    @Test(arguments: ["a later row", "another key", "another partition", "no key"])
    func `a topic with more than a copy is refused, because members use it`(_ difference: String) async throws {
        let topics = try TwoStates()
        try await topics.write([topics.row("k0", 1, in: topics.source, partitions: 2)])
        var record = topics.row("k0", 1, in: topics.target, partitions: 4)
        switch difference {
        case "a later row": record.timestampMilliseconds = TwoStates.moment + 2
        case "another key": record = topics.row("k1", 1, in: topics.target, partitions: 4)
        case "another partition":
            record.partition = KafkaPartition(rawValue: ((record.partition?.rawValue ?? 0) + 1) % 4)
        default: record.key = nil
        }
        try await topics.write([record])
        let (refused, printed) = await topics.rekey(["--yes"])
        #expect(refused == 1)
        #expect(printed.complaints.count == 1)
        #expect(printed.complaints.first?.contains("that are not a copy of \(topics.source)") == true)
        #expect(try await topics.records(of: topics.target).count == 1)
        await topics.close()
    }

    @Test func `a change of prefix is refused while the group has unhandled records`() async throws {
        let topics = try TwoStates()
        try await topics.write([topics.row("k0", 1, in: topics.source, partitions: 2)])
        try await topics.write((0..<3).map { topics.row("k0", $0, in: topics.input, partitions: 2) })
        let (refused, printed) = await topics.rekey(["--yes"])
        #expect(refused == 1)
        #expect(printed.complaints.first?.contains("has not handled 3 records in \(topics.input)") == true)
        #expect(try await topics.records(of: topics.target) == [])

        let (same, _) = await topics.rekey(["--yes"], to: topics.beside)
        #expect(same == 0, "under the same prefix they are read as before")
        let (despite, _) = await topics.rekey(["--yes", "--despite-unread"])
        #expect(despite == 0)

        let place = KafkaPartition(ofKey: Array("k0".utf8), partitions: 2)
        try await topics.admin { admin in
            try await admin.alterOffsets(
                of: "sluice-entitlements", to: [KafkaTopicPartition(topic: topics.input, partition: place): 3])
        }
        let (handled, text) = await topics.rekey(["--yes"])
        #expect(handled == 0, "\(text.complaints)")
        await topics.close()
    }

    @Test(arguments: [
        (["--topic", "a", "--to-topic", "a"], 64, "cannot be copied to itself"),
        (["--topic", "a"], 64, "to-topic"), (["--topic", "a.b", "--to-topic", "b.a"], 1, "topic a.b does not exist"),
    ])
    func `a mistake is reported in one line`(_ arguments: [String], _ exitCode: Int32, _ part: String) async throws {
        let broker = try DevBroker(topics: ["some": 1])
        let (code, printed) = await sluicectl(
            ["state", "rekey", "--kafka.bootstrap.servers", broker.bootstrapServers] + arguments)
        #expect(code == exitCode)
        #expect(printed.output.isEmpty)
        #expect(printed.complaints.count == 1, "\(printed.complaints)")
        #expect(printed.complaints.first?.contains(part) == true, "\(printed.complaints)")
        await broker.stop()
    }
}

/// The JSON output of `sluicectl state rekey`.
@Suite struct RekeyReportTests {
    @Test(arguments: [(0, false, true), (1, false, false), (0, true, false)])
    func `a copy is ok only if no key is missing and the copy was not refused`(
        missing: Int, isRefused: Bool, isOk: Bool
    ) throws {
        let layout = RekeyLayout(source: "a", sourcePartitions: 2, target: "b", targetPartitions: 4)
        let report = RekeyReport(
            layout: layout, rows: StateRows(), missing: missing, copied: 3, isRefused: isRefused)
        let object = try #require(try JSONValue(json: report.json).object)
        #expect(object["ok"] == .bool(isOk))
        #expect(object["missing"] == .integer(Int64(missing)))
    }
}

/// Proposals keep their order in copies, and precede later proposals.
@Suite struct RekeyedProposalsTests {
    private let layout = RekeyLayout(source: "a", sourcePartitions: 2, target: "b", targetPartitions: 4)

    private func record(_ value: String, at offset: Int64, named: Int64? = nil) -> KafkaRecord {
        let named = named.map { [KafkaHeader(key: StateHeader.proposalOffset, text: String($0))] } ?? []
        return KafkaRecord(
            topic: "a", partition: 0, offset: KafkaOffset(rawValue: offset), key: [1], value: [2],
            headers: [StateProposal.header(Array(value.utf8))] + named)
    }

    private func copied(_ record: KafkaRecord, to offset: Int64) -> KafkaRecord {
        let copy = layout.copy(of: record, [1])
        return KafkaRecord(
            topic: "b", partition: 0, offset: KafkaOffset(rawValue: offset), key: [1], value: copy.value,
            headers: copy.headers)
    }

    @Test func `the first proposal remains first although its original record was compacted`() throws {
        // The winner was at offset 5,000 and has been deleted. A loser arrived at 5,500, and the owner repeated the
        // winner at 6,000.
        let loser = record("loser", at: 5_500)
        let winner = record("winner", at: 6_000, named: 5_000)
        var last = (loser: loser, winner: winner)
        for _ in 0..<3 {
            last = (copied(last.loser, to: 0), copied(last.winner, to: 1))
            let loser = try #require(StateProposal(last.loser))
            let winner = try #require(StateProposal(last.winner))
            #expect(winner.offset < loser.offset)
            #expect(loser.offset < 0)
            #expect(String(decoding: winner.value, as: UTF8.self) == "winner")
            let later = try #require(StateProposal(record("later", at: 0)))
            #expect(loser.offset < later.offset)
        }
    }

    @Test func `a proposal with an impossible offset is copied without a trap`() throws {
        let copy = copied(record("first", at: 3, named: .min), to: 0)
        #expect(try #require(StateProposal(copy)).offset == .min)
    }

    @Test func `a record without a proposal keeps its headers`() {
        let headers = [KafkaHeader(key: "a", text: "1"), KafkaHeader(key: StateHeader.proposalOffset, text: "7")]
        let record = KafkaRecord(topic: "a", partition: 0, offset: 1, key: [1], value: nil, headers: headers)
        #expect(layout.copy(of: record, [1]).headers == headers)
    }
}

@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .timeLimit(.minutes(5)))
struct StateRekeyOnApacheKafkaTests {
    @Test func `nothing is copied while the group has members, or to a topic that deletes records`() async throws {
        let cluster = try await ApacheKafka.shared()
        let names = TopicNames(prefix: "rekey.\(UInt64.random(in: 0...UInt64.max))")
        let kafka = try KafkaConfiguration(bootstrapServers: cluster.bootstrapServers)
        let (source, target) = (names.entitlements(.production), KafkaTopic(rawValue: "\(names.prefix)2.state"))
        let deleting = KafkaTopic(rawValue: "\(names.prefix)2.deleting")
        func topic(_ name: KafkaTopic, _ partitions: Int, _ policy: String) -> KafkaNewTopic {
            KafkaNewTopic(
                topic: name, partitions: partitions, replicationFactor: 1, configuration: ["cleanup.policy": policy])
        }
        let admin = try KafkaAdmin(kafka)
        let failures = try await admin.createTopics([
            topic(source, 2, "compact"), topic(names.notifications(.production), 2, "delete"),
            topic(target, 4, "compact"), topic(deleting, 4, "compact,delete"),
        ])
        try #require(failures.isEmpty)
        try await waitUntil { (try? await admin.watermarks(of: source).count) == 2 }
        try await waitUntil { (try? await admin.watermarks(of: target).count) == 4 }
        let group = "\(names.prefix).group"
        let arguments = [
            "state", "rekey", "--kafka.bootstrap.servers", cluster.bootstrapServers, "--topics.prefix", names.prefix,
            "--entitlements.group.id", group, "--topic", source.rawValue, "--yes",
        ]
        let (refused, settings) = await sluicectl(arguments + ["--to-topic", deleting.rawValue])
        #expect(refused == 1)
        #expect(settings.complaints.first?.contains("\(deleting) has cleanup.policy=") == true)

        let member = KafkaConsumer(
            kafka, source: .group(KafkaConsumerGroup(rawValue: group), topics: [names.notifications(.production)])
        ) { _ in }
        try await member.start()
        try await waitUntil(within: .seconds(30)) { await !member.assignedPartitions.isEmpty }
        let (withMember, printed) = await sluicectl(arguments + ["--to-topic", target.rawValue])
        #expect(withMember == 1)
        #expect(printed.complaints.first?.contains("group \(group) has members") == true, "\(printed.complaints)")
        await member.close(within: .seconds(5))
        let (done, text) = await sluicectl(arguments + ["--to-topic", target.rawValue])
        #expect(done == 0, "\(text.complaints)")
        await admin.close(within: .seconds(2))
    }
}

/// A broker with a state of two partitions, and a topic of four partitions as the target of the copy.
private struct TwoStates {
    static let moment: Int64 = 1_793_491_201_000

    let input = TopicNames(prefix: "former").notifications(.production)
    let source = TopicNames(prefix: "former").entitlements(.production)
    let target = TopicNames(prefix: "next").entitlements(.production)
    /// The target topic under the same prefix.
    let beside: KafkaTopic = "former.entitlements.production.copy"
    let broker: DevBroker
    let configuration: KafkaConfiguration

    init() throws {
        broker = try DevBroker(topics: [input: 2, source: 2, target: 4, beside: 4])
        configuration = try KafkaConfiguration(
            bootstrapServers: broker.bootstrapServers, properties: ["max.in.flight.requests.per.connection": "1"],
            profile: .embedded)
    }

    /// Returns a key that another number of partitions assigns to another partition.
    var movingKey: String {
        (0..<100).map { "m\($0)" }.first {
            KafkaPartition(ofKey: Array($0.utf8), partitions: 2) != KafkaPartition(ofKey: Array($0.utf8), partitions: 4)
        } ?? ""
    }

    /// Returns a row as a member publishes it, in the partition of its key for this number of partitions.
    func row(_ key: String, _ number: Int, in topic: KafkaTopic, partitions: Int32) -> KafkaProducerRecord {
        row(key, number, in: topic, at: KafkaPartition(ofKey: Array(key.utf8), partitions: partitions).rawValue)
    }

    func row(_ key: String, _ number: Int, in topic: KafkaTopic, at partition: Int32) -> KafkaProducerRecord {
        KafkaProducerRecord(
            topic: topic, partition: KafkaPartition(rawValue: partition),
            timestampMilliseconds: Self.moment + Int64(number), key: Array(key.utf8),
            value: Array(#"{"number":\#(number)}"#.utf8),
            headers: [KafkaHeader(key: StateHeader.mark, text: "1;\(number);1"), KafkaHeader(key: "empty", value: nil)])
    }

    func write(_ records: [KafkaProducerRecord]) async throws {
        let producer = try KafkaProducer(configuration, topics: Array(Set(records.map(\.topic)))) { _ in }
        for record in records { _ = try await producer.send(record, deadline: .seconds(10)) }
        await producer.close(within: .seconds(5))
    }

    /// Returns all records of a topic, by partition and offset.
    func records(of topic: KafkaTopic) async throws -> [KafkaProducerRecord] {
        let starts = try await admin { try await $0.watermarks(of: topic).mapValues(\.low) }
        var records: [KafkaProducerRecord] = []
        try await KafkaConsumer.readToEnd(configuration, from: starts, within: .seconds(60)) {
            records += $0.map {
                KafkaProducerRecord(
                    topic: $0.topic, partition: $0.partition, timestampMilliseconds: $0.timestampMilliseconds,
                    key: $0.key, value: $0.value, headers: $0.headers)
            }
        }
        return records
    }

    func rekey(_ flags: [String] = [], to target: KafkaTopic? = nil) async -> (exitCode: Int32, printed: Printed) {
        await sluicectl(
            [
                "state", "rekey", "--kafka.bootstrap.servers", broker.bootstrapServers, "--topics.prefix", "former",
                "--topic", source.rawValue, "--to-topic", (target ?? self.target).rawValue,
            ] + flags)
    }

    func admin<Result>(_ body: (KafkaAdmin) async throws -> Result) async throws -> Result {
        try await KafkaAdmin(configuration).closing { try await body($0) }
    }

    func close() async { await broker.stop() }
}
