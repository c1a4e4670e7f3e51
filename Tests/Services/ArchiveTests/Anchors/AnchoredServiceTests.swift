import AppStoreModel
import ArchiveLog
import Cryptography
import Foundation
import Kafka
import Lifecycle
import ObjectStorage
import PipelineTestSupport
import Records
import TestSupport
import Testing
import TransparencyLog

@testable import Archive

/// The whole service with all its anchors.
@Suite("Anchors of an archive", .timeLimit(.minutes(3))) struct AnchoredServiceTests {
    @Test func `topic, second store and witness have the checkpoint log, which covers every log with records`()
        async throws
    {
        let installation = try await ArchiveInstallation()
        let topic = installation.topics.notifications(.production)
        let key = try PrivateKey(ed25519ContentsOf: installation.directory.file("sign.pem"))
        let verifiers = try CheckpointSigner(archive: ArchiveInstallation.origin, keys: [key]).verifiers()
        let logs = try (0..<Int32(installation.partitions)).map {
            try LogNames(KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: $0)))
        }
        let log = try LogNames.checkpointLog()
        let origin = log.origin(archive: ArchiveInstallation.origin)
        let witness = try WitnessServer(origins: [origin: verifiers.keys(of: origin)])
        let directory = installation.directory
        let witnesses = try directory.write("w1 \(witness.verifier.text) \(witness.url)\n", to: "witnesses")
        try await installation.kafka.write((0..<40).map { installation.notification($0, of: $0) })
        let service = try await installation.start([
            "--archive.anchor.url", directory.file("anchor"), "--archive.anchor.witnesses.file", witnesses,
            "--archive.anchor.interval", "1s",
        ])
        try await installation.waitForLeaves(40, service)
        let store = try installation.store()
        try await waitUntil(within: .seconds(60)) {
            guard let note = try await store.read(log.checkpoint()),
                let anchor = try? DirectoryStore(path: directory.file("anchor"), creating: false),
                try await anchor.read(log.checkpoint())?.bytes == note.bytes,
                let cosigned = try await store.read(log.cosigned(by: witness.verifier)),
                try SignedNote(bytes: cosigned.bytes).text == SignedNote(bytes: note.bytes).text
            else { return false }
            var options = VerificationOptions(verifiers: verifiers)
            options.anchors = AnchoredCheckpoints([try SignedNote(bytes: note.bytes)], verifiers: verifiers)
            let report = try await ArchiveVerification(store, options: options).run()
            let isCovered = logs.allSatisfy { log in
                report.logs.contains { $0.log == log && $0.size > 0 && $0.anchoredSize == $0.size }
            }
            guard report.isAnchored, report.findings.isEmpty, isCovered else { return false }
            let topic = installation.topics.archiveCheckpoints
            let records = try await installation.kafka.records(of: [topic], partitions: 1)
            return Set(records.compactMap(\.key)) == [Array(origin.utf8)]
        }
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    @Test func `the error for a file without a witness names the setting`() async throws {
        let installation = try await ArchiveInstallation()
        let witnesses = try installation.directory.write("w1\n", to: "witnesses")
        var message = ""
        do {
            _ = try await installation.start(["--archive.anchor.witnesses.file", witnesses])
        } catch { message = "\(error)" }
        #expect(message.contains("archive.anchor.witnesses.file"))
        #expect(message.contains("line 1 must have the form: name verifier-key URL"))
        await installation.stop()
    }
}
