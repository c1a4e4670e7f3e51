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
    /// Whether logs may be started: the setting `archive.begin`.
    let mayBegin: Bool
    let clusterId: String
    let clocks: Clocks

    /// Checks that a reread record equals the record archived at its offset.
    ///
    /// - Throws: ``RecreatedTopic`` if they differ.
    func compare(_ record: KafkaRecord, _ writer: LogWriter) async throws {
        let size = writer.committedSize
        let reader = try LogReader(store, names: LogNames(record.topicPartition), verifiers: nil)
        guard let index = try await reader.index(of: record.offset, size: size),
            try await reader.leaf(index, size: size).leaf.timestampMilliseconds == record.timestampMilliseconds
        else { throw RecreatedTopic(record.topicPartition, differing: record.offset) }
    }

    /// - Parameter evidence: returns a clause with the evidence that the log existed; called only if the archive does
    ///   not have the log.
    /// - Throws: ``ArchiveError`` or ``OtherCluster``.
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
                throw OtherCluster(partition, archived: archived, present: clusterId)
            }
            return OpenLog(writer: writer, lock: lock)
        } catch {
            lock.release()
            throw error
        }
    }
}

/// The archive belongs to another Kafka cluster, where the same offsets refer to other records.
struct OtherCluster: Error, CustomStringConvertible {
    let description: String

    init(_ partition: KafkaTopicPartition, archived: String, present: String) {
        description = """
            the archive of \(partition) belongs to cluster \(archived), but this cluster is \(present). Set a new \
            archive.url for this cluster, and keep the old archive
            """
    }
}

/// The topic was deleted and recreated, so its offsets no longer refer to the archived records.
struct RecreatedTopic: Error, CustomStringConvertible {
    let description: String

    /// Creates the error for a topic that ends before the archive does.
    init(_ partition: KafkaTopicPartition, archived: KafkaOffset, end: KafkaOffset) {
        self.init("\(partition) ends at offset \(end), but its archive at \(archived)")
    }

    /// Creates the error for a record that differs from the one archived at its offset.
    init(_ partition: KafkaTopicPartition, differing offset: KafkaOffset) {
        self.init("the record at offset \(offset) of \(partition) differs from the archived one")
    }

    private init(_ reason: String) {
        description = """
            \(reason): the topic was recreated. Set a new archive.url for the new topic, and keep the \
            old archive
            """
    }
}
