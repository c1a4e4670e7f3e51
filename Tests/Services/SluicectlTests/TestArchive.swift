import AppStoreModel
import AppStoreSigning
import AppStoreTestSupport
import AppStoreVerification
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

/// An archive in a directory with its key store, written by sluice-archive's writer.
struct TestArchive {
    static let origin = "example.com/archive"

    let names: TopicNames
    let directory: TemporaryDirectory
    let store: DirectoryStore
    let signer: CheckpointSigner
    let keys: KeyStore

    init(prefix: String = TopicNames.defaultPrefix) throws {
        try initializeCryptography()
        names = TopicNames(prefix: prefix)
        directory = try TemporaryDirectory()
        let file = try directory.write(String(repeating: "5a", count: 32), to: "kek")
        keys = try KeyStore(
            path: directory.file("keys.sqlite"), keys: KeyEncryptionKeys(files: [file]), creation: .ifMissing)
        store = try DirectoryStore(path: directory.file("archive"), creating: true)
        signer = try CheckpointSigner(archive: Self.origin, keys: [PrivateKey.generate(.ed25519)])
    }

    var production: KafkaTopic { names.notifications(.production) }

    /// Flags of commands that need no key.
    var place: [String] { ["--archive.url", directory.file("archive"), "--topics.prefix", names.prefix] }

    var keyFlags: [String] {
        [
            "--archive.key.encryption.key.file", directory.file("kek"), "--archive.key.store",
            directory.file("keys.sqlite"),
        ]
    }

    /// Flags of commands that open records.
    var flags: [String] { place + keyFlags }

    /// Flags of commands that find subjects.
    var personFlags: [String] { flags + ["--archive.index", directory.file("index.sqlite")] }

    /// Returns the current key of a purchase of the app.
    func key(of purchase: String) throws -> ArchiveKeyId? {
        try keys.status(
            of: keys.mark(
                of: ArchiveSubject(.production, BundleId("com.example.app"), OriginalTransactionId(purchase)))
        ).keys.first
    }

    /// Appends records to the log of their partition under one checkpoint, at consecutive offsets and one minute apart.
    func write(
        _ produced: [KafkaProducerRecord], to partition: KafkaPartition = 0, at time: Int64 = Signed.now
    ) async throws {
        guard let topic = produced.first?.topic else { return }
        let kind = try #require(ArchivedTopic(topic, names: names))
        var writer = try await LogWriter.open(
            store, names: LogNames(KafkaTopicPartition(topic: topic, partition: partition)), signer: signer,
            // The log is signed immediately. Its next checkpoint is at least a second later.
            at: Int(time / 1_000) - 1)
        for (number, record) in produced.enumerated() {
            let read = KafkaRecord(
                topic: topic, partition: partition, offset: KafkaOffset(rawValue: Int64(writer.size)),
                timestampMilliseconds: time + Int64(number) * 60_000, key: record.key, value: record.value,
                headers: record.headers)
            var protection = ArchiveProtection.plain
            if let subject = kind.subject(of: read) {
                let request = DataKeyRequest(
                    subject: subject, eventTimeMilliseconds: kind.eventTime(of: read) ?? time)
                protection = try #require(try keys.dataKeys(for: [request]).first)
            }
            try writer.append(
                ArchiveEntry(
                    read, kind: kind.kind, clusterId: "cluster", archivedAtMilliseconds: time, protection: protection))
        }
        try await writer.commit(at: Int(time / 1_000))
    }

    /// Erases all records about a purchase.
    func erase(_ purchase: String) throws {
        let subject = ArchiveSubject(.production, BundleId("com.example.app"), OriginalTransactionId(purchase))
        try keys.apply([
            ErasureRecord(
                action: .erase, subject: keys.mark(of: subject), marks: keys.marksId, reason: "a request", request: "1",
                requestedAt: AppStoreInstant(clampingMillisecondsSince1970: Signed.now + 86_400_000))
        ])
    }

    // MARK: Records

    /// Returns a notification that Apple signed: its record as the ingress writes it, and the certificates that the
    /// record names.
    func signed() throws -> (record: KafkaProducerRecord, certificates: [KafkaProducerRecord], jws: String) {
        let body = try Signed.body()
        let verifier = try NotificationVerifier(
            VerifierConfiguration(
                roots: [Signed.pki.get().root.der],
                apps: [AppIdentity(bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890))],
                revocation: .off))
        guard case .accepted(let verified) = verifier.verify(body: body, at: Signed.now) else { throw NotAccepted() }
        var records = ReleasedRecords.records(
            of: verified, receivedAt: AppStoreInstant(clampingMillisecondsSince1970: Signed.now), names: names)
        let last = records.popLast()
        var record = try #require(last)
        record.headers = record.headers.map {
            $0.key == RecordHeaderName.origin.rawValue ? KafkaHeader(.origin, RecordOrigin.live.rawValue) : $0
        }
        return (record, records, try #require(try JSONValue(json: body).object?["signedPayload"]?.string))
    }

    struct NotAccepted: Error {}

    /// Returns a notification about a purchase, with the members that the archive reads.
    func purchase(
        _ purchase: String, transaction: String? = nil, uuid: String, account: String? = nil,
        further: [String: String] = [:]
    ) -> KafkaProducerRecord {
        var members: JSONObject = [
            "transactionId": .string(transaction ?? "30\(purchase)"), "originalTransactionId": .string(purchase),
        ]
        if let account { members["appAccountToken"] = .string(account) }
        for (name, text) in further { members[name] = .string(text) }
        let value = JSONValue.object([
            "notification": .object(["notificationType": "DID_RENEW", "notificationUUID": .string(uuid)]),
            "transaction": .object(members),
        ])
        return KafkaProducerRecord(
            topic: production, key: Array("com.example.app/\(purchase)".utf8), value: value.json,
            headers: [
                KafkaHeader(.id, uuid), KafkaHeader(.subject, purchase), KafkaHeader(.bundleId, "com.example.app"),
            ])
    }

    /// Returns a version 1 notification about a separate purchase.
    func legacy(_ type: NotificationType, _ purchase: String) -> KafkaProducerRecord {
        var record = TwinDraft.sharedSecret(type, at: 1).with {
            $0.purchase = purchase
            $0.uuid = "v1-\(purchase)"
        }.produced(to: production)
        let body = JSONValue.object(["notification_type": .string(type.rawValue)]).json
        record.value = record.value.map { $0.dropLast() + Array(#","legacy":"#.utf8) + body + [UInt8(ascii: "}")] }
        return record
    }
}
