import AppStoreModel
import ArchiveKeys
import ArchiveLog
import CommandLine
import JSON
import Kafka
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// The archive's part of `sluicectl explain`.
@Suite(.timeLimit(.minutes(5))) struct ExplainArchiveTests {
    private func withArchive(
        _ body: (StoryWorld, TestArchive, ArchivedPosition) async throws -> Void
    ) async throws {
        let world = try await StoryWorld()
        let archive = try TestArchive(prefix: world.names.prefix)
        let position = try #require(ArchivedPosition(try await world.write(try world.produced(StoryWorld.bought))))
        // The second record exists only in the archive.
        try await archive.write(
            [try world.produced(StoryWorld.bought), try world.produced(StoryWorld.renewedLate)],
            to: position.partition.partition, at: Signed.now)
        try await body(world, archive, position)
        await world.close()
    }

    private func entries(_ story: JSONObject, _ kind: String) -> [JSONObject] {
        (story["timeline"]?.array ?? []).compactMap(\.object).filter { $0["kind"]?.string == kind }
    }

    private func gaps(_ story: JSONObject) -> [String] {
        (story["gaps"]?.array ?? []).compactMap { $0.object?["what"]?.string }
    }

    private func explain(_ arguments: [String], _ world: StoryWorld) async throws -> JSONObject {
        let (code, printed) = await sluicectl(world.command(arguments + ["--output", "json"]))
        #expect(code == 0, "\(printed.complaints)")
        return try printed.objects.first ?? [:]
    }

    @Test func `without a key store each record has its leaf, and the gap is named`() async throws {
        try await withArchive { world, archive, position in
            let story = try await explain(["\(StoryWorld.bundle)/1001", "--archive.url", archive.place[1]], world)
            let log = "\(world.input)/\(position.partition.partition)"
            #expect(entries(story, "notification").map { $0["archive"] } == [.string("leaf 0 of \(log)")])
            #expect(gaps(story).contains { $0.contains("no key store is configured") })
        }
    }

    @Test func `a notification that only the archive has is found by its notificationUUID, with its effect`()
        async throws
    {
        try await withArchive { world, archive, _ in
            let flags = archive.personFlags.filter { $0 != "--topics.prefix" && $0 != world.names.prefix }
            let story = try await explain([StoryWorld.uuid(2)] + flags, world)
            #expect(story["kinds"] == ["notificationUUID"])
            #expect(entries(story, "notification").map { $0["delaySeconds"] } == [32_400])
            #expect(
                entries(story, "state").map { $0["title"] } == ["ACTIVE until 2026-11-15T00:00:00Z: monthly"])
            let all = try await explain(["\(StoryWorld.bundle)/1001"] + flags, world)
            #expect(entries(all, "notification").count == 2, "the record that both have counts once")
        }
    }

    @Test func `an archived notification without a purchase is found by its notificationUUID`() async throws {
        let world = try await StoryWorld()
        let archive = try TestArchive(prefix: world.names.prefix)
        let id = StoryWorld.uuid(70)
        let signed = try StoryWorld.at("2026-08-01")
        let identity = RecordIdentity(
            notificationUUID: NotificationUUID(id), notificationType: .test, environment: .production,
            bundleId: BundleId(StoryWorld.bundle), signedDate: signed)
        let notification: JSONObject = [
            "notificationType": "TEST", "notificationUUID": .string(id),
            "signedDate": .integer(signed.millisecondsSince1970),
            "data": ["environment": "Production", "bundleId": .string(StoryWorld.bundle)],
        ]
        let content = RecordContent(notification: JSONValue.object(notification).json)
        try await archive.write([
            KafkaProducerRecord(
                identity, to: world.input, content: content, receivedAt: signed, trust: .signed, origin: .live)
        ])
        let flags = archive.personFlags.filter { $0 != "--topics.prefix" && $0 != world.names.prefix }
        let story = try await explain([id] + flags, world)
        #expect(entries(story, "notification").map { $0["title"] } == ["TEST"])
        await world.close()
    }

    @Test func `an erasure is an event, and the destroyed content is a gap`() async throws {
        try await withArchive { world, archive, _ in
            let mark = try archive.keys.mark(
                of: ArchiveSubject(.production, BundleId(StoryWorld.bundle), OriginalTransactionId("1001")))
            let decision = ErasureRecord(
                action: .erase, subject: mark, marks: archive.keys.marksId, reason: "a request", request: "DSR-1",
                requestedAt: AppStoreInstant(clampingMillisecondsSince1970: Signed.now - 1_000))
            try archive.keys.apply([decision])
            try await world.write(decision.produced(to: world.names.erasures))
            let flags = archive.personFlags.filter { $0 != "--topics.prefix" && $0 != world.names.prefix }
            let story = try await explain(["\(StoryWorld.bundle)/1001"] + flags, world)
            let entry = try #require(entries(story, "archive_decision").first)
            #expect(entry["title"] == "archive: erase" && entry["request"] == "DSR-1")
            #expect(entries(story, "notification").count == 1, "Kafka still has the first")
        }
    }
}
