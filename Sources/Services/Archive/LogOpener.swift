internal import ArchiveLog
internal import Kafka
internal import ObjectStorage
internal import Primitives

/// Opens the log of a partition for writing.
struct LogOpener: Sendable {
    let store: any ObjectStore
    let signer: CheckpointSigner
    let heads: any SignedHeads
    let anchored: AnchoredHeads
    let checkpointLog: AnchoredCheckpointLog
    /// Whether logs are accepted as they are in the store, regardless of earlier signatures (`archive.begin`).
    let mayBegin: Bool
    let clusterId: String
    let clocks: Clocks

    /// Checks that the record archived at a reread record's offset has the same timestamp.
    ///
    /// - Throws: ``ArchiveServiceError``: `recreatedTopic` if it does not, or if no record is archived at that offset.
    func compare(_ record: KafkaRecord, _ writer: LogWriter) async throws {
        let size = writer.committedSize
        let reader = try LogReader(store, names: LogNames(record.topicPartition), verifiers: nil)
        guard let index = try await reader.index(of: record.offset, size: size),
            try await reader.leaf(index, size: size).leaf.timestampMilliseconds == record.timestampMilliseconds
        else { throw ArchiveServiceError.recreated(record.topicPartition, differing: record.offset) }
    }

    /// - Parameter evidence: returns a clause with the evidence that the log existed before, or nil if there is none;
    ///   called only if the archive does not contain the log.
    /// - Throws: ``ArchiveError`` or ``ArchiveServiceError``: `otherCluster`.
    func open(
        _ partition: KafkaTopicPartition, evidence: @escaping @Sendable () async throws -> String?
    ) async throws -> OpenLog {
        let names: LogNames
        let lock: any ObjectStoreLock
        do throws(ObjectStoreError) {
            names = try LogNames(partition)
            lock = try await store.lock(names.prefix)
        } catch { throw ArchiveError(error) }
        do {
            let knowledge = LogKnowledge(
                heads: heads,
                anchored: { [anchored, checkpointLog] origin, hasNote in
                    try await checkpointLog.check(hasNote: hasNote)
                    return try await anchored.notes(of: names, origin: origin, hasNote: hasNote)
                },
                evidence: evidence, mayBegin: mayBegin)
            let writer = try await LogWriter.open(
                store, names: names, signer: signer, at: Int(clocks.wallMilliseconds() / 1000), knowing: knowledge)
            if let archived = writer.lastLeaf?.position.clusterId, archived != clusterId {
                throw ArchiveServiceError.otherCluster(partition, archived: archived, present: clusterId)
            }
            return OpenLog(writer: writer, lock: lock)
        } catch {
            lock.release()
            throw error
        }
    }
}
