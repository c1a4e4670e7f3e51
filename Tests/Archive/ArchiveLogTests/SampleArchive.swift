import ArchiveLog
import Cryptography
import KafkaModel
import ObjectStorage
import TransparencyLog

/// An archive written by the real writer, with records at arbitrary offsets.
struct SampleArchive {
    static let origin = "archive.example.com/sluice"
    static let start: Int64 = 1_800_000_000_000

    let store: any ObjectStore
    let signer: CheckpointSigner
    let key: ArchiveDataKey

    init(store: any ObjectStore = MemoryStore(), keys: [PrivateKey]? = nil) throws {
        self.store = store
        signer = try CheckpointSigner(archive: Self.origin, keys: keys ?? [PrivateKey.generate(.ed25519)])
        key = ArchiveDataKey(
            id: try ArchiveKeyId.ofNewKey().0, secret: SecretKey(copying: [UInt8](repeating: 7, count: 32)),
            mask: ArchiveLeafMask(try HMACSHA256Key(SecretKey(copying: [UInt8](repeating: 5, count: 32)))))
    }

    var verifiers: ArchiveVerifiers { get throws { try signer.verifiers() } }

    func names(_ topic: KafkaTopic = "appstore.notifications", _ partition: KafkaPartition = 0) throws -> LogNames {
        try LogNames(KafkaTopicPartition(topic: topic, partition: partition))
    }

    /// Appends to a log, with one checkpoint after each of `counts` leaves.
    @discardableResult
    func write(
        _ counts: [Int], to names: LogNames? = nil, kind: ArchiveKind = .notification, from firstOffset: Int64? = nil,
        step: Int64 = 1, at time: Int = 1_800_000_000
    ) async throws -> LogWriter {
        let names = try names ?? self.names()
        var writer = try await LogWriter.open(store, names: names, signer: signer, at: time, copyInterval: 0)
        var offset = firstOffset ?? (writer.lastLeaf.map { $0.position.offset.rawValue + step } ?? 0)
        for count in counts {
            for _ in 0..<count {
                try writer.append(entry(names, kind: kind, offset: offset))
                offset += step
            }
            try await writer.commit(at: time)
        }
        return writer
    }

    func entry(
        _ names: LogNames, kind: ArchiveKind = .notification, offset: Int64, archivedAt: Int64? = nil
    ) throws -> ArchiveEntry {
        let value =
            Array("{\"offset\":\(offset)}".utf8) + [UInt8](repeating: UInt8(offset & 63), count: Int(offset & 31))
        let record = KafkaRecord(
            topic: names.partition.topic, partition: names.partition.partition, offset: KafkaOffset(rawValue: offset),
            timestampMilliseconds: Self.start, key: Array("com.example/\(offset % 9)".utf8), value: value, headers: [])
        let protection: ArchiveProtection = !kind.isPersonal ? .plain : offset % 10 == 3 ? .erased : .encrypted(key)
        return try ArchiveEntry(
            record, kind: kind, clusterId: "cluster", archivedAtMilliseconds: archivedAt ?? Self.start + offset,
            protection: protection)
    }

    /// Appends the checkpoints of all logs with leaves to the checkpoint log, as the service does after a restart.
    @discardableResult
    func logCheckpoints(at time: Int = 1_800_000_050) async throws -> SignedNote {
        var writer = try await CheckpointLogWriter.open(store, signer: signer, at: time)
        defer { writer.close() }
        var checkpoints: [Checkpoint] = []
        for names in try await LogReader.logs(in: store) {
            let found = try await LogReader(store, names: names, verifiers: verifiers).checkpoint()
            if let checkpoint = found?.checkpoint, checkpoint.size > 0 { checkpoints.append(checkpoint) }
        }
        try await writer.append(checkpoints, at: time)
        return writer.checkpoint
    }

    /// Returns checkpoints from elsewhere, verified with this archive's keys.
    func anchors(_ notes: [SignedNote]) throws -> AnchoredCheckpoints {
        AnchoredCheckpoints(notes, verifiers: try verifiers)
    }

    /// Announces and deletes payloads that were archived before an instant.
    @discardableResult
    func prune(archivedBefore cutoff: Int64, size: Int, of log: LogNames? = nil) async throws -> Int {
        let pruning = try LogPruning(store, names: log ?? names(), signer: signer)
        var deleted = 0
        for now in [0, LogPruning.minimumDelay] {
            deleted += try await pruning.run(
                LogPruning.Inputs(cutoff: cutoff, now: now, size: size), announce: { _ in }, decide: { _ in .delete }
            ).deleted
        }
        return deleted
    }

    func verify(
        _ store: (any ObjectStore)? = nil, _ change: (inout VerificationOptions) throws -> Void = { _ in }
    ) async throws -> ArchiveReport {
        var options = VerificationOptions(verifiers: try verifiers)
        try change(&options)
        return try await ArchiveVerification(store ?? self.store, options: options).run()
    }
}
