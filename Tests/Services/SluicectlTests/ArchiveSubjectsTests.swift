import AppStoreModel
import ArchiveKeys
import ArchiveLog
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import Primitives
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// The subjects selected by `sluicectl archive erase`, `hold`, `find` and `export`.
@Suite(.timeLimit(.minutes(2))) struct ArchiveSubjectsTests {
    private static let account = "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"

    private final class Installation {
        let archive: TestArchive
        let broker: DevBroker

        init() throws {
            archive = try TestArchive()
            broker = try DevBroker(topics: [TopicNames().erasures: 1])
        }

        var flags: [String] { ["--kafka.bootstrap.servers", broker.bootstrapServers] + archive.personFlags }

        func run(_ arguments: [String]) async -> (exitCode: Int32, printed: Printed) {
            await sluicectl(["archive"] + arguments + flags)
        }

        func find(_ id: String) async -> (exitCode: Int32, printed: Printed) {
            await sluicectl(["archive", "find", id, "--output", "json"] + archive.personFlags)
        }

        func status(of position: String) async throws -> String? {
            let (_, printed) = await sluicectl(["archive", "show", position, "--output", "json"] + archive.personFlags)
            return try printed.objects.first?["status"]?.string
        }

        func quarantined(_ body: String, uuid: String?) -> KafkaProducerRecord {
            QuarantineRecord(
                reason: "profile", receivedAt: nil, notificationUUID: uuid.map { NotificationUUID($0) },
                receivedBytes: Array(body.utf8)
            ).produced(to: archive.names.quarantine)
        }
    }

    private static func jws(_ payload: String) -> String {
        "e30.\(String(decoding: Base64URL.encode(Array(payload.utf8)), as: UTF8.self)).c2ln"
    }

    @Test func `an erasure by account covers a purchase that was archived after the index was created`() async throws {
        let installation = try Installation()
        let archive = installation.archive
        try await archive.write(["1", "2"].map { archive.purchase($0, uuid: "uuid-\($0)", account: Self.account) })
        #expect(await installation.find(Self.account).exitCode == 0)
        try await archive.write([archive.purchase("3", uuid: "uuid-3", account: Self.account)])
        let (code, done) = await installation.run(["erase", "--app-account-token", Self.account, "--yes"])
        #expect(code == 0, "\(done.complaints)")
        #expect(await installation.find(Self.account).exitCode == 1)
        for offset in 0..<3 {
            #expect(try await installation.status(of: "\(archive.production)/0@\(offset)") == "erased")
        }
    }

    @Test func `without an index the refunds of a purchase are erased too`() async throws {
        let installation = try Installation()
        let archive = installation.archive
        try await archive.write([archive.purchase("1", transaction: "77", uuid: "uuid-1")])
        let refunds = archive.names.refunds(.production)
        let refund =
            #"{"formatVersion":1,"environment":"Production","bundleId":"com.example.app","transactionId":"77"}"#
        try await archive.write([
            KafkaProducerRecord(topic: refunds, key: Array("com.example.app/77".utf8), value: Array(refund.utf8))
        ])
        let (code, done) = await installation.run(
            ["erase", "--original-transaction-id", "1", "--app", "com.example.app", "--yes"])
        #expect(code == 0, "\(done.complaints)")
        #expect(try await installation.status(of: "\(archive.production)/0@0") == "erased")
        #expect(try await installation.status(of: "\(refunds)/0@0") == "erased")
    }

    @Test func `a quarantined notification is erased with the account in its body`() async throws {
        let installation = try Installation()
        let archive = installation.archive
        let transaction = Self.jws(#"{"originalTransactionId":"9","appAccountToken":"\#(Self.account)"}"#)
        let payload = Self.jws(#"{"notificationUUID":"q","data":{"signedTransactionInfo":"\#(transaction)"}}"#)
        try await archive.write([
            installation.quarantined(#"{"signedPayload":"\#(payload)"}"#, uuid: "q"),
            installation.quarantined(#"{"signedPayload":"\#(Self.jws("{}"))"}"#, uuid: "other"),
        ])
        let (code, done) = await installation.run(["erase", "--app-account-token", Self.account, "--yes"])
        #expect(code == 0, "\(done.complaints)")
        #expect(try await installation.status(of: "\(archive.names.quarantine)/0@0") == "erased")
        #expect(try await installation.status(of: "\(archive.names.quarantine)/0@1") == "readable")
    }

    @Test func `a dead letter that mentions a purchase is erased with it`() async throws {
        let installation = try Installation()
        let archive = installation.archive
        try await archive.write([archive.purchase("1", uuid: "uuid-1", account: Self.account)])
        let topic = KafkaTopic(rawValue: "\(archive.names.quarantine).sluice-archive.dlq")
        try await archive.write([
            KafkaProducerRecord(topic: topic, key: nil, value: Array(#"{"a":[{"originalTransactionId":"1"}]}"#.utf8))
        ])
        let (code, _) = await installation.run(["erase", "--app-account-token", Self.account, "--yes"])
        #expect(code == 0)
        #expect(try await installation.status(of: "\(topic)/0@0") == "erased")
    }

    /// The possible identifiers of a record. Its key is the first one present.
    @Test(arguments: [
        ("--transaction-id", "transactionId"), ("--app-transaction-id", "appTransactionId"),
        ("--web-order-line-item-id", "webOrderLineItemId"), ("--request-identifier", "requestIdentifier"),
        ("--external-purchase-id", "externalPurchaseId"), ("--notification-uuid", "notificationUUID"),
        ("--app-account-token", "appAccountToken"),
    ]) func `a record is found, held and erased by each of its identifiers`(flag: String, member: String) async throws {
        let installation = try Installation()
        let archive = installation.archive
        let id = "5B5C9AF0-0000-4000-8000-000000000001"
        try await archive.write([
            KafkaProducerRecord(
                topic: archive.production, key: Array("com.example.app/\(id)".utf8),
                value: Array(#"{"notification":{"notificationType":"X","data":{"\#(member)":"\#(id)"}}}"#.utf8)),
            archive.purchase("2", uuid: "uuid-2"),
        ])
        #expect(await installation.find(id).exitCode == 0)
        #expect(await installation.run(["hold", flag, id, "--yes"]).exitCode == 0)
        let (held, refused) = await installation.run(["erase", flag, id, "--yes"])
        #expect(held == 1)
        #expect(refused.complaints.first?.contains("legal hold") == true)
        #expect(await installation.run(["release", flag, id, "--yes"]).exitCode == 0)
        #expect(await installation.run(["erase", flag, id, "--yes"]).exitCode == 0)
        #expect(try await installation.status(of: "\(archive.production)/0@0") == "erased")
        #expect(try await installation.status(of: "\(archive.production)/0@1") == "readable")
    }

    @Test func `a record without any identifier is erased by its position`() async throws {
        let installation = try Installation()
        let archive = installation.archive
        try await archive.write([installation.quarantined("\u{1}", uuid: nil)])
        let position = "\(archive.names.quarantine)/0@0"
        #expect(await installation.run(["erase", "--position", position, "--yes"]).exitCode == 0)
        #expect(try await installation.status(of: position) == "erased")
        let (again, printed) = await installation.run(["erase", "--position", "\(archive.names.quarantine)/0@1"])
        #expect(again == 1)
        #expect(printed.complaints.first?.contains("does not contain record") == true)
        #expect(await installation.run(["erase", "--position", "nonsense"]).exitCode == 64)
    }

    @Test func `an answer includes the leaf of each log up to which it is complete`() async throws {
        let installation = try Installation()
        let archive = installation.archive
        try await archive.write(["1", "2"].map { archive.purchase($0, uuid: "uuid-\($0)", account: Self.account) })
        try await archive.write([installation.quarantined("x", uuid: nil)])
        let arguments = ["erase", "--app-account-token", Self.account]
        let (_, text) = await installation.run(arguments)
        #expect(text.output.contains("appstore.notifications.production/0  leaf 1"))
        let (_, json) = await installation.run(arguments + ["--output", "json"])
        let extent = try #require(try json.objects.first?["extent"]?.array).compactMap(\.object)
        #expect(
            extent.map { $0["topic"]?.string } == ["appstore.notifications.production", "appstore.quarantine"])
        #expect(extent.map { $0["leaves"]?.integer } == [2, 1])
        #expect(try json.objects.first?["unread"]?.integer == 0)
    }

    @Test func `records with keys that this host lacks make an answer incomplete until it has them`() async throws {
        let installation = try Installation()
        let archive = installation.archive
        try await archive.write(["1", "2"].map { archive.purchase($0, uuid: "uuid-\($0)", account: Self.account) })
        let other = try TestArchive()
        let place = KafkaTopicPartition(topic: archive.production, partition: 1)
        // The other host has written to the same archive under its own keys.
        try await other.write([other.purchase("3", uuid: "uuid-3", account: Self.account)], to: 1)
        try FileManager.default.copyItem(
            atPath: other.directory.file("archive/\(place.topic)/1"),
            toPath: archive.directory.file("archive/\(place.topic)/1"))
        // Another record of uuid-1 may be among those that cannot be searched.
        for command in ["find", "show"] {
            let (partial, warned) = await sluicectl(["archive", command, "uuid-1"] + archive.personFlags)
            #expect(partial == 1)
            #expect(!warned.output.isEmpty)
            #expect(warned.complaints.contains { $0.contains("the keys of 1 archived records") })
        }
        let (code, printed) = await installation.run(["erase", "--app-account-token", Self.account, "--yes"])
        #expect(code == 1)
        #expect(printed.complaints.contains { $0.contains("the keys of 1 archived records") })
        #expect(printed.output.contains("searched up to  \(place.topic)/1  leaf 0"), "\(printed.output)")
        for command in ["find", "show"] {
            let (missed, warned) = await sluicectl(["archive", command, "uuid-3"] + archive.personFlags)
            #expect(missed == 1)
            #expect(warned.complaints.contains { $0.contains("the keys of 1 archived records") })
        }
        #expect(try await installation.status(of: "\(archive.production)/0@0") == "erased")
    }

    @Test func `nothing is erased while part of the archive cannot be read`() async throws {
        let installation = try Installation()
        let archive = installation.archive
        try await archive.write(["1", "2"].map { archive.purchase($0, uuid: "uuid-\($0)", account: Self.account) })
        try FileManager.default.removeItem(atPath: archive.directory.file("archive/\(archive.production)/0/segments"))
        let (code, printed) = await installation.run(["erase", "--app-account-token", Self.account, "--yes"])
        #expect(code == 2)
        #expect(
            printed.complaints.first?.contains("segment is missing although its retention period has not ended") == true
        )
        #expect(try archive.key(of: "1") != nil)
        // `show` does not report the record as deleted after its retention, either.
        let position = "\(archive.production)/0@0"
        let (shown, text) = await sluicectl(["archive", "show", position] + archive.personFlags)
        #expect(shown == 2)
        #expect(text.output.contains("missing"))
    }
}
