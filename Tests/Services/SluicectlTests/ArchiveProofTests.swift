import AppStoreModel
import AppStoreSigning
import AppStoreVerification
import ArchiveKeys
import ArchiveLog
import Cryptography
import Foundation
import JSON
import Kafka
import ObjectStorage
import Records
import SQLite
import TestSupport
import Testing

@testable import Sluicectl

/// An archive as written by sluice-archive, with Apple's certificates and one notification that references them.
private struct ArchivedNotification {
    static let origin = "example.com/archive"
    static let topic = "appstore.notifications.production"
    /// A time after the leaf certificate has expired.
    static let afterExpiry = Signed.now + 400 * 86_400_000

    let directory: TemporaryDirectory
    let archive: String
    let keyStore: String
    let keyFile: String
    /// The archive's public key.
    let key: String
    let root: String
    let store: DirectoryStore
    let keys: KeyStore
    let signer: CheckpointSigner
    let subject: ArchiveSubject

    init() async throws {
        directory = try TemporaryDirectory()
        archive = directory.file("archive")
        store = try DirectoryStore(path: archive, creating: true)
        keyFile = try directory.write(String(repeating: "a7", count: 32) + "\n", to: "kek")
        chmod(keyFile, 0o600)
        keyStore = directory.file("keys.sqlite")
        keys = try KeyStore(path: keyStore, keys: KeyEncryptionKeys(files: [keyFile]), creation: .ifMissing)
        signer = try CheckpointSigner(archive: Self.origin, keys: [PrivateKey.generate(.ed25519)])
        key = try directory.write(try signer.verifiers().text, to: "archive.pub")
        root = try directory.signedFiles().root
        subject = ArchiveSubject(.production, key: "com.example.app/2000000000000001")
        for record in try Self.records() { try await write(record) }
    }

