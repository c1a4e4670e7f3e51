import CommandLine
import Configuration
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import PipelineRuntime
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl pause`, `resume` and `pauses` on the embedded broker.
@Suite(.timeLimit(.minutes(5)))
struct PauseCommandTests {
    private let names = TopicNames(prefix: "pause\(UUID().uuidString.lowercased().prefix(8))")
    private let broker: DevBroker
    private let kafka: KafkaConfiguration

    init() throws {
        broker = try DevBroker(topics: [names.control: 1])
        kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
    }

    private func run(_ arguments: [String]) async -> (exitCode: Int32, printed: Printed) {
        await sluicectl(
            arguments + ["--kafka.bootstrap.servers", broker.bootstrapServers, "--topics.prefix", names.prefix])
    }

    /// Returns the records of the control topic, as key and value.
    private func records() async throws -> [(String, JSONObject)] {
        var records: [(String, JSONObject)] = []
        let place = KafkaTopicPartition(topic: names.control, partition: 0)
        try await KafkaConsumer.readToEnd(kafka, from: [place: .beginning], within: .seconds(20)) { some in
            for record in some {
                let value = try JSONValue(json: record.value ?? []).object
                records.append((String(decoding: record.key ?? [], as: UTF8.self), try #require(value)))
            }
        }
        return records
    }

    @Test func `a pause is recorded with reason, author and time, and listed until it is resumed`() async throws {
        let (code, printed) = await run([
            "pause", "sluice-entitlements", "--reason", "new schema", "--author", "ann",
        ])
        #expect(code == 0, "\(printed.complaints)")
        #expect(printed.output.hasPrefix("sluice-entitlements is paused"))
        #expect(printed.output.contains("sluicectl resume sluice-entitlements"))
        #expect(printed.complaints.isEmpty)
        let record = try #require(try await records().first)
        #expect(record.0 == "sluice-entitlements")
        #expect(record.1["version"] == 1 && record.1["state"] == "paused")
        #expect(record.1["reason"] == "new schema" && record.1["author"] == "ann")

        let listed = await run(["pauses", "--output", "json"])
        #expect(listed.exitCode == 0)
        let pause = try #require(try listed.printed.objects.first?["pauses"]?.array?.first?.object)
        #expect(pause.names == ["group", "state", "at", "author", "reason"])
        #expect(pause["group"] == "sluice-entitlements" && pause["at"] == record.1["at"])
        let table = await run(["pauses"])
        let lines = table.printed.output.split(separator: "\n")
        #expect(lines.first?.split(separator: " ").map(String.init) == ["GROUP", "SINCE", "AUTHOR", "REASON"])
        #expect(lines.last?.hasSuffix("new schema") == true)

        let resumed = await run(["resume", "sluice-entitlements", "--author", "bob"])
        #expect(resumed.exitCode == 0)
        #expect(resumed.printed.output == "sluice-entitlements continues where it stopped\n")
        let last = try #require(try await records().last)
        #expect(last.1["state"] == "running" && last.1["author"] == "bob")
        #expect(await run(["pauses"]).printed.output == "no group is paused\n")
    }

    @Test func `a pause is in the partition that consumers read, however many the topic has`() async throws {
        let names = TopicNames(prefix: "\(self.names.prefix)b")
        let broker = try DevBroker(topics: [names.control: 4])
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let flags = ["--kafka.bootstrap.servers", broker.bootstrapServers, "--topics.prefix", names.prefix]
        let groups = ["sluice-archive", "sluice-entitlements", "sluice-reconciler", "sluice-refunds"]
        for group in groups {
            let paused = await sluicectl(["pause", group, "--reason", "a test", "--author", "ann"] + flags)
            #expect(paused.exitCode == 0, "\(paused.printed.complaints)")
        }
        var keys: [String] = []
        let place = KafkaTopicPartition(topic: names.control, partition: 0)
        try await KafkaConsumer.readToEnd(kafka, from: [place: .beginning], within: .seconds(20)) { records in
            keys += records.map { String(decoding: $0.key ?? [], as: UTF8.self) }
        }
        #expect(keys == groups)
        let listed = await sluicectl(["pauses", "--output", "json"] + flags)
        let pauses = try #require(try listed.printed.objects.first?["pauses"]?.array)
        #expect(pauses.map { $0.object?["group"]?.string } == groups)
        await broker.stop()
    }

    @Test func `a group that is not paused is not resumed`() async throws {
        let (code, printed) = await run(["resume", "sluice-archive", "--author", "ann"])
        #expect(code == 0)
        #expect(printed.output == "sluice-archive is not paused\n")
        #expect(try await records().isEmpty)
    }

    @Test func `a pause of refunds warns that Apple's deadlines still apply`() async throws {
        let arguments = ["pause", "sluice-refunds", "--reason", "wrong answers", "--author", "ann"]
        let (code, printed) = await run(arguments)
        #expect(code == 0)
        let warning = try #require(printed.complaints.first)
        #expect(warning.contains("12 hours") && warning.contains("sluicectl refunds due"))
        let json = await run(arguments + ["--output", "json"])
        #expect(try json.printed.objects.first?["warning"]?.string?.contains("12 hours") == true)
    }

    @Test func `the name of an executable selects its configured group`() async throws {
        let (code, printed) = await run([
            "pause", "sluice-refunds", "--reason", "r", "--author", "ann", "--refunds.group.id", "acme-refunds",
        ])
        #expect(code == 0, "\(printed.complaints)")
        #expect(try await records().map(\.0) == ["acme-refunds"])
        #expect(printed.complaints.contains { $0.contains("12 hours") })
    }

    @Test func `a group of another consumer is paused with a note`() async throws {
        let (code, printed) = await run(["pause", "inbox", "--reason", "r", "--author", "ann"])
        #expect(code == 0)
        #expect(printed.complaints.contains { $0.contains("inbox is not a group of Sluice's executables") })
        #expect(try await records().map(\.0) == ["inbox"])
    }

    @Test(arguments: [
        (["pause", "sluice-refunds", "--author", "ann"], "--reason"),
        (["pause", "sluice-refunds", "--author", "ann", "--reason", " "], "--reason"),
        (["pause", "sluice-refunds", "--author", " ", "--reason", "r"], "--author"),
        (["pause", "sluice-refunds", "--author", "ann", "--reason", "one\ntwo"], "--reason"),
        (["pause", "sluice-refunds", "--author", "ann", "--reason", "r", "--receiver", "crm"], "--receiver"),
        (["pause", "--author", "ann", "--reason", "r"], "GROUP"),
    ])
    func `wrong arguments are refused with their name, and nothing is recorded`(
        _ arguments: [String], _ name: String
    ) async throws {
        let (code, printed) = await run(arguments)
        #expect(code == 64, "\(printed.complaints)")
        #expect(printed.complaints.contains { $0.contains(name) })
        #expect(try await records().isEmpty)
    }

    @Test(arguments: ["pause", "resume", "pauses"])
    func `a missing topic is reported with the command that creates it`(_ command: String) async throws {
        let empty = try DevBroker(topics: [:])
        let group = command == "pauses" ? [] : ["sluice-refunds", "--author", "ann"]
        let (code, printed) = await sluicectl(
            [command] + group + (command == "pause" ? ["--reason", "r"] : [])
                + ["--kafka.bootstrap.servers", empty.bootstrapServers, "--topics.prefix", names.prefix])
        #expect(code == 1)
        let line = try #require(printed.complaints.last)
        #expect(line.contains("\(names.control)") && line.contains("sluicectl topics apply"))
        await empty.stop()
    }

    @Test func `damaged records are reported and do not hide the others`() async throws {
        let producer = try KafkaProducer(kafka, topics: [names.control])
        _ = try await producer.send(
            KafkaProducerRecord(topic: names.control, key: Array("inbox".utf8), value: [0xFF]), deadline: .seconds(10))
        await producer.close(within: .seconds(5))
        _ = await run(["pause", "sluice-archive", "--reason", "disk", "--author", "ann"])
        let (code, printed) = await run(["pauses"])
        #expect(code == 0)
        #expect(printed.complaints.contains { $0.contains("offsets 0") })
        #expect(printed.output.contains("sluice-archive"))
    }
}

/// The group specified by an argument.
@Suite struct ControlledGroupTests {
    @Test func `an unknown group is refused with the groups of the installation`() async throws {
        guard
            case .run(let invocation) = SluicectlCommand.command(testParts).parse(
                ["pause", "sluice-refund", "--reason", "r"], environment: [:])
        else {
            Issue.record("the command line was refused")
            return
        }
        let groups = ControlledGroups(
            configuration: invocation.configuration, access: testParts.access, webhooks: testParts.webhooks)
        let error = await #expect(throws: (any Error).self) {
            try await groups.resolve("sluice-refund") { _ in false }
        }
        let text = "\(try #require(error))"
        for part in ["no consumer group sluice-refund", "sluice-refunds", "sluice-archive", "--new"] {
            #expect(text.contains(part), "\(part)")
        }
        let known = try await groups.resolve("sluice-refund") { $0 == "sluice-refund" }
        #expect(known == ControlledGroup(group: "sluice-refund", executable: nil))
    }
}
