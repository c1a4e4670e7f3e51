internal import ArchiveKeys
internal import ArchiveLog
internal import Kafka
internal import Lifecycle
internal import TransparencyLog

/// Reads single entries of the archive and decrypts them. It compares an object with its leaf, but does not prove the
/// leaf. The most recent bundle is cached, so that entries of one log in order read each bundle once.
final class ArchiveEntryReader {
    private let logs: ArchiveLogs
    private let contents: ArchivedContents
    private var scans: [KafkaTopicPartition: ArchiveScan] = [:]
    private var last: (partition: KafkaTopicPartition, bundle: Int, entries: [FoundEntry])?

    init(_ logs: ArchiveLogs, _ contents: ArchivedContents) {
        self.logs = logs
        self.contents = contents
    }

    /// Returns the entry of a leaf, or nil if the log has no such leaf.
    func entry(at place: IndexedPlace) async throws -> ReadEntry? {
        try await entry(place.leaf, of: place.partition)
    }

    /// Returns the leaf of a Kafka offset, or the gap that contains the offset, or nil if the log has neither.
    func entry(of partition: KafkaTopicPartition, at offset: KafkaOffset) async throws -> ReadEntry? {
        let scan = try await scan(of: partition)
        let index: Int?
        do throws(LogReadError) {
            index = try await scan.reader.index(of: offset, size: scan.size)
        } catch { throw StartupError(error) }
        guard let index, let entry = try await entry(index, of: partition) else { return nil }
        if case .gap(let gap) = entry.content { return offset < gap.nextOffset ? entry : nil }
        return entry
    }

    private func entry(_ index: Int, of partition: KafkaTopicPartition) async throws -> ReadEntry? {
        let scan = try await scan(of: partition)
        guard index >= 0, index < scan.size else { return nil }
        let bundle = index / TilePath.fullWidth
        if last?.partition != partition || last?.bundle != bundle {
            last = (partition, bundle, try await scan.entries(of: bundle) { _ in true })
        }
        guard let found = last?.entries.first(where: { $0.index == index }) else { return nil }
        return try contents.read(found, of: partition)
    }

    /// Returns the scan for all entries of a log, which are read under a single checkpoint.
    func scan(of partition: KafkaTopicPartition) async throws -> ArchiveScan {
        if let scan = scans[partition] { return scan }
        let scan = try await logs.reader(of: partition).scan(logs)
        scans[partition] = scan
        return scan
    }
}
