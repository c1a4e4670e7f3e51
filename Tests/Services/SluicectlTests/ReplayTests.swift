import AppStoreModel
import AppStoreSigning
import JSON
import Kafka
import Primitives
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// The selection, the plan and the loop guard of `sluicectl dlq replay`, `quarantine release` and `replay`.
@Suite(.timeLimit(.minutes(5)))
struct ReplayTests {
    private typealias Harness = RecoveryTests.Harness

    private static let day = AppStoreInstant(rfc3339: "2026-11-20T00:00:00Z")?.millisecondsSince1970 ?? 0
    private static let hour: Int64 = 3_600_000

    private static func texts(_ objects: [JSONObject], _ name: String) -> [String?] { objects.map { $0[name]?.string } }

    private func of(_ type: String, _ app: String) -> [KafkaHeader] {
        [KafkaHeader(.type, "com.apple.appstore.\(type)"), KafkaHeader(.bundleId, app)]
    }

    // MARK: selection

    /// Writes four dead letters, one hour apart.
    private func writeLetters(_ harness: Harness) async throws {
        let (input, letters) = (harness.production, harness.deadLetters)
        try await harness.letter("a", from: input, to: letters, at: Self.day, of("REFUND", "com.example.app"))
        try await harness.letter(
            "b", from: input, to: letters, at: Self.day + Self.hour, of("SUBSCRIBED.RESUBSCRIBE", "com.example.app"))
        try await harness.letter(
            "c", from: input, to: letters, reason: "field_type", at: Self.day + 2 * Self.hour,
            of("REFUND", "com.example.other"))
        try await harness.letter(
            "d", from: input, to: letters, at: Self.day + 3 * Self.hour, of("REFUND_DECLINED", "com.example.app"))
    }

    @Test(
        arguments: [
            (["--type", "REFUND"], ["a", "c"]), (["--type", "SUBSCRIBED"], ["b"]),
            (["--type", "SUBSCRIBED.INITIAL_BUY"], []), (["--app", "com.example.app"], ["a", "b", "d"]),
            (["--reason-code", "field_type"], ["c"]), (["--from", "2026-11-20T01:00:00Z"], ["b", "c", "d"]),
            (["--to", "2026-11-20T01:00:00Z"], ["a"]),
            (["--from", "2026-11-20T01:00:00Z", "--to", "2026-11-20T03:00:00Z", "--type", "REFUND"], ["c"]),
        ])
    func `dead letters are selected by type, app, reason and time`(_ flags: [String], _ ids: [String]) async throws {
        let harness = try Harness()
        try await writeLetters(harness)
        let topic = ["--topic", harness.deadLetters.rawValue, "--output", "json"]
        let listed = await sluicectl(["dlq", "list"] + topic + flags + harness.flags)
        #expect(Self.texts(try listed.printed.objects, "notificationUUID") == ids.map { "uuid-\($0)" })
        let done = await sluicectl(["dlq", "replay", "--yes"] + topic + flags + harness.flags)
        #expect(done.exitCode == 0, "\(done.printed.complaints)")
        let records = try await harness.records(harness.production)
        #expect(records.map { String(decoding: $0.value ?? [], as: UTF8.self) } == ids)
        await harness.close()
    }

