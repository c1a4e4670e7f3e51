internal import ArchiveLog
internal import Kafka
internal import Lifecycle
internal import TransparencyLog

/// A log entry with its object.
struct FoundEntry: Sendable {
    /// The entry's object, or the reason that there is none.
    enum Object: Sendable {
        case present([UInt8])
        /// The object was deleted when its retention period ended.
        case expired
        /// The object is absent although its retention period has not ended.
        case missing
    }

    let index: Int
    let leaf: ArchiveLeaf
    let object: Object
}

/// Reads a log from its first leaf to the last leaf that its checkpoint covers, 256 leaves at a time. A segment is read
/// only if at least one of its leaves is selected.
struct ArchiveScan {
    let reader: LogReader
    /// The checkpoint, or nil if the log has none. Its signatures are not verified.
    let checkpoint: VerifiedCheckpoint?
    /// The number of leaves covered by the checkpoint.
    var size: Int { checkpoint?.checkpoint.size ?? 0 }
    /// Returns the index of the first leaf whose object is still retained. The index may increase during a scan.
    let firstKept: @Sendable () async throws(StartupError) -> Int
    /// Called after each bundle with the number of leaves scanned so far.
    let progress: (Int) -> Void

    /// - Parameters:
    ///   - offset: the offset of the last leaf to skip; the scan begins after it.
    ///   - take: called with each entry; returns false to stop.
    /// - Returns: whether the scan reached the end without being stopped by `take`.
    func run(
        after offset: KafkaOffset? = nil, where isWanted: (ArchiveLeaf) -> Bool,
        take: (FoundEntry) async throws -> Bool
    ) async throws -> Bool {
        var first = 0
        if let offset {
            do throws(ArchiveError) {
                // If the offset is in a gap or not in the log, the scan begins at the first leaf.
                first = try await reader.index(of: offset, size: size) ?? 0
            } catch { throw StartupError(error) }
        }
        let bundles = TilePath.bundleCount(size: size)
        for bundle in first / TilePath.fullWidth..<max(first / TilePath.fullWidth, bundles) {
            let entries = try await entries(of: bundle) { leaf in
                offset.map { leaf.position.offset > $0 } ?? true && isWanted(leaf)
            }
            for entry in entries {
                guard try await take(entry) else { return false }
            }
            progress(min(size, (bundle + 1) * TilePath.fullWidth))
        }
        return true
    }

    /// Returns the selected entries of one bundle. Reads the segment only if there are any.
    func entries(of bundle: Int, where isWanted: (ArchiveLeaf) -> Bool) async throws -> [FoundEntry] {
        let wanted = try await leaves(of: bundle).filter { isWanted($1) }
        guard !wanted.isEmpty else { return [] }
        let segment = try await objects(of: bundle)
        return try wanted.map { index, leaf in
            guard case .objects(let objects) = segment else {
                return FoundEntry(index: index, leaf: leaf, object: segment.absence)
            }
            let position = index % TilePath.fullWidth
            guard position < objects.count else {
                throw StartupError.unsound("the segment of leaf \(index) of \(reader.names.prefix) is too short")
            }
            return FoundEntry(index: index, leaf: leaf, object: .present(objects[position]))
        }
    }

    /// Returns the entry of one leaf, or nil if the checkpoint does not cover it.
    func entry(_ index: Int) async throws -> FoundEntry? {
        guard index >= 0, index < size else { return nil }
        return try await entries(of: index / TilePath.fullWidth) { _ in true }.first { $0.index == index }
    }

    /// Returns the leaves of a bundle with their indexes.
    func leaves(of bundle: Int) async throws -> [(Int, ArchiveLeaf)] {
        let entries: EntryBundle
        do throws(ArchiveError) {
            entries = try await reader.bundle(bundle, size: size)
        } catch { throw StartupError(error) }
        let first = bundle * TilePath.fullWidth
        // The log may have grown since the checkpoint was read.
        let count = min(entries.count, size - first)
        return try (0..<count).map { position in
            do throws(ArchiveError) {
                return (first + position, try ArchiveLeaf(bytes: Array(entries[position])))
            } catch {
                throw StartupError.unsound("leaf \(first + position) of \(reader.names.prefix): \(error.message)")
            }
        }
    }

    private enum Segment {
        case objects([[UInt8]])
        case expired
        case missing

        var absence: FoundEntry.Object {
            if case .expired = self { .expired } else { .missing }
        }
    }

    private func objects(of bundle: Int) async throws(StartupError) -> Segment {
        do throws(ArchiveError) {
            let (bytes, objects) = try await reader.segment(bundle, size: size)
            return .objects(objects.map { Array(bytes[$0]) })
        } catch {
            guard error.code == .missingObject else { throw StartupError(error) }
            return (bundle + 1) * TilePath.fullWidth <= (try await firstKept()) ? .expired : .missing
        }
    }
}

extension LogReader {
    /// Returns a scan of all leaves that the log's current checkpoint covers.
    func scan(_ logs: ArchiveLogs, _ progress: ArchiveProgress? = nil) async throws(StartupError) -> ArchiveScan {
        let found: VerifiedCheckpoint?
        do throws(ArchiveError) {
            found = try await checkpoint()
        } catch { throw StartupError(error) }
        return ArchiveScan(
            reader: self, checkpoint: found, firstKept: { () throws(StartupError) in try await logs.firstKept(names) },
            progress: { progress?.show(names, $0, found?.checkpoint.size ?? 0) })
    }
}
