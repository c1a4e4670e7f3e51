internal import ArchiveFormat
internal import ArchiveLog
internal import Kafka
internal import Lifecycle
internal import TransparencyLog

/// An entry of a log with its object.
struct FoundEntry: Sendable {
    let index: Int
    let leaf: ArchiveLeaf
    /// Nil when its time was over, and it was deleted.
    let object: [UInt8]?
}

/// Reads a log from its first leaf to the end that its checkpoint has, 256 leaves at a time. Segments are read only where a
/// leaf is wanted.
struct ArchiveScan {
    let reader: LogReader
    /// Leaves that the checkpoint covers.
    let size: Int
    /// From which leaf on objects are kept.
    let firstKept: Int
    /// Told after each bundle how many leaves were looked at.
    let progress: (Int) -> Void

    /// - Parameters:
    ///   - offset: leaves up to this one are passed over.
    ///   - take: returns false when it wants no more.
    /// - Returns: whether `take` wanted all of them.
    func run(
        after offset: KafkaOffset? = nil, where isWanted: (ArchiveLeaf) -> Bool,
        take: (FoundEntry) async throws -> Bool
    ) async throws -> Bool {
        var first = 0
        if let offset {
            do throws(LogReadError) {
                // A gap, or an offset that the log does not have: everything is looked at.
                first = try await reader.index(of: offset, size: size) ?? 0
            } catch { throw StartupError(error) }
        }
        for bundle in first / TilePath.fullWidth..<max(first, size + TilePath.fullWidth - 1) / TilePath.fullWidth {
            let leaves = try await leaves(of: bundle)
            let wanted = leaves.filter { _, leaf in offset.map { leaf.position.offset > $0 } ?? true && isWanted(leaf) }
            if !wanted.isEmpty {
                let objects = try await objects(of: bundle)
                for (index, leaf) in wanted {
                    let position = index % TilePath.fullWidth
                    guard objects.map({ position < $0.count }) ?? true else {
                        throw StartupError.unsound(
                            "the segment of leaf \(index) of \(reader.names.prefix) is too short")
                    }
                    let wantsMore = try await take(FoundEntry(index: index, leaf: leaf, object: objects?[position]))
                    guard wantsMore else { return false }
                }
            }
            progress(min(size, (bundle + 1) * TilePath.fullWidth))
        }
        return true
    }

    private func leaves(of bundle: Int) async throws -> [(Int, ArchiveLeaf)] {
        let entries: EntryBundle
        do throws(LogReadError) {
            entries = try await reader.bundle(bundle, size: size)
        } catch { throw StartupError(error) }
        let first = bundle * TilePath.fullWidth
        // The log may have grown since its checkpoint was read.
        let count = min(entries.count, size - first)
        return try (0..<count).map { position in
            do throws(ArchiveFormatError) {
                return (first + position, try ArchiveLeaf(bytes: Array(entries[position])))
            } catch {
                throw StartupError.unsound("leaf \(first + position) of \(reader.names.prefix): \(error.message)")
            }
        }
    }

    /// Nil for a segment whose time was over.
    private func objects(of bundle: Int) async throws(StartupError) -> [[UInt8]]? {
        do throws(LogReadError) {
            let (bytes, objects) = try await reader.segment(bundle, size: size)
            return objects.map { Array(bytes[$0]) }
        } catch {
            guard error.code == .missing, (bundle + 1) * TilePath.fullWidth <= firstKept else {
                throw StartupError(error)
            }
            return nil
        }
    }
}

extension LogReader {
    /// Of everything under its present checkpoint.
    ///
    func scan(_ logs: ArchiveLogs, _ progress: ArchiveProgress? = nil) async throws(StartupError) -> ArchiveScan {
        let size: Int
        do throws(LogReadError) {
            size = try await checkpoint()?.checkpoint.size ?? 0
        } catch { throw StartupError(error) }
        return ArchiveScan(
            reader: self, size: size, firstKept: try await logs.firstKept(names),
            progress: { progress?.show(names, $0, size) })
    }
}
