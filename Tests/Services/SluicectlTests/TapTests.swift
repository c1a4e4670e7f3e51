import AppStoreModel
import Cryptography
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl tap` and `sluicectl topics` on the embedded broker.
@Suite(.timeLimit(.minutes(5)))
struct TapTests {
    /// A broker with the topics of a separate installation.
    private struct Harness {
        let names = TopicNames(prefix: "tap\(UUID().uuidString.lowercased().prefix(8))")
        let broker: DevBroker
        let producer: KafkaProducer

        init() throws {
            let production = names.notifications(.production)
            broker = try DevBroker(topics: [production: 2, names.certificates: 1])
            let configuration = try KafkaConfiguration(
                bootstrapServers: broker.bootstrapServers, properties: ["max.in.flight.requests.per.connection": "1"],
                profile: .embedded)
            producer = try KafkaProducer(configuration, topics: [production, names.certificates]) { _ in }
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

        func send(_ header: CertificateHeader) async throws {
            _ = try await producer.send(header.produced(to: names.certificates), deadline: .seconds(10))
        }

        func close() async {
            await producer.close(within: .seconds(5))
            await broker.stop()
        }
    }

    private static func notification(_ type: String) -> String {
        #"{"notification":{"notificationType":"\#(type)"},"signedPayload":"a.b.c"}"#
    }

    /// Returns the kinds and types of the printed records.
    private static func seen(_ printed: Printed) throws -> [String] {
        try printed.objects.map { object in
            object["value"]?.object?["notification"]?.object?["notificationType"]?.string ?? object["kind"]?.string
                ?? "?"
        }
    }

    @Test func `all records up to the end of each partition are shown`() async throws {
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
            ["tap", "--no-follow", "--start", "-2", "--output", "json"] + harness.flags)
        #expect(exitCode == 0)
        #expect(try Self.seen(printed) == ["B", "C"])
        await harness.close()
    }

    @Test func `tap ends after the requested number of records`() async throws {
        let harness = try Harness()
        try await harness.send(["A", "B", "C"].map(Self.notification))
        let (exitCode, printed) = await sluicectl(
            ["tap", "--start", "beginning", "--limit", "2", "--output", "json"] + harness.flags)
        #expect(exitCode == 0)
        #expect(try Self.seen(printed) == ["A", "B"])
        await harness.close()
    }

    @Test func `tap follows from the end until it is interrupted`() async throws {
        let harness = try Harness()
        try await harness.send([Self.notification("OLD")])
        let (interruption, interrupt) = AsyncStream.makeStream(of: String.self)
        let printed = Printed()
        async let result = sluicectl(
            ["tap", "--output", "json"] + harness.flags, interruption: interruption, into: printed)
        // The command reports when it knows its start offsets.
        #expect(await eventually { !printed.complaints.isEmpty })
        try await harness.send([Self.notification("NEW")])
        #expect(await eventually { !printed.output.isEmpty })
        interrupt.yield("SIGINT")
        #expect(await result.exitCode == 0)
        #expect(try Self.seen(printed) == ["NEW"])
        await harness.close()
    }

    @Test func `tap ends when its output is closed`() async throws {
        let harness = try Harness()
        try await harness.send([Self.notification("A")])
        try await harness.send([Self.notification("B")], partition: 1)
        // The partitions are printed one after the other. The first line is read, and the second is not.
        let (exitCode, printed) = await sluicectl(
            ["tap", "--start", "beginning"] + harness.flags, into: Printed(linesBeforeClosing: 1))
        #expect(exitCode == 0)
        #expect(printed.output.split(separator: "\n").count == 2)
        await harness.close()
    }

    @Test func `an empty topic and a missing one are distinguished`() async throws {
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
        #expect(statuses.filter { $0 == "missing" }.count == statuses.count - 2)
        let apply = await sluicectl(["topics", "apply", "--partitions", "2"] + harness.flags)
        #expect(apply.exitCode == 1)
        #expect(apply.printed.output.contains("The embedded broker creates its topics itself"))
        await harness.close()
    }

    private static let header = CertificateHeader(
        reference: HeaderReference(rawValue: SHA256.digest(of: Array("eyJ9".utf8)).hex), segment: Array("eyJ9".utf8))
    private static let signature = String(repeating: "A", count: 85) + "Q"
    private static let signed =
        #"{"notification":{},"proof":{"notification":{"header":"\#(header.reference)","signature":"\#(signature)"}}}"#

    @Test func `the compact JWS is rebuilt when its header segment is read`() async throws {
        let harness = try Harness()
        try await harness.send([Self.signed, Self.notification("TEST")])
        let printed = Printed()
        async let result = sluicectl(
            ["tap", "--signed", "--start", "beginning", "--limit", "2"] + harness.flags, into: printed)
        #expect(await eventually { !printed.complaints.isEmpty })
        // A segment that does not match its key is ignored.
        try await harness.send(CertificateHeader(reference: Self.header.reference, segment: Array("eyJ8".utf8)))
        try await harness.send(Self.header)
        #expect(await result.exitCode == 0, "\(printed.complaints)")
        #expect(printed.output == "eyJ9.e30.\(Self.signature)\na.b.c\n")
        await harness.close()
    }

    @Test func `the limit does not end tap while a counted record waits for its header segment`() async throws {
        let harness = try Harness()
        try await harness.send([Self.notification("TEST"), Self.signed])
        let printed = Printed()
        async let result = sluicectl(
            ["tap", "--signed", "--start", "beginning", "--limit", "3"] + harness.flags, timeout: .seconds(60),
            into: printed)
        #expect(await eventually { printed.output == "a.b.c\n" })
        try await harness.send([Self.notification("TEST")], partition: 1)
        #expect(await eventually { printed.output == "a.b.c\na.b.c\n" })
        // The limit is reached, so this record is not printed.
        try await harness.send([Self.notification("TEST")], partition: 1)
        try await harness.send(Self.header)
        #expect(await result.exitCode == 0, "\(printed.complaints)")
        #expect(printed.output == "a.b.c\na.b.c\neyJ9.e30.\(Self.signature)\n")
        await harness.close()
    }

    @Test func `an interruption while a record waits for its header segment is not a failure`() async throws {
        let harness = try Harness()
        try await harness.send([Self.notification("TEST"), Self.signed])
        let (interruption, interrupt) = AsyncStream.makeStream(of: String.self)
        let printed = Printed()
        async let result = sluicectl(
            ["tap", "--signed", "--start", "beginning"] + harness.flags, timeout: .seconds(60),
            interruption: interruption, into: printed)
        #expect(await eventually { printed.output == "a.b.c\n" })
        interrupt.yield("SIGINT")
        #expect(await result.exitCode == 0, "\(printed.complaints)")
        #expect(printed.output == "a.b.c\n")
        await harness.close()
    }

    @Test func `a missing header segment ends tap with the name of the topic`() async throws {
        let harness = try Harness()
        try await harness.send([Self.signed])
        let (exitCode, printed) = await sluicectl(
            ["tap", "--signed", "--no-follow"] + harness.flags, timeout: .seconds(3))
        #expect(exitCode == 1)
        #expect(printed.output.isEmpty)
        let complaint = printed.complaints.last ?? ""
        #expect(complaint.contains(Self.header.reference.rawValue))
        #expect(complaint.contains("which is not in \(harness.names.certificates)"))
        await harness.close()
    }

    @Test func `a record that cannot be rebuilt is reported and skipped`() async throws {
        let harness = try Harness()
        try await harness.send([nil, #"{"notification":{}}"#, Self.notification("TEST")])
        let (exitCode, printed) = await sluicectl(["tap", "--signed", "--no-follow"] + harness.flags)
        #expect(exitCode == 1)
        #expect(printed.output == "a.b.c\n")
        #expect(printed.complaints.count == 2)
        let twoForms = await sluicectl(["tap", "--signed", "--output", "json"] + harness.flags)
        #expect(twoForms.exitCode == 64)
        await harness.close()
    }
}