    /// Returns the records that the ingress would produce for a notification signed under Apple's test root.
    private static func records(
        receivedAt: Int64 = Signed.now, origin: RecordOrigin = .live
    ) throws -> [KafkaProducerRecord] {
        let app = AppIdentity(bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890))
        let verifier = try NotificationVerifier(
            VerifierConfiguration(roots: [Signed.pki.get().root.der], apps: [app], revocation: .off))
        guard case .accepted(let verified) = verifier.verify(body: try Signed.body(), at: Signed.now) else {
            return []
        }
        return ReleasedRecords.records(
            of: verified, receivedAt: AppStoreInstant(clampingMillisecondsSince1970: receivedAt),
            names: TopicNames(prefix: "appstore")
        ).map { record in
            var record = record
            record.headers = record.headers.map {
                $0.key == RecordHeaderName.origin.rawValue ? KafkaHeader(.origin, origin.rawValue) : $0
            }
            return record
        }
    }

    func write(_ produced: KafkaProducerRecord) async throws {
        let names = try LogNames(KafkaTopicPartition(topic: produced.topic, partition: 0))
        var writer = try await LogWriter.open(store, names: names, signer: signer, at: 1_800_000_000)
        let record = KafkaRecord(
            topic: produced.topic, partition: 0, offset: KafkaOffset(rawValue: Int64(writer.size)),
            timestampMilliseconds: Signed.now, key: produced.key, value: produced.value, headers: produced.headers)
        let isNotification = produced.topic.rawValue == Self.topic
        let request = DataKeyRequest(subject: subject, eventTimeMilliseconds: Signed.now)
        let protection = isNotification ? try keys.dataKeys(for: [request]).first ?? .plain : .plain
        try writer.append(
            ArchiveEntry(
                record, kind: try #require(ArchiveKind(topic: produced.topic, names: TopicNames())),
                clusterId: "cluster",
                archivedAtMilliseconds: Signed.now, protection: protection))
        try await writer.commit(at: 1_800_000_000)
    }

    /// Archives another notification, so that the log grows.
    func grow(receivedAt: Int64 = Signed.now, origin: RecordOrigin = .live) async throws {
        for record in try Self.records(receivedAt: receivedAt, origin: origin)
        where record.topic.rawValue == Self.topic { try await write(record) }
    }

    /// Archives an object that was quarantined after the leaf certificate had expired.
    func quarantine(_ bytes: [UInt8], _ reason: String, source: RecordOrigin = .history) async throws {
        let record = QuarantineRecord(
            reason: reason, receivedAt: AppStoreInstant(clampingMillisecondsSince1970: Self.afterExpiry),
            source: source, receivedBytes: bytes)
        try await write(record.produced(to: TopicNames().quarantine))
    }

    /// - Parameter isArchived: whether to archive the erasure record, which names the key.
    func erase(isArchived: Bool = true) async throws {
        let record = try erasure(of: keys.status(of: keys.mark(of: subject)).keys)
        if isArchived { try await write(record.produced(to: TopicNames().erasures)) }
        _ = try keys.apply([record])
    }

    /// Returns an erasure record for the subject that names the given keys.
    func erasure(of destroyed: [ArchiveKeyId]) throws -> ErasureRecord {
        ErasureRecord(
            action: .erase, subject: try keys.mark(of: subject), marks: keys.marksId, keys: destroyed, reason: "test",
            request: "", requestedAt: AppStoreInstant(clampingMillisecondsSince1970: Signed.now + 1000))
    }

    /// Archives a notification of another purchase, which adds a key to the key store.
    func addPurchase() async throws {
        let other = DataKeyRequest(
            subject: ArchiveSubject(.production, key: "com.example.app/2000000000000002"),
            eventTimeMilliseconds: Signed.now)
        _ = try keys.dataKeys(for: [other])
    }

    /// Returns the flags of a verification that reads payloads.
    var payloads: [String] {
        [
            "--key", key, "--payloads", "--archive.key.store", keyStore, "--archive.key.encryption.key.file", keyFile,
            "--root.certificates", root,
        ]
    }

    func sql(_ statement: String) throws {
        let database = try Database(path: keyStore, access: .sharedWriter)
        defer { database.close() }
        try database.executeScript(statement)
    }

    /// Changes a byte in the middle of a file.
    func change(_ name: String) throws {
        let path = "\(archive)/\(name)"
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        bytes[bytes.count / 2] ^= 1
        try FileManager.default.removeItem(atPath: path)
        try Data(bytes).write(to: URL(filePath: path))
    }

    func run(_ command: String, _ arguments: [String]) async -> (exitCode: Int32, printed: Printed) {
        await sluicectl(["archive", command, "--archive.url", archive] + arguments)
    }
}

/// The content of a quarantine record of sluice-reconciler.
enum QuarantinedObject: Sendable {
    case notification, forgedNotification
    /// An item of Apple's subscription statuses.
    case item, itemOfTwoPurchases
    /// An item whose renewal info has an invalid signature.
    case forgedItem

