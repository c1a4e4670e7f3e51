import AppStoreModel
import ArchiveLog
import Foundation
import Kafka
import KafkaDevBroker
import ObjectStorage
import OperatorEventsTestSupport
import PipelineTestSupport
import Primitives
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// The operator events of `sluicectl archive verify`.
@Suite(.timeLimit(.minutes(5))) struct ArchiveFindingEventsTests {
    private let archive: TestArchive
    private let log: KafkaTopicPartition

    init() async throws {
        archive = try TestArchive(prefix: "findings\(UUID().uuidString.lowercased().prefix(8))")
        log = KafkaTopicPartition(topic: archive.production, partition: 0)
        try await archive.write((0..<3).map { archive.legacy(.didRenew, "\($0)") })
    }

    /// Changes a byte of a payload.
    private func damage() throws {
        let path = archive.directory.file("archive/\(log.topic)/0/segments/000.p/3")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[10] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    private func verify(
        _ flags: [String], publishing: RecordedReveals = RecordedReveals()
    ) async -> (exitCode: Int32, printed: Printed) {
        await sluicectl(
            ["archive", "verify", "--unsigned"] + archive.place + flags, publishing: publishing.publishing)
    }

    @Test func `the findings of a log are one operator event for each kind`() throws {
        let other = KafkaTopicPartition(topic: archive.names.quarantine, partition: 0)
        let findings = [
            Finding(.tampered, log, "leaf 7 differs"), Finding(.rolledBack, log, "9 leaves were signed"),
            Finding(.tampered, other, "leaf 1 differs"), Finding(.tampered, log, "leaf 8 differs"),
        ]
        let records = FindingEvents.records(of: findings, to: archive.names.operations, clocks: .system)
        #expect(
            records.map { RecordedEvents.line(of: $0.value) } == [
                #"archive.finding \#(log) {"reason":"tampered","detail":"leaf 7 differs","findings":2}"#,
                #"archive.finding \#(log) {"reason":"rolled_back","detail":"9 leaves were signed","findings":1}"#,
                #"archive.finding \#(other) {"reason":"tampered","detail":"leaf 1 differs","findings":1}"#,
            ])
    }

    @Test func `a finding is published if operator events are on`() async throws {
        try damage()
        let published = RecordedReveals()
        let (exitCode, printed) = await verify(["--operations.events", "true"], publishing: published)
        #expect(exitCode == 2, "\(printed.output)")
        #expect(published.records.map(\.topic) == [archive.names.operations])
        let lines = published.records.map { RecordedEvents.line(of: $0.value) }
        #expect(lines.count == 1 && lines[0].hasPrefix("archive.finding \(log) "), "\(lines)")
        #expect(lines[0].contains(#""reason":"tampered""#) && lines[0].hasSuffix(#""findings":1}"#), "\(lines)")
    }

    @Test func `without the setting, or without a finding, nothing is published`() async throws {
        let published = RecordedReveals()
        #expect(await verify(["--operations.events", "true"], publishing: published).exitCode == 0)
        try damage()
        #expect(await verify([], publishing: published).exitCode == 2)
        #expect(published.records.isEmpty)
    }

    @Test func `findings that cannot be published leave the result as it is`() async throws {
        try damage()
        let (exitCode, printed) = await verify(
            ["--operations.events", "true"], publishing: RecordedReveals(isFailing: true))
        #expect(exitCode == 2 && printed.output.contains("tampered"))
        #expect(
            printed.complaints == [
                "the findings were not published as operator events: no broker answers"
            ])
    }

    @Test func `findings reach the topic for operator events`() async throws {
        try damage()
        let operations = archive.names.operations
        let broker = try DevBroker(topics: [operations: 1])
        let (exitCode, printed) = await sluicectl(
            ["archive", "verify", "--unsigned"] + archive.place + [
                "--operations.events", "true", "--kafka.bootstrap.servers", broker.bootstrapServers,
            ], publishing: .kafka)
        #expect(exitCode == 2 && printed.complaints.isEmpty, "\(printed.complaints)")
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let records = try await kafka.records(of: [operations], partitions: 1)
        #expect(records.map { $0.header("ce_type")?.text } == ["dev.sluice.archive.finding"])
        #expect(records.first?.key?.starts(with: Array("sluicectl/".utf8)) == true)
        await broker.stop()
    }
}
