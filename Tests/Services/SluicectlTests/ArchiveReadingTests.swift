import AppStoreModel
import ArchiveLog
import Cryptography
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import ObjectStorage
import Records
import SQLite
import TestSupport
import Testing
import TransparencyLog

@testable import Sluicectl

/// `sluicectl archive status` and `export`, with archives written by the real writer.
@Suite(.timeLimit(.minutes(5))) struct ArchiveReadingTests {
    // MARK: status

    @Test func `status prints the size and the checkpoint of each log`() async throws {
        let archive = try TestArchive()
        try await archive.write(
            [archive.legacy(.didRenew, "1"), archive.legacy(.refund, "2")], at: Signed.now - 600_000)
        try await archive.write([archive.legacy(.didRenew, "3")], to: 1, at: Signed.now - 7_200_000)
        let (code, printed) = await sluicectl(["archive", "status"] + archive.place)
        #expect(code == 0, "\(printed.complaints)")
        let rows = printed.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows[1].prefix(3) == ["appstore.notifications.production", "0", "2"])
        #expect(rows[1][4...] == ["2026-10-31T23:50:00Z", "10m", "2", "-", "-"])
        #expect(rows[2][1...2] == ["1", "1"])
        #expect(rows[2][5] == "2h")
        #expect(printed.output.hasSuffix("2 logs, 3 leaves\n"))
        #expect(rows[1][3] == "-")
        let (_, counted) = await sluicectl(["archive", "status", "--bytes"] + archive.place)
        #expect(counted.output.hasSuffix(" bytes\n") && counted.output.contains("2 logs, 3 leaves, "))
        let (_, json) = await sluicectl(["archive", "status", "--bytes", "--output", "json"] + archive.place)
        let first = try #require(try json.objects.first)
        #expect(first["origin"] == "example.com/archive/appstore.notifications.production/0")
        #expect(first["leaves"]?.integer == 2 && first["nextOffset"]?.integer == 2)
        #expect(first["checkpointAgeSeconds"]?.integer == 600)
        #expect(first["bytes"]?.integer ?? 0 > 500)
        // Kafka was not queried.
        #expect(first["lag"] == nil && first["anchors"]?.array?.isEmpty == true && first["rolledBack"] == nil)
    }

    @Test func `the next offset after a gap is the one where Kafka has records again`() async throws {
        let archive = try TestArchive()
        let place = KafkaTopicPartition(topic: archive.production, partition: 0)
        var writer = try await LogWriter.open(
            archive.store, names: LogNames(place), signer: archive.signer, at: Int(Signed.now / 1_000))
        try writer.append(
            ArchiveEntry(
                gap: 0..<40, reason: .deleted, of: place, clusterId: "cluster", archivedAtMilliseconds: Signed.now))
        try await writer.commit(at: Int(Signed.now / 1_000))
        let (_, json) = await sluicectl(["archive", "status", "--output", "json"] + archive.place)
        #expect(try json.objects.first?["nextOffset"]?.integer == 40)
    }

    @Test func `an offset and a time out of range do not end status`() async throws {
        let archive = try TestArchive()
        let place = KafkaTopicPartition(topic: archive.production, partition: 0)
        // In milliseconds, this time would wrap around to the least integer.
        let time = 1 << 60
        var writer = try await LogWriter.open(
            archive.store, names: LogNames(place), signer: archive.signer, at: time)
        let record = KafkaRecord(
            topic: place.topic, partition: place.partition, offset: KafkaOffset(rawValue: .max),
            timestampMilliseconds: Signed.now, key: nil, value: Array("{}".utf8), headers: [])
        try writer.append(
            ArchiveEntry(
                record, kind: .notification, clusterId: "cluster", archivedAtMilliseconds: Signed.now,
                protection: .plain))
        try await writer.commit(at: time)
        for output in ["text", "json"] {
            let (code, printed) = await sluicectl(["archive", "status", "--output", output] + archive.place)
            #expect(code == 0, "\(printed.complaints)")
            #expect(printed.output.contains(archive.production.rawValue))
        }
    }

    @Test func `with Kafka, status shows unarchived records and anchored sizes`() async throws {
        let archive = try TestArchive(prefix: "status\(UUID().uuidString.lowercased().prefix(8))")
        try await archive.write([archive.legacy(.didRenew, "1"), archive.legacy(.refund, "2")])
        let names = archive.names
        let broker = try DevBroker(topics: [archive.production: 1, names.archiveCheckpoints: 1])
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let producer = try KafkaProducer(kafka, topics: [archive.production, names.archiveCheckpoints])
        for purchase in ["1", "2", "3", "4", "5"] {
            _ = try await producer.send(archive.legacy(.didRenew, purchase), deadline: .seconds(10))
        }
        let flags = ["--against-kafka", "--kafka.bootstrap.servers", broker.bootstrapServers, "--output", "json"]
        let (code, printed) = await sluicectl(["archive", "status"] + archive.place + flags)
        #expect(code == 0, "\(printed.complaints)")
        let row = try #require(try printed.objects.first)
        #expect(row["lag"]?.integer == 3)
        #expect(row["anchors"]?.array?.isEmpty == true)

        // The anchor has the current state. The archive is then restored from an earlier state.
        let place = try LogNames(KafkaTopicPartition(topic: archive.production, partition: 0))
        let before = try #require(await archive.store.read(place.checkpoint()))
        try await archive.write([archive.legacy(.didRenew, "3")])
        let anchored = try #require(await archive.store.read(place.checkpoint()))
        let origin = place.origin(archive: TestArchive.origin)
        _ = try await producer.send(
            KafkaProducerRecord(topic: names.archiveCheckpoints, key: Array(origin.utf8), value: anchored.bytes),
            deadline: .seconds(10))
        let (_, sound) = await sluicectl(["archive", "status"] + archive.place + flags)
        let kafkas = try #require(try sound.objects.first?["anchors"]?.array?.first?.object)
        #expect(kafkas["anchor"] == "kafka" && kafkas["leaves"]?.integer == 3)
        #expect(try sound.objects.first?["rolledBack"] == false)
        _ = try await archive.store.replace(place.checkpoint(), before.bytes, expected: anchored.version)
        let (unverified, doubtful) = await sluicectl(["archive", "status"] + archive.place + flags)
        #expect(unverified == 5)
        #expect(doubtful.complaints.contains { $0.contains("3, whose signature was not verified; set --key") })
        #expect(try doubtful.objects.first?["rolledBack"] == nil)
        let key = ["--key", try archive.directory.write(try archive.signer.verifiers().text, to: "archive.pub")]
        let (rolledBack, complaints) = await sluicectl(["archive", "status"] + archive.place + flags + key)
        #expect(rolledBack == 4)
        #expect(complaints.complaints.contains { $0.hasSuffix("has 2 leaves, but kafka has a checkpoint with 3") })
        #expect(try complaints.objects.first?["rolledBack"] == true)

        // Any client with write access to the topic can write a larger checkpoint that another key signed.
        let forger = try CheckpointSigner(archive: TestArchive.origin, keys: [PrivateKey.generate(.ed25519)])
        let forged = try forger.sign(
            Checkpoint(origin: origin, size: 900, root: .leaf([1])), after: 3, at: Int(Signed.now / 1_000))
        _ = try await producer.send(
            KafkaProducerRecord(topic: names.archiveCheckpoints, key: Array(origin.utf8), value: forged.bytes),
            deadline: .seconds(10))
        let (_, ignored) = await sluicectl(["archive", "status"] + archive.place + flags + key)
        let verified = try #require(try ignored.objects.first?["anchors"]?.array?.first?.object)
        #expect(verified["leaves"]?.integer == 3 && verified["verified"] == true)
        await producer.close(within: .seconds(5))
        await broker.stop()
    }

    @Test func `status shows the sizes in the second store and at the witnesses`() async throws {
        let archive = try TestArchive()
        try await archive.write([archive.legacy(.didRenew, "1"), archive.legacy(.refund, "2")])
        let place = try LogNames(KafkaTopicPartition(topic: archive.production, partition: 0))
        let anchored = try #require(await archive.store.read(place.checkpoint()))
        let second = try DirectoryStore(path: archive.directory.file("second"), creating: true)
        _ = try await second.replace(place.checkpoint(), anchored.bytes, expected: nil)
        let witness = try NoteSigner(name: "witness.example", type: .cosignature, key: PrivateKey.generate(.ed25519))
        var note = try SignedNote(bytes: anchored.bytes)
        try note.sign(with: witness, Int(Signed.now / 1_000))
        _ = try await archive.store.replace(place.cosigned(by: witness.verifier), note.bytes, expected: nil)
        try await archive.write([archive.legacy(.didRenew, "3")])
        let flags = archive.place + ["--archive.anchor.url", archive.directory.file("second"), "--against-anchor"]
        let (code, printed) = await sluicectl(["archive", "status"] + flags)
        #expect(code == 0, "\(printed.complaints)")
        #expect(printed.output.contains("witness.example (not verified) 2, store (not verified) 2"))
        let key = ["--key", try archive.directory.write(try archive.signer.verifiers().text, to: "archive.pub")]
        let (_, verified) = await sluicectl(["archive", "status", "--witness", witness.verifier.text] + key + flags)
        #expect(verified.output.contains("witness.example 2, store 2"))
        // The file has no signature of the witness.
        let larger = try Checkpoint(
            origin: place.origin(archive: TestArchive.origin), size: 900, root: .leaf([1]))
        var forged = try larger.note()
        try forged.sign(
            with: NoteSigner(name: "witness.example", type: .cosignature, key: PrivateKey.generate(.ed25519)), 1)
        let line = try #require(forged.signatures.first)
        forged = try larger.note()
        forged.add(NoteSignature(name: line.name, keyID: witness.verifier.keyID, signature: line.signature))
        let kept = try place.cosigned(by: witness.verifier)
        let present = try #require(await archive.store.read(kept))
        _ = try await archive.store.replace(kept, forged.bytes, expected: present.version)
        let (code2, doubtful) = await sluicectl(["archive", "status", "--witness", witness.verifier.text] + flags)
        #expect(code2 == 0 && doubtful.output.contains("witness.example (not verified) 900"))
        _ = try await archive.store.replace(
            kept, note.bytes, expected: #require(await archive.store.read(kept)).version)
        let (_, json) = await sluicectl(["archive", "status", "--output", "json"] + flags)
        let anchors = try #require(try json.objects.first?["anchors"]?.array).compactMap(\.object)
        #expect(anchors.map { $0["anchor"]?.string } == ["witness.example", "store"])
        #expect(anchors.map { $0["leaves"]?.integer } == [2, 2])
        let (none, complaints) = await sluicectl(["archive", "status", "--against-anchor"] + archive.place)
        #expect(none == 6)
        #expect(complaints.complaints.first?.contains("archive.anchor.url") == true)
    }

    @Test func `an archive without logs and a missing archive are reported`() async throws {
        let archive = try TestArchive()
        let (code, printed) = await sluicectl(["archive", "status"] + archive.place)
        #expect(code == 1)
        #expect(printed.complaints.first?.contains("archive.url") == true)
        let (none, complaints) = await sluicectl([
            "archive", "status", "--archive.url", archive.directory.file("nothing"),
        ])
        #expect(none == 78)
        #expect(complaints.complaints.first?.contains("archive.url") == true)
    }

    @Test(arguments: ["status", "export", "replay"])
    func `an archive in a bucket is reported with the required settings`(command: String) async throws {
        let archive = try TestArchive()
        let flags = command == "status" ? archive.place : archive.flags + ["--author", "auditor"]
        let (code, printed) = await sluicectl(
            ["archive", command] + (command == "replay" ? ["--topic", archive.production.rawValue] : [])
                + flags.map { $0 == archive.directory.file("archive") ? "s3://example-archive/appstore" : $0 })
        #expect(code == 78)
        #expect(printed.complaints.first?.contains("archive.s3.credentials.file") == true)
    }

    // MARK: export

    @Test func `a notification is exported with the signed body that Apple posted, byte for byte`() async throws {
        let archive = try TestArchive()
        let (record, certificates, jws) = try archive.signed()
        try await archive.write(certificates)
        try await archive.write([record])
        let (code, printed) = await sluicectl(["archive", "export", "--author", "auditor"] + archive.flags)
        #expect(code == 0, "\(printed.complaints)")
        let line = try #require(try printed.objects.first)
        #expect(line["signedPayload"]?.string == jws)
        #expect(line["notificationType"] == "SUBSCRIBED" && line["subtype"] == "INITIAL_BUY")
        #expect(line["bundleId"] == "com.example.app" && line["environment"] == "Production")
        #expect(line["notificationUUID"] == "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55")
        #expect(line["originalTransactionId"] == "2000000000000001")
        #expect(line["receivedTime"] == "2026-11-01T00:00:00.000Z")
        #expect(line["offset"]?.integer == 0 && line["leaf"]?.integer == 0)
        #expect(printed.complaints.last == "1 notifications")
    }

    @Test func `without the archived certificates the body cannot be rebuilt, which is reported`() async throws {
        let archive = try TestArchive()
        try await archive.write([try archive.signed().record])
        let (code, printed) = await sluicectl(["archive", "export", "--author", "auditor"] + archive.flags)
        #expect(code == 1)
        #expect(try printed.objects.first?["signedPayload"] == nil)
        #expect(try printed.objects.first?["rebuildProblem"]?.string?.isEmpty == false)
        #expect(printed.complaints.last == "1 notifications, 1 whose signed form cannot be rebuilt")
    }

    @Test func `a version 1 notification is exported with its stored body`() async throws {
        let archive = try TestArchive()
        try await archive.write([archive.legacy(NotificationType("CANCEL"), "1")])
        let (code, printed) = await sluicectl(["archive", "export", "--author", "auditor"] + archive.flags)
        #expect(code == 0, "\(printed.complaints)")
        let line = try #require(try printed.objects.first)
        #expect(line["legacy"]?.object?["notification_type"] == "CANCEL")
        #expect(line["trust"] == "shared-secret")
    }

    @Test func `type, app and time filter the exported records`() async throws {
        let archive = try TestArchive()
        // The records are one minute apart.
        try await archive.write([
            archive.legacy(.didRenew, "1"), archive.legacy(.refund, "2"), archive.legacy(.didRenew, "3"),
        ])
        func purchases(_ flags: [String]) async throws -> [String?] {
            let (code, printed) = await sluicectl(["archive", "export", "--author", "auditor"] + archive.flags + flags)
            #expect(code == 0, "\(printed.complaints)")
            return try printed.objects.map { $0["originalTransactionId"]?.string }
        }
        #expect(try await purchases([]) == ["1", "2", "3"])
        #expect(try await purchases(["--type", "DID_RENEW"]) == ["1", "3"])
        #expect(try await purchases(["--app", "com.example.other"]).isEmpty)
        #expect(try await purchases(["--from", "2026-11-01T00:01:00Z"]) == ["2", "3"])
        #expect(try await purchases(["--to", "2026-11-01T00:01:00Z"]) == ["1"])
        #expect(
            try await purchases(["--from", "2026-11-01T00:01:00Z", "--to", "2026-11-01T00:02:00Z"]) == ["2"])
    }

    @Test func `the table for auditors has no bodies, and no cell that a spreadsheet evaluates`() async throws {
        let archive = try TestArchive()
        try await archive.write([
            archive.legacy(.refund, "1"), archive.legacy(NotificationType("=SUM(A1)"), "2"),
            archive.legacy(NotificationType("A\"B,C"), "3"),
        ])
        let (code, printed) = await sluicectl(
            ["archive", "export", "--author", "auditor", "--format", "csv"] + archive.flags)
        let (_, json) = await sluicectl(["archive", "export", "--author", "auditor"] + archive.flags)
        let digest = try #require(try json.objects.first?["objectDigest"]?.string)
        #expect(code == 0, "\(printed.complaints)")
        let lines = printed.output.split(separator: "\r\n").map(String.init)
        #expect(lines[0].hasPrefix("receivedTime,signedDate,environment,bundleId,notificationType,"))
        #expect(
            lines[1]
                == "2026-11-01T00:01:00.000Z,2026-11-01T00:01:00.000Z,Production,com.example.app,REFUND,,v1-1,1,100,"
                + "shared-secret,appstore.notifications.production,0,0,0,2026-11-01T00:00:00.000Z,notification,"
                + "example.com/archive/appstore.notifications.production/0,3,\(digest)")
        #expect(lines[2].contains(",'=SUM(A1),"))
        #expect(lines[3].contains(#","A""B,C","#))
        #expect(lines.count == 4)
        #expect(!printed.output.contains("notification_type"))
    }

    @Test func `erased records are listed as erased, except with filters on content`() async throws {
        let archive = try TestArchive()
        try await archive.write([archive.legacy(.didRenew, "1"), archive.legacy(.didRenew, "2")])
        try archive.erase("1")
        let (code, printed) = await sluicectl(["archive", "export", "--author", "auditor"] + archive.flags)
        #expect(code == 0, "\(printed.complaints)")
        let lines = try printed.objects
        #expect(lines.map { $0["content"]?.string } == ["erased", nil])
        #expect(lines[0]["originalTransactionId"] == nil && lines[0]["notificationUUID"] == nil)
        #expect(!printed.output.contains("v1-1"))
        #expect(printed.complaints.last == "1 notifications, 1 erased")
        let (_, ofType) = await sluicectl(
            ["archive", "export", "--author", "auditor", "--type", "DID_RENEW"] + archive.flags)
        #expect(try ofType.objects.count == 1)
    }

    @Test func `an export by type is incomplete if a record that may have the type cannot be read`() async throws {
        let archive = try TestArchive()
        try await archive.write([archive.legacy(.didRenew, "1"), archive.legacy(.refund, "2")])
        let database = try Database(path: archive.directory.file("keys.sqlite"), access: .sharedWriter)
        try database.executeScript("DELETE FROM data_keys")
        database.close()
        let (code, printed) = await sluicectl(
            ["archive", "export", "--author", "auditor", "--type", "DID_RENEW"] + archive.flags)
        #expect(code == 1)
        #expect(printed.output.isEmpty)
        #expect(printed.complaints.last == "0 notifications, 2 key_unknown")
    }

    @Test func `expired records are listed, and a segment missing without a retention ends the export`()
        async throws
    {
        let archive = try TestArchive()
        try await archive.write((0..<300).map { archive.legacy(.didRenew, "\($0)") })
        let place = try LogNames(KafkaTopicPartition(topic: archive.production, partition: 0))
        let pruning = LogPruning(archive.store, names: place, signer: archive.signer)
        var count = 0
        for now in [0, LogPruning.minimumDelay] {
            count += try await pruning.run(
                LogPruning.Inputs(cutoff: Signed.now + 1, now: now, size: 300), announce: { _ in },
                decide: { _ in .delete }
            ).deleted
        }
        #expect(count == 1)
        let (code, printed) = await sluicectl(["archive", "export", "--author", "auditor"] + archive.flags)
        #expect(code == 0, "\(printed.complaints)")
        #expect(try printed.objects.count { $0["content"]?.string == "expired" } == 256)
        #expect(printed.complaints.last == "44 notifications, 256 expired")
        try await archive.store.delete(place.retention())
        let (unsound, complaints) = await sluicectl(["archive", "export", "--author", "auditor"] + archive.flags)
        #expect(unsound == 2)
        #expect(complaints.complaints.last?.contains("sluicectl archive verify") == true)
    }

    @Test func `an object with a changed byte ends the export, and its position is reported`() async throws {
        let archive = try TestArchive()
        try await archive.write([archive.legacy(.didRenew, "1"), archive.legacy(.didRenew, "2")])
        let place = try LogNames(KafkaTopicPartition(topic: archive.production, partition: 0))
        let segment = try place.segment(index: 0, width: 2)
        var bytes = try #require(await archive.store.read(segment)).bytes
        bytes[bytes.count - 1] ^= 1
        try await archive.store.delete(segment)
        try await archive.store.create(segment, bytes)
        let (code, printed) = await sluicectl(["archive", "export", "--author", "auditor"] + archive.flags)
        #expect(code == 2)
        #expect(try printed.objects.count == 1)
        #expect(printed.complaints.last?.contains("appstore.notifications.production[0]@1") == true)
    }

    @Test func `an export ends when its reader has closed the pipe`() async throws {
        let archive = try TestArchive()
        try await archive.write((0..<20).map { archive.legacy(.didRenew, "\($0)") })
        let closing = Printed(linesBeforeClosing: 3)
        let (code, printed) = await sluicectl(
            ["archive", "export", "--author", "auditor"] + archive.flags, into: closing)
        #expect(code == 0)
        #expect(try printed.objects.count == 3)
    }
}
