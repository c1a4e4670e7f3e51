internal import ArchiveFormat
internal import ArchiveKeys
internal import ArchiveLog
internal import Kafka
internal import ObjectStorage
internal import TransparencyLog

/// Reads and decrypts single records of the archive. It compares an object with its leaf, and does not prove the leaf.
struct ArchiveRecords {
    /// What is left of a record.
    enum Content {
        case record(KafkaRecord)
        case gap(ArchiveGap)
        /// Its key was destroyed, or its subject had been erased before it came.
        case erased
        /// Its segment was deleted after the retention time.
        case expired
        /// Its key is not in this key store.
        case keyUnknown
    }

    struct Found {
        let partition: KafkaTopicPartition
        let index: Int
        let leaf: ArchiveLeaf
        let content: Content
    }

    let store: any ObjectStore
    let keys: KeyStore

    func logs() async throws -> [LogReader] {
        try await LogReader.logs(in: store).map { LogReader(store, names: $0, verifiers: nil) }
    }

    /// How many leaves a log has.
    func size(of log: LogReader) async throws -> Int { try await log.checkpoint()?.checkpoint.size ?? 0 }

    /// The leaves of a bundle from the index on, each with what is left of its record.
    func records(of log: LogReader, bundle: Int, from index: Int, size: Int) async throws -> [Found] {
        let entries = try await log.bundle(bundle, size: size)
        let segment = try await segment(of: log, bundle, size: size)
        let start = bundle * TilePath.fullWidth
        return try (max(index, start)..<min(start + entries.count, size)).map { index in
            let leaf = try ArchiveLeaf(bytes: Array(entries[index - start]))
            return Found(
                partition: log.names.partition, index: index, leaf: leaf,
                content: try content(of: leaf, segment.flatMap { $0.object(index - start) }))
        }
    }

    /// One leaf.
    func record(at place: IndexedPlace) async throws -> Found? {
        let log = LogReader(store, names: try LogNames(place.partition), verifiers: nil)
        let size = try await size(of: log)
        guard place.leaf >= 0, place.leaf < size else { return nil }
        return try await records(of: log, bundle: place.leaf / TilePath.fullWidth, from: place.leaf, size: size).first
    }

    /// The leaf of a Kafka offset, or the gap that the offset is in; nil when the log has neither.
    func record(of partition: KafkaTopicPartition, at offset: KafkaOffset) async throws -> Found? {
        let log = LogReader(store, names: try LogNames(partition), verifiers: nil)
        let size = try await size(of: log)
        // Offsets ascend: the last bundle that begins at or before the offset.
        var (low, high) = (0, (size + TilePath.fullWidth - 1) / TilePath.fullWidth)
        while low < high {
            let middle = (low + high) / 2
            let entries = try await log.bundle(middle, size: size)
            guard entries.count > 0 else { return nil }
            let first = try ArchiveLeaf(bytes: Array(entries[0]))
            if first.position.offset <= offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let found = try await records(of: log, bundle: low - 1, from: 0, size: size)
            .last { $0.leaf.position.offset <= offset }
        guard let found else { return nil }
        if case .gap(let gap) = found.content { return offset < gap.nextOffset ? found : nil }
        return found.leaf.position.offset == offset ? found : nil
    }

    private func content(of leaf: ArchiveLeaf, _ object: [UInt8]?) throws -> Content {
        if leaf.isErasedOnArrival { return .erased }
        guard let object else { return .expired }
        var secret: ArchiveKeys.DataKeyState?
        if let id = leaf.keyId { secret = try keys.dataKey(id) }
        switch secret {
        case .destroyed: return .erased
        case .unknown: return .keyUnknown
        case .usable(let key): return try opened(object, leaf) { try ArchiveObject.open(object, of: leaf, key: key) }
        case nil: return try opened(object, leaf) { try ArchiveObject.open(object, of: leaf) }
        }
    }

    private func opened(
        _ object: [UInt8], _ leaf: ArchiveLeaf, _ open: () throws -> ArchiveContent
    ) throws -> Content {
        switch try open() {
        case .record(let record): .record(record.record(of: leaf))
        case .gap(let gap): .gap(gap)
        case .erased: .erased
        }
    }

    private struct Segment {
        let bytes: [UInt8]
        let objects: [Range<Int>]

        func object(_ index: Int) -> [UInt8]? { objects.indices.contains(index) ? Array(bytes[objects[index]]) : nil }
    }

    /// Nil for one that was deleted after the retention time.
    private func segment(of log: LogReader, _ bundle: Int, size: Int) async throws -> Segment? {
        do throws(LogReadError) {
            let (bytes, objects) = try await log.segment(bundle, size: size)
            return Segment(bytes: bytes, objects: objects)
        } catch {
            guard error.code == .missing else { throw error }
            return nil
        }
    }
}
