import AppStoreModel
import AppStoreTestSupport
import ArchiveKeys
import ArchiveLog
import CommandLine
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import Lifecycle
import Records
import Synchronization
import TestSupport
import Testing

@testable import Sluicectl

/// The author of each reveal is published before any record is shown.
@Suite(.timeLimit(.minutes(2))) struct ArchiveRevealTests {
    private static let account = "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"
    private static let author = ["--author", "a.officer", "--reason", "access request", "--request", "DSR-17"]

    private func archive() async throws -> TestArchive {
        let archive = try TestArchive()
        try await archive.write([
            archive.purchase("1", uuid: "uuid-1", account: Self.account), archive.purchase("2", uuid: "uuid-2"),
        ])
        return archive
    }

    private func mark(of purchase: String, _ archive: TestArchive) throws -> SubjectMark {
        try archive.keys.mark(
            of: ArchiveSubject(.production, BundleId("com.example.app"), OriginalTransactionId(purchase)))
    }

    /// The commands that decrypt records, with their flags in addition to those of the archive.
    static let commands: [(RevealRecord.Command, [String])] = [
        (.show, ["archive", "show", "appstore.notifications.production/0@0", "--reveal"]),
        (.export, ["archive", "export"]),
        (.disclose, ["archive", "disclose", "appstore.notifications.production/0@0"]),
    ]

    private func flags(_ command: RevealRecord.Command, _ archive: TestArchive) -> [String] {
        command == .show ? archive.personFlags : archive.flags
    }

    @Test(arguments: commands) func `nothing is shown or recorded without an author`(
        command: RevealRecord.Command, arguments: [String]
    ) async throws {
        let archive = try await archive()
        let reveals = RecordedReveals()
        for author in [[], ["--author", " "]] {
            let (code, printed) = await sluicectl(
                arguments + author + flags(command, archive), publishing: reveals.publishing)
            #expect(code == 64)
            #expect(printed.output.isEmpty)
            #expect(printed.complaints.last?.contains("--author") == true)
        }
        #expect(reveals.records.isEmpty)
    }

    @Test(arguments: commands) func `nothing is shown if the reveal record cannot be published`(
        command: RevealRecord.Command, arguments: [String]
    ) async throws {
        let archive = try await archive()
        let reveals = RecordedReveals(isFailing: true)
        let (code, printed) = await sluicectl(
            arguments + Self.author + flags(command, archive), publishing: reveals.publishing)
        #expect(code == 1)
        #expect(printed.output.isEmpty)
        #expect(printed.complaints.last?.contains("could not be published") == true)
    }

    @Test func `the author, record and reason of a reveal are published with the subject's pseudonym`() async throws {
        let archive = try await archive()
        let reveals = RecordedReveals()
        let (code, printed) = await sluicectl(
            Self.commands[0].1 + Self.author + archive.personFlags, publishing: reveals.publishing)
        #expect(code == 0, "\(printed.complaints)")
        #expect(printed.output.contains("uuid-1"))
        let produced = try #require(reveals.records.first)
        #expect(reveals.records.count == 1 && produced.topic == archive.names.erasures)
        let record = try #require(RevealRecord(json: produced.value ?? []))
        #expect(record.command == .show && record.author == "a.officer")
        #expect(record.reason == "access request" && record.request == "DSR-17")
        #expect(record.positions == ["appstore.notifications.production/0@0"] && record.count == 1)
        #expect(try record.subjects == [mark(of: "1", archive)])
        #expect(record.marks == archive.keys.marksId)
        #expect(record.at.millisecondsSince1970 == Signed.now)
        // The record contains no personal data.
        let text = String(decoding: produced.value ?? [], as: UTF8.self)
        for personal in ["uuid-1", Self.account, "com.example.app/1"] { #expect(!text.contains(personal)) }
    }

    @Test func `showing a redacted record is not a reveal`() async throws {
        let archive = try await archive()
        let reveals = RecordedReveals()
        let arguments = ["archive", "show", "appstore.notifications.production/0@0"] + archive.personFlags
        #expect(await sluicectl(arguments, publishing: reveals.publishing).exitCode == 0)
        #expect(reveals.records.isEmpty)
    }

    @Test func `the reveal of an export lists its subjects or its scope, and no identifier of a person`() async throws {
        let archive = try await archive()
        let reveals = RecordedReveals()
        let person = ["archive", "export", "--app-account-token", Self.account] + Self.author + archive.personFlags
        _ = await sluicectl(person, publishing: reveals.publishing)
        let all =
            ["archive", "export", "--all-topics", "--from", "2026-01-01T00:00:00Z"] + Self.author + archive.flags
        _ = await sluicectl(all, publishing: reveals.publishing)
        let records = reveals.records.compactMap { RevealRecord(json: $0.value ?? []) }
        #expect(records.map(\.command) == [.export, .export])
        #expect(try records.first?.subjects == [mark(of: "1", archive)])
        #expect(records.first?.positions == ["appstore.notifications.production/0@0"])
        #expect(records.last?.scope == "all topics, since 2026-01-01T00:00:00.000Z")
        #expect(records.last?.count == nil && records.last?.subjects == [])
        #expect(!reveals.records.contains { String(decoding: $0.value ?? [], as: UTF8.self).contains(Self.account) })
    }

    @Test func `the reveal of a disclosure lists its record`() async throws {
        let archive = try await archive()
        let reveals = RecordedReveals()
        let (code, _) = await sluicectl(
            Self.commands[2].1 + Self.author + archive.flags, publishing: reveals.publishing)
        #expect(code == 0)
        let record = try #require(reveals.records.first.flatMap { RevealRecord(json: $0.value ?? []) })
        #expect(record.command == .disclose && record.positions == ["appstore.notifications.production/0@0"])
        #expect(try record.subjects == [mark(of: "1", archive)])
    }

    @Test func `the reveal record is in Kafka under a unique key before anything is shown`() async throws {
        let archive = try await archive()
        let broker = try DevBroker(topics: [archive.names.erasures: 1])
        let flags = Self.author + archive.personFlags + ["--kafka.bootstrap.servers", broker.bootstrapServers]
        for _ in 0..<2 {
            #expect(await sluicectl(Self.commands[0].1 + flags, publishing: .kafka).exitCode == 0)
        }
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let place = KafkaTopicPartition(topic: archive.names.erasures, partition: 0)
        var records: [KafkaRecord] = []
        try await KafkaConsumer.readToEnd(kafka, from: [place: .beginning], within: .seconds(20)) { records += $0 }
        #expect(records.compactMap { RevealRecord(json: $0.value ?? []) }.map(\.author) == ["a.officer", "a.officer"])
        #expect(Set(records.map(\.key)).count == 2, "compaction must remove none")
    }
}

/// Stores reveals instead of publishing them to Kafka.
final class RecordedReveals: Sendable {
    private let published = Mutex<[KafkaProducerRecord]>([])
    private let isFailing: Bool

    init(isFailing: Bool = false) { self.isFailing = isFailing }

    var records: [KafkaProducerRecord] { published.withLock { $0 } }

    var publishing: RecordPublishing {
        RecordPublishing { records, _, _ in
            if self.isFailing { throw StartupError("no broker answers", fix: "Start Kafka") }
            self.published.withLock { $0 += records }
        }
    }
}
