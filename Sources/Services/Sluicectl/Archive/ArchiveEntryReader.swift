internal import ArchiveKeys
internal import ArchiveLog
internal import Kafka
internal import Lifecycle
internal import TransparencyLog

/// Reads single entries from the archive and decrypts them. Compares each object with its leaf, but does not prove that
/// the leaf is in the log. Caches the most recent bundle, so that reading a log in order reads each bundle once.
final class ArchiveEntryReader {
    private let logs: ArchiveLogs
    private let contents: ArchivedContents
    private var scans: [KafkaTopicPartition: ArchiveScan] = [:]
    private var last: (partition: KafkaTopicPartition, bundle: Int, entries: [FoundEntry])?

    init(_ logs: ArchiveLogs, _ contents: ArchivedContents) {
        self.logs = logs
        self.contents = contents
    }

    /// Returns the entry for a leaf, or nil if the log has no such leaf.
    func entry(at place: IndexedPlace) async throws -> ReadEntry? {
        try await entry(place.leaf, of: place.partition)
    }

    /// Returns the entry for the record at a Kafka offset, or for the gap that contains the offset; nil if the log has
    /// neither.
    func entry(of partition: KafkaTopicPartition, at offset: KafkaOffset) async throws -> ReadEntry? {
        let scan = try await scan(of: partition)
        let index: Int?
        do throws(ArchiveError) {
            index = try await scan.reader.index(of: offset, size: scan.size)
        } catch { throw StartupError(error) }
        guard let index else { return nil }
        return try await entry(index, of: partition)
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

    /// Returns a scan of the entries that one checkpoint of a log covers. Further calls return the same scan.
    func scan(of partition: KafkaTopicPartition) async throws -> ArchiveScan {
        if let scan = scans[partition] { return scan }
        let scan = try await logs.reader(of: partition).scan(logs)
        scans[partition] = scan
        return scan
    }
}
