internal import ArchiveFormat
internal import ArchiveKeys
internal import ArchiveLog
internal import Kafka
internal import TransparencyLog

/// Brings the index up to date with the archive.
struct ArchiveIndexing {
    let records: ArchiveRecords
    let index: SideIndex

    /// Removes what is erased, and reads every log from where the index has it.
    ///
    /// - Parameter progress: told of the log and of how many of its leaves are indexed, about every hundred thousand.
    /// - Returns: how many leaves were read.
    func run(progress: (KafkaTopicPartition, Int, Int) -> Void) async throws -> Int {
        // Other hosts erase too.
        try index.remove(try records.keys.destroyedKeys())
        var read = 0
        for log in try await records.logs() {
            let partition = log.names.partition
            let size = try await records.size(of: log)
            var next = try index.next(of: partition)
            while next < size {
                let bundle = next / TilePath.fullWidth
                let found = try await records.records(of: log, bundle: bundle, from: next, size: size)
                guard let last = found.last else { break }
                try index.add(found.map { ($0.index, $0.leaf.keyId, names($0)) }, of: partition, next: last.index + 1)
                read += found.count
                next = last.index + 1
                if bundle % 400 == 399 { progress(partition, next, size) }
            }
        }
        return read
    }

    private func names(_ found: ArchiveRecords.Found) -> Set<IndexedName> {
        guard case .record(let record) = found.content else { return [] }
        return IndexedName.names(of: record, kind: found.leaf.position.kind)
    }
}
