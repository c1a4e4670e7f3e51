internal import ObjectStorage
package import TransparencyLog

extension LogReader {
    /// Returns the log's newest cosigned checkpoint with all its cosignatures, or nil if there is none. Cosignatures
    /// are not verified. The log's signatures are verified if keys were given.
    ///
    /// - Throws: ``ArchiveError`` with code `storage`.
    package func newestCosigned() async throws(ArchiveError) -> VerifiedCheckpoint? {
        let folder = try name { () throws(ObjectStoreError) in try names.cosigned() }
        var newest: VerifiedCheckpoint?
        do throws(ObjectStoreError) {
            for object in try await store.list(folder, after: nil, limit: 100) {
                guard let bytes = try await store.read(object.name)?.bytes, let note = try? SignedNote(bytes: bytes),
                    let found = try? VerifiedCheckpoint(note, of: nil, verifiers: verifiers),
                    found.checkpoint.origin.utf8.suffix(names.prefix.text.utf8.count + 1)
                        .elementsEqual("/\(names.prefix)".utf8)
                else { continue }
                guard let present = newest, present.checkpoint.size >= found.checkpoint.size else {
                    newest = found
                    continue
                }
                guard present.checkpoint == found.checkpoint else { continue }
                var merged = present.note
                for signature in note.signatures { merged.add(signature) }
                newest = (try? VerifiedCheckpoint(merged, of: nil, verifiers: verifiers)) ?? present
            }
        } catch { throw ArchiveError(error, reading: folder) }
        return newest
    }

    /// Finds another log's newest checkpoint in this checkpoint log. Returns nil if that checkpoint does not cover
    /// `leaf`.
    ///
    /// - Parameters:
    ///   - origin: the origin of the other log.
    ///   - leaf: the index of the leaf that the checkpoint must cover.
    ///   - size: the number of leaves in this log. The search starts at the last leaf.
    /// - Returns: the checkpoint and the index of its leaf in this log, or nil if there is no such checkpoint.
    /// - Throws: ``ArchiveError``.
    package func loggedCheckpoint(
        of origin: String, covering leaf: Int, size: Int
    ) async throws(ArchiveError) -> (index: Int, checkpoint: Checkpoint)? {
        for bundle in (0..<TilePath.bundleCount(size: size)).reversed() {
            let entries = try await self.bundle(bundle, size: size)
            let first = bundle * TilePath.fullWidth
            for position in (0..<min(entries.count, size - first)).reversed() {
                guard let found = LoggedCheckpoints.checkpoint(in: entries[position]),
                    KeyName.areEqual(found.origin, origin)
                else { continue }
                return found.size > leaf ? (first + position, found) : nil
            }
        }
        return nil
    }
}
