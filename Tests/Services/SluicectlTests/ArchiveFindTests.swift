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

@testable import Sluicectl

/// `sluicectl archive find` and `show`, on an archive in a directory.
@Suite(.timeLimit(.minutes(2))) struct ArchiveFindTests {
    private static let account = "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"
    private static let topic = TopicNames().notifications(.production)
    private static let log = KafkaTopicPartition(topic: topic, partition: 3)
    /// Number of records: two full bundles and a partial one.
    private static let count = 600
    /// The offset before which Kafka deleted some records.
    private static let gap = 400

    private final class Archive {
        let directory: TemporaryDirectory
        let keys: KeyStore

        init() async throws {
            let directory = try TemporaryDirectory()
            let file = try directory.write(String(repeating: "ab", count: 32), to: "kek")
            keys = try KeyStore(
                path: directory.file("keys.db"), keys: try KeyEncryptionKeys(files: [file]), creation: .ifMissing)
            self.directory = directory
            let store = try DirectoryStore(path: directory.file("archive"), creating: true)
            let signer = try CheckpointSigner(archive: "example.com/test", keys: [PrivateKey.generate(.ed25519)])
            var writer = try await LogWriter.open(store, names: try LogNames(log), signer: signer, at: 1)
            for offset in 0..<count {
                if offset == ArchiveFindTests.gap {
                    try writer.append(
                        try ArchiveEntry(
                            gap: Int64(offset)..<Int64(offset) + 50, reason: .deleted, of: log, clusterId: "c",
                            archivedAtMilliseconds: Signed.now))
                }
                try writer.append(try entry(offset < ArchiveFindTests.gap ? offset : offset + 50))
            }
            try await writer.commit(at: 2)
        }

        private func entry(_ offset: Int) throws -> ArchiveEntry {
            let purchase = offset % 10
            let value = """
                {"notification":{"notificationType":"DID_RENEW","notificationUUID":"\(ArchiveFindTests.uuid(offset))"},\
                "transaction":{"transactionId":"30\(offset)","originalTransactionId":"200\(purchase)",\
                "appAccountToken":"\(purchase == 4 ? account : "")","productId":"monthly","price":9990}}
                """
            let record = KafkaRecord(
                topic: topic, partition: 3, offset: KafkaOffset(rawValue: Int64(offset)),
                timestampMilliseconds: Signed.now, key: Array("com.example.app/200\(purchase)".utf8),
                value: Array(value.utf8),
                headers: [KafkaHeader(key: "ce_id", text: ArchiveFindTests.uuid(offset))])
            let request = DataKeyRequest(
                subject: ArchiveSubject(.production, key: "com.example.app/200\(purchase)"), eventTimeMilliseconds: 0)
            return try ArchiveEntry(
                record, kind: .notification, clusterId: "c", archivedAtMilliseconds: Signed.now,
                protection: try #require(try keys.dataKeys(for: [request]).first))
        }

        func run(_ arguments: [String]) async -> (exitCode: Int32, printed: Printed) {
            await sluicectl(
                ["archive"] + arguments + [
                    "--archive.url", directory.file("archive"), "--archive.key.store", directory.file("keys.db"),
                    "--archive.key.encryption.key.file", directory.file("kek"), "--archive.index",
                    directory.file("index.db"),
                ])
        }

        func erase(purchase: Int) throws {
            try keys.apply([
                ErasureRecord(
                    action: .erase,
                    subject: try keys.mark(of: ArchiveSubject(.production, key: "com.example.app/200\(purchase)")),
                    marks: keys.marksId, reason: "", request: "",
                    requestedAt: AppStoreInstant(clampingMillisecondsSince1970: Signed.now))
            ])
        }
    }

    private static func uuid(_ offset: Int) -> String {
        "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - String(offset).count) + String(offset)
    }

    @Test func `a record is found by each of its identifiers, in log order`() async throws {
        let archive = try await Archive()
        for (id, expected) in [
            (Self.uuid(599), [599 as Int64]), ("30599", [599]), (Self.uuid(0), [0]), (Self.uuid(450), [450]),
        ] {
            let (code, printed) = await archive.run(["find", id, "--output", "json"])
            #expect(code == 0)
            #expect(try printed.objects.map { $0["offset"]?.integer } == expected)
        }
        let (_, purchase) = await archive.run(["find", "2004", "--output", "json"])
        #expect(try purchase.objects.count == 60)
        #expect(!purchase.complaints.contains { $0.contains("--limit") })
        let (_, account) = await archive.run(["find", Self.account.uppercased(), "--limit", "7", "--output", "json"])
        #expect(try account.objects.map { $0["offset"]?.integer } == [4, 14, 24, 34, 44, 54, 64])
        #expect(account.complaints.last == "only the first 7 of 60 records are shown; set --limit")
        let (_, table) = await archive.run(["find", "30599"])
        #expect(table.output.contains("appstore.notifications.production/3@599"))
        #expect(table.output.contains("DID_RENEW"))
        let (none, nothing) = await archive.run(["find", "1"])
        #expect(none == 1)
        #expect(nothing.output.isEmpty)
    }

    @Test func `the index is rebuilt on request`() async throws {
        let archive = try await Archive()
        #expect(await archive.run(["find", "30599"]).exitCode == 0)
        #expect(await archive.run(["find", "30599", "--rebuild"]).exitCode == 0)
        try FileManager.default.removeItem(atPath: archive.directory.file("index.db"))
        #expect(await archive.run(["find", "30599"]).exitCode == 0)
    }

    @Test(arguments: [0, 255, 256, 399, 450, 600, 649])
    func `a record is shown by its offset, and completely only if it is to be revealed`(offset: Int) async throws {
        let archive = try await Archive()
        let what = "\(Self.topic)/3@\(offset)"
        let (code, printed) = await archive.run(["show", what, "--output", "json"])
        #expect(code == 0)
        let shown = try #require(try printed.objects.first)
        #expect(shown["offset"]?.integer == Int64(offset))
        #expect(shown["status"]?.string == "readable")
        #expect(printed.output.contains("DID_RENEW"))
        #expect(printed.output.contains("monthly"))
        for secret in ["\"30\(offset)\"", Self.account, "\"200\(offset % 10)\"", "app/200", ":9990", Self.uuid(offset)]
        {
            #expect(!printed.output.contains(secret), "\(secret)")
        }
        let (_, text) = await archive.run(["show", what])
        #expect(!text.output.contains("30\(offset)\""))
        let (_, revealed) = await archive.run(["show", what, "--output", "json", "--reveal", "--author", "officer"])
        let record = try #require(try revealed.objects.first?["record"]?.object)
        #expect(record["key"]?.string == "com.example.app/200\(offset % 10)")
        #expect(revealed.output.contains(#""transactionId":"30\#(offset)""#))
        #expect(
            revealed.complaints == [
                "revealed appstore.notifications.production[3]@\(offset) from the archive, including personal data"
            ])
    }

    @Test(arguments: [400, 449]) func `an offset that Kafka had deleted is shown as a gap`(offset: Int) async throws {
        let archive = try await Archive()
        let (code, printed) = await archive.run(["show", "\(Self.topic)/3@\(offset)", "--output", "json"])
        #expect(code == 0)
        #expect(try printed.objects.first?["status"]?.string == "gap")
    }

    @Test func `an erased record is shown as erased and no longer found`() async throws {
        let archive = try await Archive()
        #expect(await archive.run(["find", "2004"]).exitCode == 0)
        try archive.erase(purchase: 4)
        let (_, shown) = await archive.run([
            "show", "\(Self.topic)/3@4", "--reveal", "--author", "officer", "--output", "json",
        ])
        #expect(try shown.objects.first?["status"]?.string == "erased")
        #expect(!shown.output.contains("DID_RENEW"))
        for arguments in [["find", "2004"], ["find", "2004", "--rebuild"]] {
            let (code, found) = await archive.run(arguments)
            #expect(code == 1)
            #expect(found.output.isEmpty)
        }
        #expect(await archive.run(["find", "2005"]).exitCode == 0)
    }

    @Test func `showing a missing record is an error`() async throws {
        let archive = try await Archive()
        for what in ["\(Self.topic)/3@650", "\(Self.topic)/4@0", "none/0@0", "x", "a/b@c", Self.uuid(999)] {
            let (code, printed) = await archive.run(["show", what])
            #expect(code == 1, "\(what)")
            #expect(printed.output.isEmpty)
        }
    }
}