    func bytes() throws -> [UInt8] {
        let notification = Array(try Signed.body().dropFirst(#"{"signedPayload":""#.utf8.count).dropLast(2))
        let renewalInfo = try Self.sign(Signed.renewalInfo)
        switch self {
        case .notification: return notification
        case .forgedNotification: return Self.forged(notification)
        case .item: return try Self.statusItem(renewalInfo)
        case .itemOfTwoPurchases:
            let other = Signed.renewalInfo.replacingOccurrences(of: "2000000000000001", with: "2000000000000002")
            return try Self.statusItem(Self.sign(other))
        case .forgedItem: return try Self.statusItem(Self.forged(renewalInfo))
        }
    }

    private static func statusItem(_ renewalInfo: [UInt8]) throws -> [UInt8] {
        let item: JSONObject = [
            "status": 1, "originalTransactionId": "2000000000000001",
            "signedTransactionInfo": .string(String(decoding: try sign(Signed.transactionInfo), as: UTF8.self)),
            "signedRenewalInfo": .string(String(decoding: renewalInfo, as: UTF8.self)),
        ]
        return JSONValue.object(item).json
    }

    private static func sign(_ payload: String) throws -> [UInt8] {
        try JWSSigner(Signed.pki.get()).sign(Array(payload.utf8))
    }

    /// Changes the first character of the signature, which has 86 characters.
    private static func forged(_ jws: [UInt8]) -> [UInt8] {
        var changed = jws
        changed[jws.count - 86] = jws[jws.count - 86] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return changed
    }
}

@Suite("Verifying and proving the archive with sluicectl") struct ArchiveProofTests {
    @Test func `an archive is verified with only the public key, and the limits without anchors are reported`()
        async throws
    {
        let archived = try await ArchivedNotification()
        let (exitCode, printed) = await archived.run("verify", ["--key", archived.key])
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(printed.output.contains("only internal consistency was checked"))
        #expect(printed.output.hasSuffix("sound\n"))
        #expect(!printed.output.contains("signatures were not checked"))
        let unsigned = await archived.run("verify", ["--unsigned"])
        #expect(unsigned.exitCode == 0 && unsigned.printed.output.contains("signatures were not checked"))
        #expect(!unsigned.printed.output.contains("sound"), "\(unsigned.printed.output)")
    }

    @Test func `the JSON output reports the same verdict for scripts`() async throws {
        let archived = try await ArchivedNotification()
        let (exitCode, printed) = await archived.run("verify", ["--key", archived.key, "--output", "json"])
        #expect(exitCode == 0)
        let object = try #require(try printed.objects.first)
        #expect(object["ok"]?.bool == true && object["signaturesChecked"]?.bool == true)
        #expect(object["anchored"]?.bool == false && object["findings"]?.array?.isEmpty == true)
        #expect(object["logs"]?.array?.count == 2)
    }

    @Test func `each notification is reported as signed by Apple for its app until its person is erased`() async throws
    {
        let archived = try await ArchivedNotification()
        let (exitCode, printed) = await archived.run("verify", archived.payloads)
        #expect(exitCode == 0, "\(printed.output) \(printed.complaints)")
        #expect(printed.output.contains("1 signed by Apple for com.example.app"))
        #expect(printed.output.contains("0 missing\n"))
        try await archived.erase()
        let erased = await archived.run("verify", archived.payloads)
        #expect(erased.exitCode == 0, "\(erased.printed.output)")
        #expect(erased.printed.output.contains("1 erased\n"))
        #expect(erased.printed.output.contains("0 missing\n"))
        #expect(!erased.printed.output.contains("signed by Apple"))
    }

    @Test func `a verification of payloads that reads none is refused`() async throws {
        let archived = try await ArchivedNotification()
        let (exitCode, printed) = await archived.run("verify", archived.payloads + ["--tree-only"])
        #expect(exitCode == 64)
        #expect(printed.output.isEmpty)
        #expect(printed.complaints.first?.contains("mutually exclusive") == true, "\(printed.complaints)")
    }

    @Test func `an erased person is reported as erased with a key store that never had the key`() async throws {
        let archived = try await ArchivedNotification()
        try await archived.erase()
        try archived.sql("DELETE FROM data_keys")
        let (exitCode, printed) = await archived.run("verify", archived.payloads)
        #expect(exitCode == 0, "\(printed.output)")
        #expect(printed.output.contains("1 erased\n"))
    }

    @Test func `an erasure that has not been archived yet is incomplete`() async throws {
        let archived = try await ArchivedNotification()
        try await archived.erase(isArchived: false)
        let (exitCode, printed) = await archived.run("verify", archived.payloads)
        #expect(exitCode == 3)
        #expect(printed.output.contains("no archived erasure record lists it"))
    }

    @Test func `an erasure record in another log is used as evidence only if that log was verified`() async throws {
        let archived = try await ArchivedNotification()
        let destroyed = try archived.keys.status(of: archived.keys.mark(of: archived.subject)).keys
        try await archived.write(archived.erasure(of: []).produced(to: TopicNames().erasures))
        _ = try archived.keys.apply([archived.erasure(of: destroyed)])
        let arguments = [ArchivedNotification.topic] + archived.payloads
        let before = await archived.run("verify", arguments)
        #expect(before.exitCode == 3, "\(before.printed.output)")

        // A forged record that names the key, under the checkpoint of the original record.
        let forger = try await ArchivedNotification()
        try await forger.write(archived.erasure(of: destroyed).produced(to: TopicNames().erasures))
        for file in ["tile/entries/000.p/1", "segments/000.p/1"] {
            let name = "\(TopicNames().erasures)/0/\(file)"
            try FileManager.default.removeItem(atPath: "\(archived.archive)/\(name)")
            try FileManager.default.copyItem(
                atPath: "\(forger.archive)/\(name)", toPath: "\(archived.archive)/\(name)")
        }
        let (exitCode, printed) = await archived.run("verify", arguments)
        #expect(exitCode == 2, "\(printed.output)")
        #expect(printed.output.contains("tampered: appstore.erasures[0], leaf 0"), "\(printed.output)")
    }

    /// Changes v03 to v07 of the review of the archive.
    @Test(arguments: [
        ("DELETE FROM data_keys", 3, "1 missing"),
        ("UPDATE data_keys SET wrapping = zeroblob(8), wrapped = zeroblob(60)", 2, "0 missing"),
        ("UPDATE data_keys SET wrapped = randomblob(60)", 3, "1 missing"),
        (
            "UPDATE data_keys SET wrapped = (SELECT o.wrapped FROM data_keys o WHERE o.number <> data_keys.number)", 3,
            "1 missing"
        ),
        (
            "UPDATE data_keys SET mark = (SELECT o.mark FROM data_keys o WHERE o.number <> data_keys.number)", 3,
            "1 missing"
        ),
    ])
    func `manually destroyed, lost or swapped keys are findings`(
        change: String, expected: Int32, summary: String
    ) async throws {
        let archived = try await ArchivedNotification()
        try await archived.addPurchase()
        #expect(await archived.run("verify", archived.payloads).exitCode == 0)
        try archived.sql(change)
        let (exitCode, printed) = await archived.run("verify", archived.payloads)
        #expect(exitCode == expected, "\(printed.output)")
        #expect(printed.output.contains("\(summary)\n"))
        let json = await archived.run("verify", archived.payloads + ["--output", "json"])
        #expect(try json.printed.objects.first?["ok"]?.bool == false)
    }

    @Test func `an archive without the certificates of its notifications is incomplete`() async throws {
        let archived = try await ArchivedNotification()
        try FileManager.default.removeItem(atPath: "\(archived.archive)/appstore.certificates")
        let (exitCode, printed) = await archived.run("verify", archived.payloads)
        #expect(exitCode == 3, "\(printed.output)")
        #expect(printed.output.contains("1 missing\n"))
    }

    @Test func `a notification signed under another root is not reported as Apple's`() async throws {
        let archived = try await ArchivedNotification()
        let (exitCode, printed) = await archived.run(
            "verify",
            [
                "--key", archived.key, "--payloads", "--archive.key.store", archived.keyStore,
                "--archive.key.encryption.key.file", archived.keyFile,
            ])
        #expect(exitCode == 2)
        #expect(printed.output.contains("Apple's signature was not verified"))
    }

    @Test(arguments: [(.live, 2, 1), (.history, 0, 2), (.replay, 0, 2)] as [(RecordOrigin, Int32, Int)])
    func `a certificate that expired before the receipt is a finding unless the notification may be from the history`(
        origin: RecordOrigin, expected: Int32, signed: Int
    ) async throws {
        let archived = try await ArchivedNotification()
        try await archived.grow(receivedAt: ArchivedNotification.afterExpiry, origin: origin)
        let (exitCode, printed) = await archived.run("verify", archived.payloads)
        #expect(exitCode == expected, "\(printed.output)")
        #expect(printed.output.contains("\(signed) signed by Apple for com.example.app\n"))
    }

    /// Objects that sluice-reconciler quarantined: the content, the reason in the record, the expected exit code, and
    /// the expected label.
    @Test(
        arguments: [
            (.notification, "profile_nested", 0, "1 signed by Apple for com.example.app"),
            (.item, "audience", 0, "1 signed by Apple for com.example.app"),
            (.itemOfTwoPurchases, "profile_nested", 0, "1 refused when received: profile_nested"),
            (.forgedNotification, "signature", 0, "1 refused when received: signature"),
            (.forgedItem, "signature", 0, "1 refused when received: signature"),
            (.forgedNotification, "audience", 2, "1 not verified"),
            (.forgedNotification, "profile_nested", 2, "1 not verified"),
            (.forgedItem, "audience", 2, "1 not verified"), (.forgedItem, "profile_nested", 2, "1 not verified"),
            (.forgedItem, "unknown", 2, "1 not verified"),
        ] as [(QuarantinedObject, String, Int32, String)])
    func `a quarantined object from Apple's API is a finding only if it contradicts its record`(
        object: QuarantinedObject, reason: String, expected: Int32, label: String
    ) async throws {
        let archived = try await ArchivedNotification()
        try await archived.quarantine(object.bytes(), reason)
        let (exitCode, printed) = await archived.run("verify", ["appstore.quarantine"] + archived.payloads)
        #expect(exitCode == expected, "\(printed.output)")
        #expect(printed.output.contains("\(label)\n"), "\(printed.output)")
    }

    @Test func `a quarantined version 1 body is not signed, whatever its type and size`() async throws {
        let archived = try await ArchivedNotification()
        let fields = (0..<1200).map { #""field\#($0)":1"# }
        let receipts = stride(from: 0, to: 1200, by: 100).map { from in
            "{\(fields[from..<from + 100].joined(separator: ","))}"
        }
        let large = #"{"notification_type":"RENEWAL","receipts":[\#(receipts.joined(separator: ","))]}"#
        try await archived.quarantine(Array(large.utf8), "v1_profile", source: .live)
        try await archived.quarantine(Array(#"{"notification_type":1}"#.utf8), "v1_profile", source: .live)
        try await archived.quarantine(Array("{}".utf8), "v1_profile", source: .live)
        let (exitCode, printed) = await archived.run("verify", ["appstore.quarantine"] + archived.payloads)
        #expect(exitCode == 0, "\(printed.output)")
        #expect(printed.output.contains("3 not signed\n"))
    }

    @Test func `a quarantined body whose signature is invalid is a finding, whatever its record states`() async throws {
        let archived = try await ArchivedNotification()
        let jws = String(decoding: try QuarantinedObject.forgedNotification.bytes(), as: UTF8.self)
        let body = Array(#"{"signedPayload":"\#(jws)"}"#.utf8)
        try await archived.quarantine(body, "signature", source: .live)
        let (exitCode, printed) = await archived.run("verify", ["appstore.quarantine"] + archived.payloads)
        #expect(exitCode == 2, "\(printed.output)")
        #expect(printed.output.contains("1 not verified\n"))
    }

    @Test(arguments: ["segments/000.p/1", "tile/entries/000.p/1", "tile/0/000.p/1", "checkpoint", "checkpoints/001"])
    func `a changed byte is reported with its file and exit code 2`(file: String) async throws {
        let archived = try await ArchivedNotification()
        try archived.change("\(ArchivedNotification.topic)/0/\(file)")
        let (exitCode, printed) = await archived.run("verify", ["--key", archived.key])
        #expect(exitCode == 2)
        #expect(printed.output.contains("\(ArchivedNotification.topic)/0/\(file)"))
        #expect(printed.output.hasSuffix("NOT SOUND: tampered\n"))
    }

    @Test func `an earlier state is detected by checkpoints from elsewhere, with exit code 4`() async throws {
        let archived = try await ArchivedNotification()
        let earlier = archived.directory.file("earlier")
        try FileManager.default.copyItem(atPath: archived.archive, toPath: earlier)
        try await archived.grow()
        let anchors = archived.directory.file("anchors")
        var notes = Data()
        for topic in [ArchivedNotification.topic, "appstore.certificates"] {
            notes += try Data(contentsOf: URL(filePath: "\(archived.archive)/\(topic)/0/checkpoint")) + Data("\n".utf8)
        }
        try notes.write(to: URL(filePath: anchors))
        let flags = ["--key", archived.key, "--checkpoint-from", anchors]
        let present = await archived.run("verify", flags)
        #expect(
            present.exitCode == 0 && present.printed.output.contains("consistent with 2 checkpoints from elsewhere"))
        let (exitCode, printed) = await sluicectl(["archive", "verify", "--archive.url", earlier] + flags)
        #expect(exitCode == 4)
        #expect(printed.output.contains("rolled-back"))
        // Only the requested log is verified.
        let other = await sluicectl(
            ["archive", "verify", "appstore.certificates/0", "--archive.url", earlier] + flags)
        #expect(other.exitCode == 0)
    }

    @Test func `an unknown key has exit code 5, and a missing archive exit code 6`() async throws {
        let archived = try await ArchivedNotification()
        let other = try await ArchivedNotification()
        #expect(await archived.run("verify", ["--key", other.key]).exitCode == 5)
        #expect(await archived.run("verify", ["--key", "nonsense+00000000+AAAA"]).exitCode != 0)
        let absent = archived.directory.file("absent")
        #expect(await sluicectl(["archive", "verify", "--archive.url", absent]).exitCode == 6)
        try FileManager.default.createDirectory(atPath: absent, withIntermediateDirectories: true)
        #expect(await sluicectl(["archive", "verify", "--archive.url", absent, "--key", archived.key]).exitCode == 6)
    }

    @Test func `one notification is proved, and the proof is checked offline`() async throws {
        let archived = try await ArchivedNotification()
        let file = archived.directory.file("notification.tlog-proof")
        let place = "\(ArchivedNotification.topic)/0"
        #expect(
            await archived.run("prove", ["\(place)@0", "--key", archived.key, "--output-file", file]).exitCode == 0)
        let byLeaf = await archived.run("prove", [place, "--leaf", "0"])
        #expect(byLeaf.printed.output.hasPrefix("c2sp.org/tlog-proof@v1\nextra "))
        #expect(byLeaf.printed.output == String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self))

        try FileManager.default.removeItem(atPath: archived.archive)
        let (exitCode, printed) = await sluicectl(
            ["archive", "prove", "--check", file, "--key", archived.key, "--output", "json"])
        #expect(exitCode == 0)
        let object = try #require(try printed.objects.first)
        #expect(object["topic"]?.string == ArchivedNotification.topic && object["kind"]?.string == "notification")

        #expect(await sluicectl(["archive", "prove", "--check", file]).exitCode == 5)
        let other = try await ArchivedNotification()
        #expect(await sluicectl(["archive", "prove", "--check", file, "--key", other.key]).exitCode == 5)
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        bytes[60] = bytes[60] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        let changed = try archived.directory.write(bytes, to: "changed.tlog-proof")
        let refused = await sluicectl(["archive", "prove", "--check", changed, "--key", archived.key])
        #expect(refused.exitCode == 2 && refused.printed.output.hasPrefix("NOT PROVED"))
    }

    @Test(arguments: [["nowhere"], [], ["a/b@c"], ["appstore.notifications.production/0@99"], ["x/0@1"], ["x/0"]])
    func `arguments that identify no record are a usage error`(arguments: [String]) async throws {
        let archived = try await ArchivedNotification()
        #expect(await archived.run("prove", arguments).exitCode == 64)
    }
}
