package import ArchiveFormat
package import ObjectStorage
internal import TransparencyLog

/// Deletes the segments of a log whose time is over. Leaves, entries and hash tiles stay, so the log remains provable; a
/// signed text says from which leaf on the objects are kept, so that a segment removed by somebody else is noticed.
package struct LogPruning: Sendable {
    private static let pageSize = 1000

    private let store: any ObjectStore
    private let names: LogNames
    private let signer: CheckpointSigner

    package init(_ store: any ObjectStore, names: LogNames, signer: CheckpointSigner) {
        self.store = store
        self.names = names
        self.signer = signer
    }

    /// Deletes every full segment all of whose records were archived before an instant, but for those that are held.
    ///
    /// - Parameters:
    ///   - cutoff: milliseconds since 1970.
    ///   - size: leaves that the checkpoint covers.
    ///   - isHeld: whether one of these leaves is to be kept, for a legal hold.
    /// - Returns: how many segments were deleted.
    package func prune(
        archivedBefore cutoff: Int64, size: Int, isHeld: ([ArchiveLeaf]) async throws -> Bool
    ) async throws(LogError) -> Int {
        do {
            let found = try await store.read(names.retention())
            let present = try found.map { try retention(in: $0.bytes) }?.minimum ?? 0
            var minimum = present
            while minimum + TilePath.fullWidth <= size {
                guard let last = try await leaves(ofSegment: minimum / TilePath.fullWidth).last,
                    last.archivedAtMilliseconds < cutoff
                else { break }
                minimum += TilePath.fullWidth
            }
            if minimum > present {
                let next = try signer.sign(Retention(origin: names.origin(archive: signer.archive), minimum: minimum))
                // Said before it is done: a segment that is gone without it would be taken for removed.
                _ = try await store.replace(names.retention(), next.bytes, expected: found?.version)
            }
            return minimum > 0 ? try await delete(before: minimum, isHeld) : 0
        } catch {
            throw LogError(error, reading: names)
        }
    }

    private func retention(in bytes: [UInt8]) throws -> Retention {
        let note = try SignedNote(bytes: bytes)
        let origin = names.origin(archive: signer.archive)
        _ = try note.verified(by: signer.verifiers().keys(of: origin))
        guard let retention = Retention(text: note.text), retention.origin == origin else {
            throw LogError.damaged(names, "its retention is not one of this log")
        }
        return retention
    }

    /// Those before the minimum that are still there: the ones whose time is over now, and those of holds that ended.
    private func delete(before minimum: Int, _ isHeld: ([ArchiveLeaf]) async throws -> Bool) async throws -> Int {
        let folder = try names.prefix.appending("segments")
        var count = 0
        var last: ObjectName?
        while true {
            let page = try await store.list(folder, after: last, limit: Self.pageSize)
            for object in page {
                guard case .segment(let index, TilePath.fullWidth) = names.content(object.name),
                    index < minimum / TilePath.fullWidth
                else { continue }
                if try await isHeld(leaves(ofSegment: index)) { continue }
                try await store.delete(object.name)
                count += 1
            }
            guard page.count == Self.pageSize, let name = page.last?.name else { return count }
            last = name
        }
    }

    private func leaves(ofSegment index: Int) async throws -> [ArchiveLeaf] {
        let name = try names.tile(.entries(index: index))
        guard let found = try await store.read(name) else { throw LogError.damaged(names, "\(name) is missing") }
        let bundle = try EntryBundle(bytes: found.bytes, count: TilePath.fullWidth)
        return try (0..<bundle.count).map { try ArchiveLeaf(bytes: Array(bundle[$0])) }
    }
}
