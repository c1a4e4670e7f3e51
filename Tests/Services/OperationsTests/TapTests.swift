import AppStoreModel
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import Records
import TestSupport
import Testing

@testable import Operations

/// `sluicectl tap` and `sluicectl topics` on the embedded broker.
@Suite(.timeLimit(.minutes(5)))
struct TapTests {
    /// A broker with the topics of an installation of its own.
    private struct Harness {
        let names = TopicNames(prefix: "tap\(UUID().uuidString.lowercased().prefix(8))")
        let broker: DevBroker
        let producer: KafkaProducer

        init() throws {
            let production = names.notifications(.production)
            broker = try DevBroker(topics: [production: 2])
            let configuration = try KafkaConfiguration(
                bootstrapServers: broker.bootstrapServers, properties: ["max.in.flight.requests.per.connection": "1"],
                profile: .embedded)
            producer = try KafkaProducer(configuration, topics: [production]) { _ in }
        }

        var flags: [String] {
            ["--kafka.bootstrap.servers", broker.bootstrapServers, "--topics.prefix", names.prefix]
        }

        func send(_ values: [String?], partition: KafkaPartition = 0) async throws {
            for value in values {
                _ = try await producer.send(
                    KafkaProducerRecord(
                        topic: names.notifications(.production), partition: partition,
                        key: Array("com.example.app/1".utf8), value: value.map { Array($0.utf8) }),
                    deadline: .seconds(10))
            }
        }

        func close() async {
            await producer.close(within: .seconds(5))
            await broker.stop()
        }
    }

    private static func notification(_ type: String) -> String {
        #"{"notification":{"notificationType":"\#(type)"},"signedPayload":"a.b.c"}"#
    }

    /// The kinds and types of what was printed.
    private static func seen(_ printed: Printed) throws -> [String] {
        try printed.objects.map { object in
            object["value"]?.object?["notification"]?.object?["notificationType"]?.string ?? object["kind"]?.string
                ?? "?"
        }
    }

    @Test func `everything up to the ends of all partitions is shown`() async throws {
        let harness = try Harness()
        try await harness.send([Self.notification("TEST"), nil, "torn"])
        try await harness.send([Self.notification("REFUND")], partition: 1)
        let (exitCode, printed) = await sluicectl(["tap", "--no-follow", "--output", "json"] + harness.flags)
        #expect(exitCode == 0, "\(printed.complaints)")
        let seen = try Self.seen(printed)
        #expect(seen.filter { $0 != "REFUND" } == ["TEST", "tombstone", "undecodable"])
        #expect(seen.count == 4)
        #expect(printed.complaints.isEmpty)
        await harness.close()
    }

    @Test func `the last records of each partition are shown`() async throws {
        let harness = try Harness()
        try await harness.send(["A", "B", "C"].map(Self.notification))
        let (exitCode, printed) = await sluicectl(
            ["tap", "--no-follow", "--from", "-2", "--output", "json"] + harness.flags)
        #expect(exitCode == 0)
        #expect(try Self.seen(printed) == ["B", "C"])
        await harness.close()
    }

    @Test func `it ends after as many records as asked for`() async throws {
        let harness = try Harness()
        try await harness.send(["A", "B", "C"].map(Self.notification))
        let (exitCode, printed) = await sluicectl(
            ["tap", "--from", "beginning", "--count", "2", "--output", "json"] + harness.flags)
        #expect(exitCode == 0)
        #expect(try Self.seen(printed) == ["A", "B"])
        await harness.close()
    }

    @Test func `it follows from the end until it is interrupted`() async throws {
        let harness = try Harness()
        try await harness.send([Self.notification("OLD")])
        let (interruption, interrupt) = AsyncStream.makeStream(of: String.self)
        let printed = Printed()
        async let result = sluicectl(
            ["tap", "--output", "json"] + harness.flags, interruption: interruption, into: printed)
        // It says so when it knows where it begins.
        #expect(await eventually { !printed.complaints.isEmpty })
        try await harness.send([Self.notification("NEW")])
        #expect(await eventually { !printed.output.isEmpty })
        interrupt.yield("SIGINT")
        #expect(await result.exitCode == 0)
        #expect(try Self.seen(printed) == ["NEW"])
        await harness.close()
    }

    @Test func `it ends when nobody reads any more`() async throws {
        let harness = try Harness()
        try await harness.send([Self.notification("A")])
        try await harness.send([Self.notification("B")], partition: 1)
        // Partition by partition: the first print is read, the second is not.
        let (exitCode, printed) = await sluicectl(
            ["tap", "--from", "beginning"] + harness.flags, into: Printed(linesBeforeClosing: 1))
        #expect(exitCode == 0)
        #expect(printed.output.split(separator: "\n").count == 2)
        await harness.close()
    }

    @Test func `an empty topic and a missing one are told apart`() async throws {
        let harness = try Harness()
        let empty = await sluicectl(["tap", "--no-follow", "--output", "json"] + harness.flags)
        #expect(empty.exitCode == 0)
        #expect(empty.printed.output.isEmpty)
        let missing = await sluicectl(["tap", "--no-follow", "--environment", "sandbox"] + harness.flags)
        #expect(missing.exitCode == 1)
        #expect(missing.printed.complaints.count == 1)
        #expect(missing.printed.complaints.first?.contains("notifications.sandbox does not exist") == true)
        #expect(missing.printed.complaints.first?.contains("sluicectl topics apply") == true)
        await harness.close()
    }

    @Test func `the embedded broker's topics are compared, not created`() async throws {
        let harness = try Harness()
        let check = await sluicectl(["topics", "check", "--partitions", "2", "--output", "json"] + harness.flags)
        #expect(check.exitCode == 1)
        let report = try #require(try check.printed.objects.first)
        #expect(report["embeddedBroker"] == true)
        let statuses = (report["topics"]?.array ?? []).compactMap { $0.object?["status"]?.string }
        #expect(statuses.count == harness.names.specifications().count)
        #expect(statuses.first == "exists")
        #expect(Set(statuses.dropFirst()) == ["missing"])
        let apply = await sluicectl(["topics", "apply", "--partitions", "2"] + harness.flags)
        #expect(apply.exitCode == 1)
        #expect(apply.printed.output.contains("The embedded broker creates its topics itself"))
        await harness.close()
    }
}
