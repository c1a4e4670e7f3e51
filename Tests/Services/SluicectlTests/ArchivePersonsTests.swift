import AppStoreModel
import ArchiveKeys
import ArchiveLog
import Cryptography
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import Records
import SQLite
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl archive erase`, `hold`, `release` and `key`. The tests of sluice-archive cover the effect on other hosts.
@Suite(.timeLimit(.minutes(2))) struct ArchivePersonsTests {
    private static let account = "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"

    /// An archive with one record for each of two purchases of one account, and its topic.
    private final class Installation {
        let archive: TestArchive
        let broker: DevBroker
        let keys: [ArchiveKeyId]

        var directory: TemporaryDirectory { archive.directory }
        var store: KeyStore { archive.keys }

        init() async throws {
            let archive = try TestArchive()
            try await archive.write(
                [1, 2].map { archive.purchase("\($0)", uuid: "uuid-\($0)", account: ArchivePersonsTests.account) })
            keys = try ["1", "2"].map { try #require(try archive.key(of: $0)) }
            self.archive = archive
            broker = try DevBroker(topics: [TopicNames().erasures: 1])
        }

        static func subject(_ purchase: Int) -> ArchiveSubject {
            ArchiveSubject(.production, BundleId("com.example.app"), OriginalTransactionId("\(purchase)"))
        }

        var flags: [String] {
            ["--kafka.bootstrap.servers", broker.bootstrapServers] + archive.personFlags
        }

        func published() async throws -> [ErasureRecord] {
            let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
            var records: [ErasureRecord] = []
            let place = KafkaTopicPartition(topic: TopicNames().erasures, partition: 0)
            try await KafkaConsumer.readToEnd(kafka, from: [place: .beginning], within: .seconds(20)) { read in
                for record in read { records.append(try ErasureRecord(json: record.value ?? [])) }
            }
            return records
        }

        func isDestroyed(_ index: Int) throws -> Bool { try store.dataKey(keys[index]).isDestroyed }
    }

    @Test func `an erasure by a clock that is more than a day ahead of the archive needs an explicit time`()
        async throws
    {
        let archive = try TestArchive()
        let time = Signed.now - 2 * 86_400_000
        try await archive.write([archive.purchase("1", uuid: "uuid-1")], at: time)
        let key = try #require(try archive.key(of: "1"))
        let broker = try DevBroker(topics: [TopicNames().erasures: 1])
        let flags =
            ["--original-transaction-id", "1", "--app", "com.example.app", "--yes", "--author", "officer"]
            + ["--kafka.bootstrap.servers", broker.bootstrapServers] + archive.personFlags
        let (code, refused) = await sluicectl(["archive", "erase"] + flags)
        #expect(code == 1)
        #expect(refused.complaints.last?.contains("--signed-until") == true)
        #expect(try !archive.keys.dataKey(key).isDestroyed)
        // A hold does not depend on the time.
        #expect(await sluicectl(["archive", "hold"] + flags).exitCode == 0)
        #expect(await sluicectl(["archive", "release"] + flags).exitCode == 0)
        let future = AppStoreInstant(clampingMillisecondsSince1970: Signed.now + 1_000)
        let (usage, _) = await sluicectl(["archive", "erase", "--signed-until", "\(future)"] + flags)
        #expect(usage == 64)
        let until = AppStoreInstant(clampingMillisecondsSince1970: Signed.now)
        let (done, _) = await sluicectl(["archive", "erase", "--signed-until", "\(until)"] + flags)
        #expect(done == 0)
        #expect(try archive.keys.dataKey(key).isDestroyed)
    }

    @Test func `erasing a purchase is previewed first, then published and applied`() async throws {
        let installation = try await Installation()
        let arguments =
            ["archive", "erase", "--original-transaction-id", "1", "--app", "com.example.app", "--request", "DSR-17"]
            + installation.flags
        let (shownCode, shown) = await sluicectl(arguments)
        #expect(shownCode == 0)
        #expect(shown.output.contains("Production/com.example.app/1"))
        #expect(shown.output.contains(installation.keys[0].hex))
        #expect(shown.output.contains("would be destroyed"))
        #expect(shown.complaints == ["nothing was changed; add --yes"])
        #expect(try !installation.isDestroyed(0))
        #expect(try await installation.published().isEmpty)

        let (code, done) = await sluicectl(arguments + ["--yes", "--backup-days", "14"])
        #expect(code == 0)
        #expect(try installation.isDestroyed(0))
        #expect(try !installation.isDestroyed(1))
        let record = try #require(try await installation.published().first)
        #expect(record.action == .erase)
        #expect(record.keys == [installation.keys[0]])
        #expect(record.request == "DSR-17")
        #expect(!record.author.isEmpty, "the user who runs the tests has a name or a number")
        #expect(record.subject == (try installation.store.mark(of: Installation.subject(1))))
        #expect(record.requestedAt.millisecondsSince1970 == Signed.now)
        // Two weeks after these tests' current time.
        #expect(done.output.contains("must be deleted by 2026-11-15T00:00:00Z (14 days)"))

        let (_, again) = await sluicectl(arguments + ["--yes", "--output", "json"])
        let subject = try #require(try again.objects.first?["subjects"]?.array?.first?.object)
        #expect(subject["outcome"]?.string == "already_done")
        #expect(subject["keys"]?.array == [])
    }

    @Test func `an account is erased with all its purchases, including from the index`() async throws {
        let installation = try await Installation()
        let arguments = ["archive", "erase", "--app-account-token", Self.account.uppercased()] + installation.flags
        let (_, shown) = await sluicectl(arguments)
        #expect(installation.keys.allSatisfy { shown.output.contains($0.hex) })
        #expect(try !installation.isDestroyed(0))
        let (code, done) = await sluicectl(arguments + ["--yes", "--output", "json"])
        #expect(code == 0)
        #expect(try installation.isDestroyed(0) && installation.isDestroyed(1))
        #expect(try done.objects.first?["subjects"]?.array?.count == 2)
        #expect(try await installation.published().count == 2)
        let index = try SideIndex(path: installation.directory.file("index.sqlite"), store: installation.store)
        #expect(try index.places(of: IndexedName(.appAccountToken, Self.account)).isEmpty)
    }

    @Test func `an account of another environment or without records is an error`() async throws {
        let installation = try await Installation()
        for arguments in [
            ["--app-account-token", Self.account, "--environment", "sandbox"],
            ["--app-account-token", "00000000-0000-4000-8000-000000000000"],
        ] {
            let (code, printed) = await sluicectl(["archive", "erase", "--yes"] + arguments + installation.flags)
            #expect(code == 1)
            #expect(printed.complaints.first?.contains("sluicectl archive find") == true)
        }
        #expect(try await installation.published().isEmpty)
    }

    @Test func `a held subject is not erased until it is released`() async throws {
        let installation = try await Installation()
        let purchase = ["--original-transaction-id", "2", "--app", "com.example.app", "--yes"] + installation.flags
        let (held, _) = await sluicectl(
            ["archive", "hold", "--reason", "litigation", "--request", "CASE-8"] + purchase)
        #expect(held == 0)
        let (refused, printed) = await sluicectl(["archive", "erase"] + purchase)
        #expect(refused == 1)
        #expect(printed.complaints.first?.contains("litigation (CASE-8)") == true)
        #expect(try !installation.isDestroyed(1))
        #expect(await sluicectl(["archive", "release"] + purchase).exitCode == 0)
        #expect(await sluicectl(["archive", "erase"] + purchase).exitCode == 0)
        #expect(try installation.isDestroyed(1))
        #expect(try await installation.published().map(\.action) == [.hold, .release, .erase])
    }

    @Test func `a release publishes the keys that the waiting erasure destroys`() async throws {
        let installation = try await Installation()
        let mark = try installation.store.mark(of: Installation.subject(2))
        // A host without the hold, and without this host's key, has erased the person.
        for action in [ErasureRecord.Action.hold, .erase] {
            try installation.store.apply([
                ErasureRecord(
                    action: action, subject: mark, marks: installation.store.marksId, reason: "a request", request: "1",
                    requestedAt: AppStoreInstant(clampingMillisecondsSince1970: Signed.now - 1_000))
            ])
        }
        #expect(try !installation.isDestroyed(1))
        let (code, printed) = await sluicectl(
            ["archive", "release", "--original-transaction-id", "2", "--app", "com.example.app", "--yes"]
                + installation.flags)
        #expect(code == 0, "\(printed.complaints)")
        #expect(try installation.isDestroyed(1))
        let published = try await installation.published()
        #expect(published.map(\.action) == [.erase, .release])
        #expect(published.first?.keys == [installation.keys[1]])
    }

    @Test func `a repeated erasure overwrites the keys that another process kept in the write-ahead log`() async throws
    {
        let installation = try await Installation()
        let path = installation.directory.file("keys.sqlite")
        let store = try KeyStore(
            path: path, keys: KeyEncryptionKeys(files: [installation.directory.file("kek")]),
            busyTimeout: .milliseconds(50))
        let erasure = ErasureRecord(
            action: .erase, subject: try store.mark(of: Installation.subject(1)), marks: store.marksId,
            reason: "a request", request: "1",
            requestedAt: AppStoreInstant(clampingMillisecondsSince1970: Signed.now))
        let reader = try Database(path: path, access: .reader)
        try reader.run("BEGIN")
        _ = try reader.rows("SELECT number FROM data_keys") { try $0.integer(0) }
        let error = try #require(throws: ArchiveError.self) { try ArchiveDecisionCommand.apply([erasure], store) }
        #expect(error.code == .notOverwritten)
        #expect(error.message.hasSuffix("run the command again"))
        try reader.run("COMMIT")
        #expect(try ArchiveDecisionCommand.apply([erasure], store) == [.alreadyDone])
        #expect(try Data(contentsOf: URL(filePath: path + "-wal")).isEmpty)
    }

    @Test func `nothing is destroyed before Kafka has the decision`() async throws {
        let installation = try await Installation()
        var flags = installation.flags
        flags[1] = "127.0.0.1:1"
        let (code, _) = await sluicectl(
            ["archive", "erase", "--original-transaction-id", "1", "--app", "com.example.app", "--yes"] + flags,
            timeout: .seconds(1))
        #expect(code == 1)
        #expect(try !installation.isDestroyed(0))
    }

    @Test(arguments: [
        [], ["--original-transaction-id", "1"], ["--app", "com.example.app"],
        ["--original-transaction-id", "1", "--app", "com.example.app", "--app-account-token", "x"],
        ["--original-transaction-id", "1", "--app", "a", "--yes", "--request", String(repeating: "x", count: 300)],
    ]) func `a command line with an invalid selector or too long a text is rejected`(arguments: [String]) async throws {
        let installation = try await Installation()
        let (code, _) = await sluicectl(["archive", "erase"] + arguments + installation.flags)
        #expect(code == 64)
        #expect(try await installation.published().isEmpty)
    }

    @Test func `a missing key store is reported with the fix`() async throws {
        let installation = try await Installation()
        var flags = installation.flags
        let keyStore = try #require(flags.firstIndex(of: "--archive.key.store"))
        flags[keyStore + 1] = installation.directory.file("other.db")
        let (code, printed) = await sluicectl(
            ["archive", "erase", "--original-transaction-id", "1", "--app", "com.example.app"] + flags)
        #expect(code == 1)
        #expect(printed.complaints.first?.contains("restore the key store from its backup") == true)
        #expect(!FileManager.default.fileExists(atPath: installation.directory.file("other.db")))
    }

    // MARK: Keys

    @Test func `the key store is checked, and a damaged key is listed`() async throws {
        let installation = try await Installation()
        let (code, printed) = await sluicectl(["archive", "key", "check"] + installation.archive.keyFlags)
        #expect(code == 0)
        #expect(printed.output.contains("wraps 3"))
        let database = try Database(path: installation.directory.file("keys.sqlite"), access: .sharedWriter)
        try database.run("UPDATE data_keys SET wrapped = zeroblob(60) WHERE number = 2")
        let (damaged, report) = await sluicectl(
            ["archive", "key", "check", "--output", "json"] + installation.archive.keyFlags)
        #expect(damaged == 1)
        let object = try #require(try report.objects.first)
        #expect(object["ok"]?.bool == false)
        #expect(object["keys"]?.integer == 2)
        #expect(report.complaints.first?.contains(installation.keys[1].hex) == true)
    }

    @Test func `a signing key is created once, readable only by its owner, and its public key is printed`() async throws
    {
        let directory = try TemporaryDirectory()
        let file = directory.file("signing.pem")
        let origin = ["--archive.origin", "example.com/appstore"]
        let (code, made) = await sluicectl(["archive", "key", "signing", file] + origin)
        #expect(code == 0)
        #expect(made.output.hasPrefix("example.com/appstore+"))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let bytes = try Data(contentsOf: URL(filePath: file))
        #expect(try PrivateKey(ed25519PEM: Array(bytes)).isEd25519)

        let (_, shown) = await sluicectl(["archive", "key", "show", "--archive.signing.key.file", file] + origin)
        #expect(shown.output == made.output)
        let (_, ofLog) = await sluicectl(
            ["archive", "key", "show", "appstore.quarantine/0", "--archive.signing.key.file", file] + origin)
        let names = ofLog.output.split(separator: "\n").map { $0.prefix { $0 != "+" } }
        #expect(names == ["example.com/appstore/appstore.quarantine/0", "example.com/appstore"])
        let (_, ofCheckpoints) = await sluicectl(
            ["archive", "key", "show", "checkpoint-log", "--archive.signing.key.file", file] + origin)
        #expect(ofCheckpoints.output.hasPrefix("example.com/appstore/checkpoint-log+"))
        let (usage, _) = await sluicectl(
            ["archive", "key", "show", "appstore.quarantine", "--archive.signing.key.file", file] + origin)
        #expect(usage == 64)
        let (_, json) = await sluicectl(
            ["archive", "key", "show", "--archive.signing.key.file", file, "--output", "json"] + origin)
        #expect(try json.objects.first?["keys"]?.array?.first?.string.map { $0 + "\n" } == made.output)

        let (again, refused) = await sluicectl(["archive", "key", "signing", file] + origin)
        #expect(again == 1)
        #expect(refused.complaints.first?.contains("never overwritten") == true)
        #expect(try Data(contentsOf: URL(filePath: file)) == bytes)
    }

    @Test func `an invalid origin leaves no file`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("signing.pem")
        let (code, _) = await sluicectl(["archive", "key", "signing", file, "--archive.origin", "a b"])
        #expect(code != 0)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func `a created key-encryption key is accepted by the key store and never printed`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("kek")
        let (code, printed) = await sluicectl(["archive", "key", "encryption", file])
        #expect(code == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(!(printed.output + printed.complaints.joined()).contains(text.prefix(16)))
        #expect(try KeyEncryptionKeys(files: [file]).keys.count == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(await sluicectl(["archive", "key", "encryption", file]).exitCode == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    }
}
