import ArchiveLog
import Cryptography
import Kafka
import ObjectStorage
import ObjectStorageTestSupport
import TestSupport
import Testing
import TransparencyLog

@testable import Archive

/// A log of an archive in memory. The test controls its growth.
struct AnchoredArchive {
    static let origin = "example.com/archive"
    static let partition = KafkaTopicPartition(topic: "appstore.notifications", partition: 2)
    static let logOrigin = "example.com/archive/appstore.notifications/2"

    let store: any ObjectStore
    let signer: CheckpointSigner
    let names: LogNames
    private let content: String

    /// - Parameter content: the content of records; different contents yield different trees.
    init(key: PrivateKey, content: String = "value") throws {
        store = try DirectoryStore(path: "/archive", creating: true, calls: SimulatedDisk())
        signer = try CheckpointSigner(archive: Self.origin, keys: [key])
        names = try LogNames(Self.partition)
        self.content = content
    }

    /// Adds leaves, and signs a checkpoint that covers them.
    func grow(by count: Int, at time: Int = 1_800_000_000) async throws {
        var writer = try await LogWriter.open(store, names: names, signer: signer, at: time)
        let first = writer.size
        for offset in first..<(first + count) {
            try writer.append(
                ArchiveEntry(
                    KafkaRecord(
                        topic: Self.partition.topic, partition: Self.partition.partition,
                        offset: KafkaOffset(rawValue: Int64(offset)), timestampMilliseconds: 1_700_000_000_000,
                        key: nil, value: Array("\(content) \(offset)".utf8)),
                    kind: .certificate, clusterId: "cluster", archivedAtMilliseconds: 1_800_000_000_000,
                    protection: .plain))
        }
        try await writer.commit(at: time)
    }

    /// The log at its newest checkpoint.
    func log() async throws -> AnchoredLog {
        let reader = LogReader(store, names: names, verifiers: try signer.verifiers())
        return AnchoredLog(reader: reader, checkpoint: try #require(try await reader.checkpoint()))
    }
}

/// Expects an ``ArchiveServiceError`` from a call, and returns it.
func anchorError(_ body: () async throws -> Void) async -> ArchiveServiceError? {
    await #expect(throws: ArchiveServiceError.self) { try await body() }
}
