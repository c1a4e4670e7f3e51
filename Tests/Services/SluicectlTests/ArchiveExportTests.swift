import AppStoreModel
import ArchiveLog
import Cryptography
import Foundation
import JSON
import Kafka
import Primitives
import Records
import TestSupport
import Testing
import TransparencyLog

@testable import Sluicectl

/// `sluicectl archive export` of everything, of one person, and with a manifest.
@Suite(.timeLimit(.minutes(2))) struct ArchiveExportTests {
    private static let account = "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"

    /// Returns an archive of two purchases. One of them has an account, a refund, and a quarantined notification of the
    /// account.
    private func archive() async throws -> TestArchive {
        let archive = try TestArchive()
        try await archive.write([
            archive.purchase("1", transaction: "77", uuid: "uuid-1", account: Self.account),
            archive.purchase("2", uuid: "uuid-2"), archive.purchase("1", transaction: "78", uuid: "uuid-3"),
        ])
        let refund =
            #"{"formatVersion":1,"environment":"Production","bundleId":"com.example.app","transactionId":"77"}"#
        try await archive.write([
            KafkaProducerRecord(
                topic: archive.names.refunds(.production), key: Array("com.example.app/77".utf8),
                value: Array(refund.utf8))
        ])
        let quarantined = { (text: String) in
            QuarantineRecord(reason: "profile", receivedAt: nil, receivedBytes: Array(text.utf8)).produced(
                to: archive.names.quarantine)
        }
        try await archive.write([
            quarantined(#"{"appAccountToken":"\#(Self.account)"}"#), quarantined(#"{"appAccountToken":"else"}"#),
        ])
        return archive
    }

    @Test func `an access request exports all records about the person from every topic, and no others`() async throws {
        let archive = try await archive()
        let (code, printed) = await sluicectl(
            ["archive", "export", "--author", "auditor", "--app-account-token", Self.account] + archive.personFlags)
        // This test's notifications have no proof of Apple's signature.
        #expect(code == 1)
        let rows = try printed.objects
        let places = rows.map { "\($0["topic"]?.string ?? "")@\($0["offset"]?.integer ?? -1)" }
        #expect(
            places == [
                "appstore.notifications.production@0", "appstore.notifications.production@2", "appstore.quarantine@0",
                "appstore.refunds.production@0",
            ])
        #expect(rows.map { $0["kind"]?.string } == ["notification", "notification", "quarantine", "refund"])
        #expect(rows[0]["notificationUUID"] == "uuid-1" && rows[1]["notificationUUID"] == "uuid-3")
        #expect(printed.output.contains(#""transactionId":"77""#))
        #expect(!printed.output.contains("uuid-2") && !printed.output.contains("else"))
    }

    @Test func `erased records of a person are not in the answer to an access request`() async throws {
        let archive = try await archive()
        try archive.erase("1")
        let (code, printed) = await sluicectl(
            ["archive", "export", "--author", "auditor", "--app-account-token", Self.account] + archive.personFlags)
        #expect(code == 0, "\(printed.complaints)")
        #expect(try printed.objects.map { $0["topic"]?.string } == ["appstore.quarantine"])
    }

    @Test func `all topics are exported, and each row has the log, the leaf and the digest of its proof`() async throws
    {
        let archive = try await archive()
        let (_, printed) = await sluicectl(
            ["archive", "export", "--author", "auditor", "--all-topics"] + archive.flags)
        let rows = try printed.objects
        #expect(rows.count == 6)
        for row in rows {
            let topic = try #require(row["topic"]?.string)
            #expect(row["log"]?.string == "example.com/archive/\(topic)/0")
            let place = try LogNames(KafkaTopicPartition(topic: KafkaTopic(rawValue: topic), partition: 0))
            let reader = LogReader(archive.store, names: place, verifiers: nil)
            let size = try #require(try await reader.checkpoint()).checkpoint.size
            #expect(row["treeSize"]?.integer == Int64(size))
            let leaf = try await reader.leaf(Int(try #require(row["leaf"]?.integer)), size: size).leaf
            #expect(row["objectDigest"]?.string == leaf.objectDigest.hex)
        }
    }

    @Test(arguments: ["jsonl", "csv"])
    func `a manifest has the digest of the rows, and the checkpoints that cover them`(format: String) async throws {
        let archive = try await archive()
        let directory = archive.directory.file("export")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let (_, printed) = await sluicectl(
            [
                "archive", "export", "--author", "auditor", "--all-topics", "--format", format, "--output-directory",
                directory,
            ]
                + archive.flags)
        #expect(printed.output.isEmpty)
        let rows = try Data(contentsOf: URL(filePath: "\(directory)/records.\(format)"))
        let manifest = try #require(
            try JSONValue(json: Array(Data(contentsOf: URL(filePath: "\(directory)/manifest.json")))).object)
        #expect(manifest["format"] == "sluice-archive/export@v1")
        let file = try #require(manifest["files"]?.array?.first?.object)
        #expect(file["name"]?.string == "records.\(format)")
        #expect(file["sha256"]?.string == SHA256.digest(of: Array(rows)).hex)
        #expect(file["bytes"]?.integer == Int64(rows.count) && file["rows"]?.integer == 6)
        let logs = try #require(manifest["logs"]?.array).compactMap(\.object)
        #expect(logs.map { $0["rows"]?.integer } == [3, 2, 1])
        for log in logs {
            let text = try #require(log["checkpoint"]?.string)
            let checkpoint = try VerifiedCheckpoint(
                SignedNote(bytes: Array(text.utf8)), of: log["log"]?.string, verifiers: archive.signer.verifiers())
            #expect(log["treeSize"]?.integer == Int64(checkpoint.checkpoint.size))
            #expect(log["root"]?.string == checkpoint.checkpoint.root.base64)
        }
        let mode =
            try FileManager.default.attributesOfItem(atPath: "\(directory)/records.\(format)")[.posixPermissions]
            as? Int
        #expect(mode == 0o600)
    }

    @Test func `a missing directory is reported before anything is read`() async throws {
        let archive = try await archive()
        let (code, printed) = await sluicectl(
            ["archive", "export", "--author", "auditor", "--output-directory", archive.directory.file("nowhere")]
                + archive.flags)
        #expect(code == 1)
        #expect(printed.complaints.first?.contains("output-directory:") == true)
    }
}