    @Test(
        arguments: [
            (["--type", "TEST"], ["0-1"]), (["--type", "DID_RENEW"], []), (["--environment", "sandbox"], []),
            (["--environment", "production"], ["0-0", "0-1"]), (["--from", "2026-10-31T12:00:01Z"], []),
            (["--to", "2026-10-31T12:00:01Z", "--reason-code", "profile_date"], ["0-1"]),
        ])
    func `quarantined notifications are selected by claimed type, environment and time of receipt`(
        _ flags: [String], _ positions: [String]
    ) async throws {
        let harness = try Harness()
        try await harness.quarantine(Array("{}".utf8), "profile_audience")
        let payload = Array(#"{"notificationType":"TEST"}"#.utf8)
        let jws = "e30.\(String(decoding: Base64URL.encode(payload), as: UTF8.self)).c2ln"
        try await harness.quarantine(Array(#"{"signedPayload":"\#(jws)"}"#.utf8), "profile_date")
        let listed = await sluicectl(["quarantine", "list", "--output", "json"] + flags + harness.flags)
        #expect(listed.exitCode == 0, "\(listed.printed.complaints)")
        #expect(Self.texts(try listed.printed.objects, "position") == positions)
        await harness.close()
    }

    // MARK: plan

    @Test func `the plan counts what would be sent, and changes nothing`() async throws {
        let harness = try Harness()
        try await writeLetters(harness)
        let command = ["dlq", "replay", "--topic", harness.deadLetters.rawValue, "--rate", "3"] + harness.flags
        let (exitCode, printed) = await sluicectl(command + ["--output", "json"])
        #expect(exitCode == 1)
        let plan = try #require(try printed.objects.last?["plan"]?.object)
        #expect(plan["types"] == ["REFUND": 2, "REFUND_DECLINED": 1, "SUBSCRIBED.RESUBSCRIBE": 1])
        #expect(plan["apps"] == ["com.example.app": 3, "com.example.other": 1])
        #expect(plan["reasons"] == ["field_type": 1, "identity_missing": 3])
        #expect(plan["topics"]?.object?[harness.production.rawValue] == 4)
        #expect(plan["from"] == "2026-11-20T00:00:00.000Z" && plan["to"] == "2026-11-20T03:00:00.000Z")
        // Send four records at three per second.
        #expect(plan["seconds"] == 2)
        // The embedded broker does not list groups.
        #expect(plan["groups"] == .null)
        let text = await sluicectl(command).printed.output
        #expect(text.contains("types    REFUND 2, REFUND_DECLINED 1, SUBSCRIBED.RESUBSCRIBE 1\n"))
        #expect(text.contains("reaches  every group that reads the topic; the groups cannot be listed: "))
        #expect(try await harness.records(harness.production).isEmpty)
        await harness.close()
    }

    @Test func `control characters in the names of groups are not printed`() {
        let text = ReplayPlan().text(.groups(["crm\u{1B}[2J", "sluice-refunds"]), perSecond: 1)
        #expect(text.contains("reaches  crm?[2J, sluice-refunds\n"))
    }

    @Test func `names in a plan are bounded`() {
        var counts = ReplayPlan.Counts()
        for number in 0..<1000 { counts.add("type-\(number)") }
        counts.add("type-0")
        #expect(counts.numbers.count == ReplayPlan.Counts.maximumNames + 1)
        #expect(counts.numbers["type-0"] == 2 && counts.numbers["other"] == 1000 - ReplayPlan.Counts.maximumNames)
    }

    @Test func `progress is reported with the position from which to resume`() async throws {
        let harness = try Harness()
        for number in 0..<10 {
            try await harness.letter(
                "\(number)", from: harness.names.entitlements(.production), to: harness.deadLetters)
        }
        // The rate limit does not apply to refused records, so ten of them take less than ten seconds.
        let (_, printed) = await sluicectl(
            ["dlq", "replay", "--topic", harness.deadLetters.rawValue, "--rate", "1", "--yes"] + harness.flags)
        #expect(printed.complaints == ["0 replayed, 10 left, 10 of 10 records read; resume with --after 0-9"])
        await harness.close()
    }

    @Test func `a replay whose output is closed ends, and shows where to continue`() async throws {
        let harness = try Harness()
        try await writeLetters(harness)
        let command = ["dlq", "replay", "--topic", harness.deadLetters.rawValue, "--yes"] + harness.flags
        let (exitCode, printed) = await sluicectl(command, into: Printed(linesBeforeClosing: 1))
        #expect(exitCode == 1)
        // The second record was sent before its outcome could not be printed.
        #expect(printed.complaints == ["interrupted; resume with --after 0-1"])
        let rest = await sluicectl(command + ["--after", "0-1"])
        #expect(rest.exitCode == 0, "\(rest.printed.complaints)")
        let records = try await harness.records(harness.production)
        #expect(records.map { String(decoding: $0.value ?? [], as: UTF8.self) } == ["a", "b", "c", "d"])
        await harness.close()
    }

    @Test func `a failed replay is not ok, and shows where to continue`() async throws {
        let harness = try Harness()
        for value in ["a", String(repeating: "b", count: 2_000), "c"] {
            try await harness.letter(value, from: harness.production, to: harness.deadLetters)
        }
        // The producer rejects the second record immediately.
        let (exitCode, printed) = await sluicectl(
            [
                "dlq", "replay", "--topic", harness.deadLetters.rawValue, "--yes", "--output", "json",
                "--kafka.message.max.bytes", "1000",
            ] + harness.flags)
        #expect(exitCode == 1)
        let result = try #require(try printed.objects.last)
        #expect(result["ok"] == false)
        #expect(result["replayed"] == 1 && result["last"] == "0-0")
        #expect(printed.complaints.first == "interrupted; resume with --after 0-0")
        #expect(printed.complaints.last?.contains("Kafka did not acknowledge the record") == true)
        #expect(try await harness.records(harness.production).count == 1)
        await harness.close()
    }

    // MARK: loop guard

    @Test func `a record that came back for the same reason is not sent again`() async throws {
        let harness = try Harness()
        let (input, letters) = (harness.production, harness.deadLetters)
        let failed = [KafkaHeader(key: "sluice.replay.reason", text: "sluice-entitlements identity_missing")]
        try await harness.letter("a", from: input, to: letters)
        try await harness.letter("b", from: input, to: letters)
        // The first record was dead-lettered again.
        try await harness.letter("a", from: input, to: letters, failed)
        // The record was dead-lettered for another reason, or by another group.
        try await harness.letter("c", from: input, to: letters, reason: "field_type", failed)
        try await harness.letter(
            "d", from: input, to: letters, [KafkaHeader(key: "sluice.replay.reason", text: "crm identity_missing")])
        let command = ["dlq", "replay", "--topic", letters.rawValue, "--yes", "--output", "json"] + harness.flags
        let (exitCode, printed) = await sluicectl(command)
        #expect(exitCode == 1)
        #expect(Self.texts(try printed.objects, "status") == ["left", "replayed", "left", "replayed", "replayed", nil])
        #expect(Self.texts(try printed.objects, "reason") == ["returned", nil, "returned", nil, nil, nil])
        #expect(try await harness.records(input).compactMap { $0.text(.id) } == ["uuid-b", "uuid-c", "uuid-d"])
        let again = await sluicectl(command + ["--again"])
        #expect(again.exitCode == 0)
        #expect(try await harness.records(input).count == 8)
        await harness.close()
    }

    // MARK: replay

    @Test func `a window of a topic is sent again, and copies only on request`() async throws {
        let harness = try Harness()
        for (index, type) in ["REFUND", "REFUND", "DID_RENEW", "REFUND"].enumerated() {
            let record = KafkaProducerRecord(
                topic: harness.production, partition: 0, timestampMilliseconds: Self.day + Int64(index) * Self.hour,
                key: Array("com.example.app/1".utf8), value: Array("\(index)".utf8),
                headers: of(type, "com.example.app") + [KafkaHeader(.id, "u\(index)"), KafkaHeader(.origin, "live")])
            _ = try await harness.producer.send(record, deadline: .seconds(10))
        }
        let command =
            ["replay", "--type", "REFUND", "--to", "2026-11-20T03:00:00Z", "--output", "json"] + harness.flags
        let planned = await sluicectl(command)
        #expect(planned.exitCode == 1)
        #expect(Self.texts(try planned.printed.objects, "notificationUUID") == ["u0", "u1", nil])
        let done = await sluicectl(command + ["--yes"])
        #expect(done.exitCode == 0, "\(done.printed.complaints)")
        let copies = try await harness.records(harness.production).filter { $0.text(.origin) == "replay" }
        #expect(copies.map { $0.text(.id) } == ["u0", "u1"])
        #expect(copies.first?.key == Array("com.example.app/1".utf8) && copies.first?.value == Array("0".utf8))
        // Without a time range, the copies are selected too.
        let all = ["replay", "--type", "REFUND", "--yes", "--output", "json"] + harness.flags
        let second = await sluicectl(all)
        let reasons = Self.texts(try second.printed.objects, "reason").compactMap { $0 }
        #expect(second.exitCode == 1 && reasons == ["copy", "copy"])
        #expect(try await harness.records(harness.production).count == 4 + 2 + 3)
        let again = await sluicectl(all + ["--again"])
        #expect(again.exitCode == 0)
        #expect(try await harness.records(harness.production).count == 9 + 3 + 5)
        await harness.close()
    }
}

/// The parts of a plan that the embedded broker does not support: groups, and offsets by time.
@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .timeLimit(.minutes(5)))
struct ReplayOnApacheKafkaTests {
    @Test func `the plan names the groups that it reaches, and a window starts at its time`() async throws {
        try await ApacheKafka.use {
            let world = try await StoryWorld()
            _ = try await world.writeHistory()
            let command = [
                "replay", "--type", "DID_RENEW", "--from", "2026-10-01T09:00:00Z", "--output", "json",
                "--kafka.bootstrap.servers", world.kafka.bootstrapServers, "--topics.prefix", world.names.prefix,
            ]
            let (exitCode, printed) = await sluicectl(command)
            #expect(exitCode == 1, "\(printed.complaints)")
            let objects = try printed.objects
            #expect(objects.map { $0["notificationUUID"]?.string } == [StoryWorld.uuid(2), nil])
            let plan = try #require(objects.last?["plan"]?.object)
            #expect(plan["groups"] == ["sluice-entitlements", "sluice-refunds"])
            #expect(plan["topics"]?.object?[world.input.rawValue] == 1)
            #expect(plan["from"] == "2026-10-01T09:00:00.000Z" && plan["to"] == plan["from"])
            let done = await sluicectl(command + ["--yes"])
            #expect(done.exitCode == 0, "\(done.printed.complaints)")
            // The copy is in the same time range, which has no end.
            let again = await sluicectl(command)
            #expect(try again.printed.objects.compactMap { $0["reason"]?.string } == ["copy"])
            await world.close()
        }
    }
}
