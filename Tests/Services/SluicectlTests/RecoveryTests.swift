import AppStoreModel
import AppStoreSigning
import Cryptography
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import PipelineRuntime
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl quarantine` and `sluicectl dlq` on the embedded broker.
@Suite(.timeLimit(.minutes(5)))
struct RecoveryTests {
    /// A broker with the topics of a separate installation.
    struct Harness {
        static let partitions = 2
        let names = TopicNames(prefix: "rec\(UUID().uuidString.lowercased().prefix(8))")
        let broker: DevBroker
        let producer: KafkaProducer
        let configuration: KafkaConfiguration
        let directory: TemporaryDirectory
        let root: String

        var production: KafkaTopic { names.notifications(.production) }
        var deadLetters: KafkaTopic { production.deadLetters(of: "sluice-entitlements") }
        var stateDeadLetters: KafkaTopic { names.entitlements(.production).deadLetters(of: "sluice-webhooks") }
        /// The dead letter topic of a webhook receiver with its own group.
        var receiverDeadLetters: KafkaTopic { names.entitlements(.production).deadLetters(of: "crm") }

        init() throws {
            let production = names.notifications(.production)
            let letters = production.deadLetters(of: "sluice-entitlements")
            let stateLetters = names.entitlements(.production).deadLetters(of: "sluice-webhooks")
            let receiverLetters = names.entitlements(.production).deadLetters(of: "crm")
            broker = try DevBroker(topics: [
                production: Self.partitions, names.notifications(.sandbox): Self.partitions, names.quarantine: 1,
                names.certificates: 1, letters: Self.partitions, stateLetters: 1, receiverLetters: 1,
            ])
            configuration = try KafkaConfiguration(
                bootstrapServers: broker.bootstrapServers, properties: ["max.in.flight.requests.per.connection": "1"],
                profile: .embedded)
            producer = try KafkaProducer(
                configuration, topics: [names.quarantine, letters, stateLetters, receiverLetters, production]
            ) { _ in }
            directory = try TemporaryDirectory()
            root = try directory.write(try Signed.pki.get().root.der, to: "root.der")
        }

        var flags: [String] {
            ["--kafka.bootstrap.servers", broker.bootstrapServers, "--topics.prefix", names.prefix]
        }

        var trust: [String] { ["--apps", "com.example.app:1234567890", "--root.certificates", root] }

        func quarantine(_ body: [UInt8], _ reason: String, source: RecordOrigin = .live) async throws {
            let record = QuarantineRecord(
                reason: reason, detail: "a detail", receivedAt: AppStoreInstant(rfc3339: "2026-10-31T12:00:00.123Z"),
                environment: .production, bundleId: BundleId("com.example.app"),
                notificationUUID: NotificationUUID("7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"), source: source,
                receivedBytes: body)
            _ = try await producer.send(record.produced(to: names.quarantine), deadline: .seconds(10))
        }

        func letter(
            _ value: String, from input: KafkaTopic, to topic: KafkaTopic, partition: KafkaPartition = 0,
            reason: String = "identity_missing", at milliseconds: Int64? = nil, _ more: [KafkaHeader] = []
        ) async throws {
            let added = [
                (DeadLetterHeader.topic, input.rawValue), (DeadLetterHeader.partition, "1"),
                (DeadLetterHeader.offset, "42"), (DeadLetterHeader.group, "sluice-entitlements"),
                (DeadLetterHeader.reason, reason), (DeadLetterHeader.attempts, "5"),
                (DeadLetterHeader.exceptionMessage, "no id"),
            ].map { KafkaHeader(key: $0.0, text: $0.1) }
            let own = [
                KafkaHeader(.id, "uuid-\(value)"), KafkaHeader(.origin, "live"), KafkaHeader(key: "x", text: "y"),
            ]
            _ = try await producer.send(
                KafkaProducerRecord(
                    topic: topic, partition: partition, timestampMilliseconds: milliseconds,
                    key: Array("com.example.app/1".utf8), value: Array(value.utf8), headers: own + more + added),
                deadline: .seconds(10))
        }

        func records(_ topic: KafkaTopic, partitions: Int = Harness.partitions) async throws -> [KafkaRecord] {
            var offsets: [KafkaTopicPartition: KafkaOffset] = [:]
            for partition in 0..<partitions {
                offsets[KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: Int32(partition)))] =
                    .beginning
            }
            var all: [KafkaRecord] = []
            try await KafkaConsumer.readToEnd(configuration, from: offsets, within: .seconds(20)) { all += $0 }
            return all
        }

        func close() async {
            await producer.close(within: .seconds(5))
            await broker.stop()
        }
    }

    private static func texts(_ objects: [JSONObject], _ name: String) -> [String?] { objects.map { $0[name]?.string } }

    // MARK: quarantine

    @Test func `quarantined records are listed with their reasons, newest last`() async throws {
        let harness = try Harness()
        try await harness.quarantine(try Signed.body(), "profile_audience")
        try await harness.quarantine(Array("{}".utf8), "profile_date")
        let (exitCode, printed) = await sluicectl(["quarantine", "list", "--output", "json"] + harness.flags)
        #expect(exitCode == 0, "\(printed.complaints)")
        let objects = try printed.objects
        #expect(Self.texts(objects, "position") == ["0-0", "0-1"])
        #expect(Self.texts(objects, "reason") == ["profile_audience", "profile_date"])
        #expect(Self.texts(objects, "receivedTime") == ["2026-10-31T12:00:00.123Z", "2026-10-31T12:00:00.123Z"])
        let filtered = await sluicectl(
            ["quarantine", "list", "--reason-code", "profile_date", "--output", "json"] + harness.flags)
        #expect(Self.texts(try filtered.printed.objects, "position") == ["0-1"])
        let later = await sluicectl(["quarantine", "list", "--after", "0-0"] + harness.flags)
        #expect(later.printed.output.split(separator: "\n").count == 2)
        #expect(later.printed.output.contains("profile_date"))
        let first = await sluicectl(["quarantine", "list", "--limit", "1", "--output", "json"] + harness.flags)
        #expect(Self.texts(try first.printed.objects, "position") == ["0-0"])
        await harness.close()
    }

    @Test func `a quarantined record is shown with the verifier's current verdict`() async throws {
        let harness = try Harness()
        let body = try Signed.body()
        try await harness.quarantine(body, "profile_audience")
        let text = await sluicectl(["quarantine", "show", "0-0"] + harness.flags + harness.trust)
        #expect(text.exitCode == 0, "\(text.printed.complaints)")
        #expect(text.printed.output.contains("sluice.quarantine.reason"))
        #expect(text.printed.output.contains("accepted"))
        let json = await sluicectl(
            ["quarantine", "show", "0-0", "--output", "json"] + harness.flags + harness.trust)
        let object = try #require(try json.printed.objects.first)
        #expect(object["value"]?.string == String(decoding: body, as: UTF8.self))
        #expect(object["verification"]?.object?["accepted"] == true)
        let missing = await sluicectl(["quarantine", "show", "0-1"] + harness.flags + harness.trust)
        #expect(missing.exitCode == 1)
        #expect(missing.printed.complaints.first?.contains("has no record at 0-1") == true)
        await harness.close()
    }

    @Test func `release publishes records that pass now as the ingress does, with origin replay`() async throws {
        let harness = try Harness()
        let body = try Signed.body()
        try await harness.quarantine(body, "profile_audience")
        try await harness.quarantine(Array("{}".utf8), "profile_audience")
        try await harness.quarantine(body, "profile_date")
        let command = ["quarantine", "release", "--output", "json"] + harness.flags + harness.trust

        let dry = await sluicectl(command)
        #expect(dry.exitCode == 1)
        #expect(Self.texts(try dry.printed.objects, "status") == ["ready", "left", "ready", nil])
        #expect(dry.printed.complaints.first?.contains("--yes") == true)
        #expect(try await harness.records(harness.production).isEmpty)

        let done = await sluicectl(command + ["--yes", "--reason-code", "profile_audience"])
        #expect(done.exitCode == 1)
        let objects = try done.printed.objects
        #expect(Self.texts(objects, "status") == ["replayed", "left", nil])
        #expect(objects[1]["reason"]?.string == "json_shape")
        #expect(objects[2]["last"]?.string == "0-2")

        let records = try await harness.records(harness.production)
        let record = try #require(records.first)
        #expect(records.count == 1)
        #expect(record.headers.text(.origin) == "replay")
        #expect(record.headers.text(.id) == "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55")
        #expect(record.headers.text(.receivedTime) == "2026-10-31T12:00:00.123Z")
        #expect(record.key.map { String(decoding: $0, as: UTF8.self) } == "com.example.app/2000000000000001")
        let segments = try await harness.records(harness.names.certificates, partitions: 1)
            .compactMap(CertificateHeader.init)
        let known = Dictionary(segments.map { ($0.reference, $0.segment) }, uniquingKeysWith: { first, _ in first })
        for (reference, segment) in known { #expect(reference.rawValue == SHA256.digest(of: segment).hex) }
        let rebuilt = try NotificationRecord(record).rebuild { known[$0] }
        #expect(Array(#"{"signedPayload":"\#(String(decoding: rebuilt, as: UTF8.self))"}"#.utf8) == body)
        await harness.close()
    }

    @Test func `a compact JWS from Apple's history is released`() async throws {
        let harness = try Harness()
        let body = try Signed.body()
        let jws = Array(body.dropFirst(#"{"signedPayload":""#.utf8.count).dropLast(2))
        try await harness.quarantine(jws, "cert_time", source: .history)
        let done = await sluicectl(["quarantine", "release", "--yes"] + harness.flags + harness.trust)
        #expect(done.exitCode == 0, "\(done.printed.output)")
        #expect(try await harness.records(harness.production).count == 1)
        await harness.close()
    }

    @Test func `an interrupted release shows where to continue, and continues there`() async throws {
        let harness = try Harness()
        for _ in 0..<4 { try await harness.quarantine(try Signed.body(), "profile_audience") }
        let command = ["quarantine", "release", "--yes", "--output", "json"] + harness.flags + harness.trust
        let (interruption, interrupt) = AsyncStream.makeStream(of: String.self)
        let printed = Printed()
        // One record per second, so that the interruption falls between two records.
        async let result = sluicectl(command + ["--rate", "1"], interruption: interruption, into: printed)
        #expect(await eventually { printed.output.contains("0-0") })
        interrupt.yield("SIGINT")
        #expect(await result.exitCode == 1)
        let last = try #require(try printed.objects.last?["last"]?.string)
        #expect(printed.complaints.last == "interrupted; resume with --after \(last)")
        let released = try await harness.records(harness.production).count
        #expect(released < 4)
        let rest = await sluicectl(command + ["--after", last])
        #expect(rest.exitCode == 0, "\(rest.printed.complaints)")
        #expect(try await harness.records(harness.production).count == 4)
        await harness.close()
    }

    @Test func `release without apps is refused`() async throws {
        let harness = try Harness()
        let (exitCode, printed) = await sluicectl(["quarantine", "release"] + harness.flags)
        #expect(exitCode == 78)
        #expect(printed.complaints.first?.contains("apps") == true)
        await harness.close()
    }

    @Test func `records are sent at the requested rate`() async throws {
        let pace = ReplayPace(perSecond: 20)
        let begun = ContinuousClock.now
        for _ in 0..<5 { try await pace.wait() }
        // The first record is sent immediately, then one every 50 ms.
        #expect(ContinuousClock.now - begun >= .milliseconds(200))
    }

    // MARK: dlq

    @Test func `dead letters of every group are listed with their reasons`() async throws {
        let harness = try Harness()
        try await harness.letter("a", from: harness.production, to: harness.deadLetters, partition: 1)
        try await harness.letter("b", from: harness.names.entitlements(.production), to: harness.stateDeadLetters)
        let (exitCode, printed) = await sluicectl(["dlq", "list", "--output", "json"] + harness.flags)
        #expect(exitCode == 0, "\(printed.complaints)")
        let objects = try printed.objects
        #expect(
            Set(Self.texts(objects, "topic")) == [harness.deadLetters.rawValue, harness.stateDeadLetters.rawValue])
        let one = try #require(objects.first { $0["topic"]?.string == harness.deadLetters.rawValue })
        #expect(one["position"]?.string == "1-0")
        #expect(one["reason"]?.string == "identity_missing")
        #expect(one["input"]?.string == harness.production.rawValue)
        #expect(one["key"]?.string == "com.example.app/1")
        let shown = await sluicectl(
            ["dlq", "show", "1-0", "--topic", harness.deadLetters.rawValue] + harness.flags)
        #expect(shown.exitCode == 0)
        #expect(shown.printed.output.contains("sluice.dlq.reason"))
        #expect(shown.printed.output.hasSuffix("\na\n"))
        await harness.close()
    }

    @Test func `dead letters of a receiver with its own group are listed`() async throws {
        let harness = try Harness()
        let input = harness.names.entitlements(.production)
        try await harness.letter("a", from: input, to: harness.stateDeadLetters)
        try await harness.letter("b", from: input, to: harness.receiverDeadLetters)
        let (exitCode, printed) = await sluicectl(
            ["dlq", "list", "--output", "json", "--webhooks.group.id", "crm"] + harness.flags)
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(
            Set(Self.texts(try printed.objects, "topic")) == [
                harness.stateDeadLetters.rawValue, harness.receiverDeadLetters.rawValue,
            ])
        await harness.close()
    }

    @Test func `dead letters of a renamed group are listed without its name`() async throws {
        let harness = try Harness()
        try await harness.letter(
            "a", from: harness.names.entitlements(.production), to: harness.receiverDeadLetters)
        let (exitCode, printed) = await sluicectl(["dlq", "list", "--output", "json"] + harness.flags)
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(Self.texts(try printed.objects, "topic") == [harness.receiverDeadLetters.rawValue])
        await harness.close()
    }

    @Test func `dead letter topics belong to the installation with their prefix`() {
        let inputs = TopicNames(prefix: "store").specifications().map(\.name).filter { !$0.rawValue.hasSuffix(".dlq") }
        func isOwn(_ topic: KafkaTopic) -> Bool { inputs.contains { topic.isDeadLetters(of: $0) } }
        #expect(isOwn("store.notifications.production.sluice-entitlements.dlq"))
        #expect(isOwn("store.entitlements.sandbox.eu.crm.dlq"))
        #expect(!isOwn("store.notifications.production"))
        #expect(!isOwn("store.notifications.production.dlq"))
        #expect(!isOwn("store.eu.notifications.production.sluice-entitlements.dlq"))
        #expect(!isOwn("store2.notifications.production.sluice-entitlements.dlq"))
    }

    @Test func `a position applies to the topic that it belongs to`() async throws {
        let harness = try Harness()
        for value in ["a", "b"] { try await harness.letter(value, from: harness.production, to: harness.deadLetters) }
        try await harness.letter("c", from: harness.names.entitlements(.production), to: harness.stateDeadLetters)
        let command = ["dlq", "list", "--after", "0-0", "--output", "json"] + harness.flags
        let (exitCode, printed) = await sluicectl(command)
        #expect(exitCode == 64)
        #expect(printed.output.isEmpty)
        #expect(printed.complaints.first?.contains("--topic") == true)
        let one = await sluicectl(command + ["--topic", harness.deadLetters.rawValue])
        #expect(Self.texts(try one.printed.objects, "position") == ["0-1"])
        await harness.close()
    }

    @Test func `control characters in a dead letter are not printed`() async throws {
        let harness = try Harness()
        let hostile = "a\u{1B}[2Jb"
        _ = try await harness.producer.send(
            KafkaProducerRecord(
                topic: harness.deadLetters, partition: 0, key: Array(hostile.utf8), value: Array(hostile.utf8),
                headers: [KafkaHeader(key: DeadLetterHeader.reason, text: hostile)]), deadline: .seconds(10))
        let shown = await sluicectl(
            ["dlq", "show", "0-0", "--topic", harness.deadLetters.rawValue] + harness.flags)
        #expect(shown.exitCode == 0, "\(shown.printed.complaints)")
        #expect(!shown.printed.output.contains("\u{1B}"))
        #expect(shown.printed.output.components(separatedBy: "?[2Jb").count == 4)
        await harness.close()
    }

    @Test func `a dead letter is replayed unchanged except for its origin`() async throws {
        let harness = try Harness()
        for value in ["a", "b"] {
            try await harness.letter(value, from: harness.production, to: harness.deadLetters, partition: 1)
        }
        let command = ["dlq", "replay", "--topic", harness.deadLetters.rawValue, "--output", "json"] + harness.flags
        #expect(await sluicectl(command).exitCode == 1)
        #expect(try await harness.records(harness.production).isEmpty)
        let one = await sluicectl(command + ["1-1", "--yes"])
        #expect(one.exitCode == 0, "\(one.printed.complaints)")
        let all = await sluicectl(command + ["--yes"])
        #expect(Self.texts(try all.printed.objects, "status") == ["replayed", "replayed", nil])
        let records = try await harness.records(harness.production)
        #expect(records.map { $0.value.map { String(decoding: $0, as: UTF8.self) } } == ["b", "a", "b"])
        let expected = [
            KafkaHeader(.id, "uuid-b"), KafkaHeader(key: "x", text: "y"), KafkaHeader(.origin, "replay"),
            KafkaHeader(key: "sluice.replay.reason", text: "sluice-entitlements identity_missing"),
        ]
        #expect(records.first?.headers == expected)
        #expect(records.first?.key == Array("com.example.app/1".utf8))
        await harness.close()
    }

    @Test func `a row of a state topic is not replayed`() async throws {
        let harness = try Harness()
        let state = harness.names.entitlements(.production)
        try await harness.letter("old", from: state, to: harness.stateDeadLetters)
        let (exitCode, printed) = await sluicectl(
            ["dlq", "replay", "--topic", harness.stateDeadLetters.rawValue, "--yes", "--output", "json"] + harness.flags
        )
        #expect(exitCode == 1)
        #expect(try printed.objects.first?["reason"]?.string == "not_a_notification")
        await harness.close()
    }

    @Test func `a dead letter without its oversized value is not replayed as a tombstone`() async throws {
        let harness = try Harness()
        _ = try await harness.producer.send(
            KafkaProducerRecord(
                topic: harness.deadLetters, partition: 0, key: Array("com.example.app/1".utf8), value: nil,
                headers: [
                    KafkaHeader(key: DeadLetterHeader.topic, text: harness.production.rawValue),
                    KafkaHeader(key: DeadLetterHeader.omitted, text: "value"),
                ]), deadline: .seconds(10))
        let (exitCode, printed) = await sluicectl(
            ["dlq", "replay", "--topic", harness.deadLetters.rawValue, "--yes", "--output", "json"] + harness.flags)
        #expect(exitCode == 1)
        #expect(try printed.objects.first?["reason"]?.string == "incomplete")
        #expect(try await harness.records(harness.production).isEmpty)
        await harness.close()
    }

    @Test func `only a dead letter topic can be replayed or discarded`() async throws {
        let harness = try Harness()
        for command in [["dlq", "replay"], ["dlq", "discard", "0-0"], ["dlq", "show", "0-0"]] {
            let none = await sluicectl(command + harness.flags)
            #expect(none.exitCode == 64)
            let wrong = await sluicectl(command + ["--topic", harness.production.rawValue] + harness.flags)
            #expect(wrong.exitCode == 64)
            #expect(wrong.printed.complaints.first?.contains("is not a dead letter topic") == true)
        }
        await harness.close()
    }

    @Test func `discard requires --yes, and fails on the embedded broker`() async throws {
        let harness = try Harness()
        for value in ["a", "b"] { try await harness.letter(value, from: harness.production, to: harness.deadLetters) }
        let command = ["dlq", "discard", "0-1", "--topic", harness.deadLetters.rawValue, "--output", "json"]
        let dry = await sluicectl(command + harness.flags)
        #expect(dry.exitCode == 1)
        #expect(try dry.printed.objects.first?["records"]?.integer == 2)
        let done = await sluicectl(command + ["--yes"] + harness.flags)
        #expect(done.exitCode == 1)
        #expect(done.printed.complaints.first?.contains("the embedded broker does not support this") == true)
        await harness.close()
    }

    @Test(arguments: ["", "3", "3-", "-17", "3-17-1", "a-1", "1-a", "-1-1", "1--1", "9223372036854775807-1"])
    func `text that is not a position is refused`(_ text: String) { #expect(RecordPosition(text) == nil) }

    @Test func `positions are ordered by partition and then by offset`() throws {
        let positions = try ["0-0", "0-17", "1-3", "10-0"].map { try #require(RecordPosition($0)) }
        #expect(positions.sorted() == positions)
        #expect(positions.map(\.description) == ["0-0", "0-17", "1-3", "10-0"])
    }
}
