import AppStoreModel
import ArchiveKeys
import ArchiveLog
import Cryptography
import Foundation
import JSON
import Kafka
import ObjectStorage
import Records
import TestSupport
import Testing
import TransparencyLog

@testable import Sluicectl

/// `sluicectl archive disclose` and `check-disclosure`: one record for a recipient who has the public key.
@Suite(.timeLimit(.minutes(2))) struct ArchiveDisclosureTests {
    /// An archive with two records of one purchase, and the file of its public key.
    private final class Installation {
        let archive: TestArchive
        let position: String
        let key: String

        init() async throws {
            archive = try TestArchive()
            key = try archive.directory.write(archive.signer.verifiers().text, to: "archive.pub")
            position = "\(archive.production)/0@0"
            try await archive.write(["uuid-1", "uuid-2"].map { archive.purchase("1", uuid: $0) })
        }

        func disclose(_ further: [String] = []) async -> (exitCode: Int32, printed: Printed) {
            await sluicectl(
                ["archive", "disclose", "--author", "auditor", position, "--key", key] + further + archive.flags)
        }

        func check(_ file: String, key: String? = nil) async -> (exitCode: Int32, printed: Printed) {
            await sluicectl(["archive", "check-disclosure", file, "--key", key ?? self.key, "--output", "json"])
        }
    }

    @Test func `a disclosure can be checked with only its file and the public key`() async throws {
        let installation = try await Installation()
        let file = installation.archive.directory.file("disclosure")
        let (code, made) = await installation.disclose(["--output-file", file])
        #expect(code == 0, "\(made.complaints)")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        try FileManager.default.removeItem(atPath: installation.archive.directory.file("keys.sqlite"))
        try FileManager.default.removeItem(atPath: installation.archive.directory.file("archive"))
        let (held, shown) = await installation.check(file)
        #expect(held == 0, "\(shown.output)")
        let object = try #require(try shown.objects.first)
        #expect(object["ok"] == true && object["offset"]?.integer == 0 && object["leaf"]?.integer == 0)
        #expect(object["origin"] == "example.com/archive/appstore.notifications.production/0")
        #expect(object["size"]?.integer == 2)
        #expect(shown.output.contains("uuid-1") && !shown.output.contains("uuid-2"))
        let (text, table) = await sluicectl(["archive", "check-disclosure", file, "--key", installation.key])
        #expect(text == 0)
        #expect(table.output.contains("proved: the record was in the archive"))
    }

    @Test(arguments: ["proof", "object", "recordKey", "format"])
    func `a disclosure with one changed member is invalid`(member: String) async throws {
        let installation = try await Installation()
        let (_, made) = await installation.disclose()
        var object = try #require(try made.objects.first)
        var text = try #require(object[member]?.string)
        let place = text.index(text.startIndex, offsetBy: text.count / 2)
        text.replaceSubrange(place...place, with: text[place] == "a" ? "b" : "a")
        object[member] = .string(text)
        let file = try installation.archive.directory.write(
            String(decoding: JSONValue.object(object).json, as: UTF8.self), to: "changed")
        let (code, printed) = await installation.check(file)
        #expect(code == 2 || member == "proof" && code == 5)
        #expect(try printed.objects.first?["ok"] == false)
        #expect(!printed.output.contains("uuid-1"))
    }

    @Test func `a disclosure with the object of another record is invalid`() async throws {
        let installation = try await Installation()
        let (_, one) = await installation.disclose()
        let (_, two) = await sluicectl(
            ["archive", "disclose", "--author", "auditor", "\(installation.archive.production)/0@1"]
                + installation.archive.flags)
        var object = try #require(try one.objects.first)
        let other = try #require(try two.objects.first)
        object["object"] = other["object"]
        object["recordKey"] = other["recordKey"]
        let file = try installation.archive.directory.write(
            String(decoding: JSONValue.object(object).json, as: UTF8.self), to: "mixed")
        #expect(await installation.check(file).exitCode == 2)
    }

    @Test func `a disclosure from another archive has an unknown key`() async throws {
        let installation = try await Installation()
        let file = installation.archive.directory.file("disclosure")
        #expect(await installation.disclose(["--output-file", file]).exitCode == 0)
        let other = try CheckpointSigner(archive: TestArchive.origin, keys: [PrivateKey.generate(.ed25519)])
        let key = try installation.archive.directory.write(other.verifiers().text, to: "other.pub")
        #expect(await installation.check(file, key: key).exitCode == 5)
        let (none, complaints) = await sluicectl(["archive", "check-disclosure", file])
        #expect(none == 5)
        #expect(complaints.complaints.first?.contains("--key") == true)
    }

    @Test func `a record of an erased person is not disclosed, and an earlier disclosure stays readable`()
        async throws
    {
        let installation = try await Installation()
        let file = installation.archive.directory.file("disclosure")
        #expect(await installation.disclose(["--output-file", file]).exitCode == 0)
        try installation.archive.erase("1")
        let (code, printed) = await installation.disclose()
        #expect(code == 1)
        #expect(printed.complaints.last?.contains("the person's data was erased") == true)
        #expect(printed.output.isEmpty)
        #expect(await installation.check(file).exitCode == 0)
    }

    @Test func `no file is written for a record with a changed object`() async throws {
        let installation = try await Installation()
        let names = try LogNames(KafkaTopicPartition(topic: installation.archive.production, partition: 0))
        let segment = try names.segment(index: 0, width: 2)
        var bytes = try #require(await installation.archive.store.read(segment)).bytes
        bytes[60] ^= 1
        try await installation.archive.store.delete(segment)
        try await installation.archive.store.create(segment, bytes)
        let file = installation.archive.directory.file("disclosure")
        let (code, _) = await installation.disclose(["--output-file", file])
        #expect(code == 2)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func `a record archived by the previous release is rejected with the reason`() async throws {
        let archive = try TestArchive()
        let topic = archive.production
        let partition = KafkaTopicPartition(topic: topic, partition: 0)
        let subject = ArchiveSubject(.production, BundleId("com.example.app"), OriginalTransactionId("1"))
        let request = DataKeyRequest(subject: subject, eventTimeMilliseconds: Signed.now)
        guard case .encrypted(let key) = try archive.keys.dataKeys(for: [request]).first else {
            Issue.record("no key")
            return
        }
        let position = try ArchivePosition(
            kind: .notification, clusterId: "cluster", topic: topic, partition: 0, offset: 0,
            version: ArchivePosition.firstVersion)
        let nonce = [UInt8](repeating: 9, count: 12)
        let old = try [1] + nonce + AES256GCM.seal([1], key: key.secret, nonce: nonce, authenticated: position.bytes)
        #expect(!ArchiveObject.hasRecordKey(old))
        var writer = try await LogWriter.open(
            archive.store, names: LogNames(partition), signer: archive.signer, at: Int(Signed.now / 1_000))
        try writer.append(
            ArchiveEntry(
                leaf: ArchiveLeaf(
                    position: position, timestampMilliseconds: nil, archivedAtMilliseconds: Signed.now,
                    key: ArchiveKeyReference(id: key.id), objectLength: old.count, objectDigest: SHA256.digest(of: old)),
                object: old))
        try await writer.commit(at: Int(Signed.now / 1_000))
        let (code, printed) = await sluicectl(
            ["archive", "disclose", "--author", "auditor", "\(topic)/0@0"] + archive.flags)
        #expect(code == 1)
        #expect(printed.complaints.last?.contains("release") == true)
        #expect(printed.output.isEmpty)
    }
}
