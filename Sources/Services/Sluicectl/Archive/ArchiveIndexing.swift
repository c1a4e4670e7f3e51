internal import ArchiveKeys
internal import ArchiveLog
internal import Kafka
internal import Lifecycle
internal import TransparencyLog

/// Updates the index from the archive.
struct ArchiveIndexing {
    let logs: ArchiveLogs
    let contents: ArchivedContents
    let index: SideIndex

    /// Removes erased records, reads every log from the position that the index has reached, and retries leaves with
    /// unknown keys.
    ///
    /// - Parameter progress: called about once per hundred thousand leaves, with the log, the number of leaves indexed
    ///   so far, and the log's size.
    /// - Throws: a ``StartupError`` if part of the archive cannot be read, because an answer would be incomplete.
    func run(progress: (KafkaTopicPartition, Int, Int) -> Void) async throws -> ArchiveExtent {
        // An erasure decided on another host destroys keys in this host's key store, but does not remove the erased
        // records from this index.
        try index.remove(try contents.keys.destroyedKeys())
        var extent: [ArchiveExtent.Log] = []
        var newest: Int64?
        for log in try await logs.all() {
            let scan = try await log.scan(logs)
            try await add(scan, progress)
            guard scan.size > 0 else { continue }
            extent.append(.init(partition: log.names.partition, leaves: scan.size))
            if let time = try await timestamp(of: scan) { newest = max(newest ?? time, time) }
        }
        return ArchiveExtent(logs: extent, unread: try await resolve(), newestTimestamp: newest)
    }

    /// Returns the timestamp of a log's last record.
    private func timestamp(of scan: ArchiveScan) async throws(StartupError) -> Int64? {
        do throws(ArchiveError) {
            return try await scan.reader.leaf(scan.size - 1, size: scan.size).leaf.timestampMilliseconds
        } catch { throw StartupError(error) }
    }

    private func add(_ scan: ArchiveScan, _ progress: (KafkaTopicPartition, Int, Int) -> Void) async throws {
        let partition = scan.reader.names.partition
        var next = try index.next(of: partition)
        guard next <= scan.size else {
            throw StartupError(
                "the index has \(next) leaves from \(partition), but the archive has \(scan.size)",
                fix: "Run sluicectl archive verify; if this is a different archive, rebuild the index with --rebuild",
                exitCode: .archiveRolledBack)
        }
        while next < scan.size {
            let bundle = next / TilePath.fullWidth
            let entries = try await scan.entries(of: bundle) { _ in true }.filter { $0.index >= next }
            guard let last = entries.last else { break }
            var read: [IndexedEntry] = []
            var unread: [IndexedEntry] = []
            for entry in entries {
                if let indexed = try indexed(entry) {
                    read.append(indexed)
                } else {
                    unread.append(IndexedEntry(leaf: entry.index, key: try contents.keys.keyId(of: entry.leaf)))
                }
            }
            try index.add(read, unread: unread, of: partition, next: last.index + 1)
            next = last.index + 1
            if bundle % 400 == 399 { progress(partition, next, scan.size) }
        }
    }

    /// Returns the index entry, or nil if the key is unknown.
    private func indexed(_ entry: FoundEntry) throws -> IndexedEntry? {
        switch try contents.content(of: entry) {
        case .record(let record):
            return IndexedEntry(
                leaf: entry.index, key: try contents.keys.keyId(of: entry.leaf),
                names: IndexedName.names(of: record, kind: entry.leaf.position.kind))
        case .expired: return IndexedEntry(leaf: entry.index, key: try contents.keys.keyId(of: entry.leaf))
        case .gap, .erased: return IndexedEntry(leaf: entry.index, key: nil)
        case .keyUnknown: return nil
        case .missing:
            throw StartupError.unsound(
                "\(entry.leaf.position): its segment is missing although its retention period has not ended")
        }
    }

    /// - Returns: the number of leaves that are still unread.
    private func resolve() async throws -> Int {
        var count = 0
        let reader = ArchiveEntryReader(logs, contents)
        for place in try index.unread() {
            if let key = place.key, case .unknown = try contents.keys.dataKey(key) {
                count += 1
                continue
            }
            let scan = try await reader.scan(of: place.partition)
            guard let entry = try await scan.entry(place.leaf), let indexed = try indexed(entry) else {
                count += 1
                continue
            }
            try index.resolve([indexed], of: place.partition)
        }
        return count
    }
}
