internal import KafkaModel
package import ObjectStorage
package import TransparencyLog

/// Reads one log of the archive, even while the log's writer appends.
///
/// Partial tiles and segments are deleted once a later checkpoint has replaced them. In that case, the reader reads the
/// full object, or rereads the checkpoint and then its object.
package struct LogReader: Sendable {
    package let names: LogNames
    let store: any ObjectStore
    /// The archive's public keys; nil means that checkpoints are read without verification.
    package let verifiers: ArchiveVerifiers?

    package init(_ store: any ObjectStore, names: LogNames, verifiers: ArchiveVerifiers?) {
        self.store = store
        self.names = names
        self.verifiers = verifiers
    }

    /// Returns all logs in a store, sorted by name.
    ///
    /// - Throws: ``ArchiveError`` with code `storage`.
    package static func logs(in store: any ObjectStore) async throws(ArchiveError) -> [LogNames] {
        do throws(ObjectStoreError) {
            var logs: [LogNames] = []
            for topic in try await store.folders(in: nil) {
                logs += try await store.folders(in: topic).compactMap { LogNames(folder: $0) }
            }
            return logs.sorted {
                ($0.partition.topic.rawValue, $0.partition.partition)
                    < ($1.partition.topic.rawValue, $1.partition.partition)
            }
        } catch { throw ArchiveError(error, reading: nil) }
    }

    /// Returns the newest checkpoint, or nil if the log has none.
    ///
    /// - Throws: ``ArchiveError``.
    package func checkpoint() async throws(ArchiveError) -> VerifiedCheckpoint? {
        let name = try name { () throws(ObjectStoreError) in try names.checkpoint() }
        return try await checkpoint(name)
    }

    /// Returns the past checkpoint with a given size, or nil if no copy of it exists.
    ///
    /// - Parameter origin: the log's origin, if known. A copy with any other origin is malformed.
    /// - Throws: ``ArchiveError``.
    package func checkpoint(size: Int, of origin: String? = nil) async throws(ArchiveError) -> VerifiedCheckpoint? {
        let name = try name { () throws(ObjectStoreError) in try names.checkpoint(size: size) }
        return try await checkpoint(name, of: origin)
    }

    /// Returns the names of the newest checkpoint, even if it does not exist, and of all copies.
    ///
    /// - Throws: ``ArchiveError`` with code `storage`.
    package func checkpointNames() async throws(ArchiveError) -> [ObjectName] {
        do throws(ObjectStoreError) {
            var found = [try names.checkpoint()]
            while true {
                let after = found.count > 1 ? found.last : nil
                let page = try await store.list(names.checkpoints(), after: after, limit: 1000)
                found += page.map(\.name)
                guard page.count == 1000 else { return found }
            }
        } catch { throw ArchiveError(error, reading: nil) }
    }

    /// Returns each witness's newest cosigned checkpoint with the name of the witness's key. No signature is verified.
    ///
    /// - Throws: ``ArchiveError``.
    package func cosigned() async throws(ArchiveError) -> [(witness: String, checkpoint: Checkpoint, note: SignedNote)]
    {
        let folder = try name { () throws(ObjectStoreError) in try names.cosigned() }
        let listed: [ListedObject]
        do throws(ObjectStoreError) {
            listed = try await store.list(folder, after: nil, limit: 100)
        } catch { throw ArchiveError(error, reading: folder) }
        var found: [(witness: String, checkpoint: Checkpoint, note: SignedNote)] = []
        for object in listed {
            guard let id = object.name.components.last.flatMap({ UInt32($0, radix: 16) }),
                let bytes = try await bytes(object.name), let note = try? SignedNote(bytes: bytes),
                let checkpoint = try? Checkpoint(text: note.text),
                let signature = note.signatures.first(where: { $0.keyID == id })
            else { continue }
            found.append((signature.name, checkpoint, note))
        }
        return found
    }

    /// Returns the tree size of the current checkpoint; 0 if the checkpoint cannot be used.
    ///
    /// - Throws: ``ArchiveError`` with code `storage`.
    func presentSize() async throws(ArchiveError) -> Int { try await presentCheckpoint()?.size ?? 0 }

    private func presentCheckpoint() async throws(ArchiveError) -> Checkpoint? {
        do throws(ArchiveError) {
            return try await checkpoint()?.checkpoint
        } catch {
            guard error.code != .storage else { throw error }
            return nil
        }
    }

    private func checkpoint(
        _ name: ObjectName, of origin: String? = nil
    ) async throws(ArchiveError) -> VerifiedCheckpoint? {
        guard let bytes = try await bytes(name) else { return nil }
        let note: SignedNote
        do throws(TransparencyLogError) {
            note = try SignedNote(bytes: bytes)
        } catch { throw ArchiveError(error, reading: name) }
        do throws(ArchiveError) {
            let found = try VerifiedCheckpoint(note, of: origin, verifiers: verifiers)
            // The archive's origin may be unknown at this point, so compare only the part after it.
            guard
                found.checkpoint.origin.utf8.suffix(names.prefix.text.utf8.count + 1)
                    .elementsEqual("/\(names.prefix)".utf8)
            else { throw ArchiveError(.corruptObject, "a checkpoint of a different log: \(found.checkpoint.origin)") }
            return found
        } catch { throw ArchiveError(error.code, error.message, object: name) }
    }

    /// Returns the entries of a bundle in a tree of `size` leaves, plus later entries if the log has grown since then.
    ///
    /// - Throws: ``ArchiveError``.
    package func bundle(_ index: Int, size: Int) async throws(ArchiveError) -> EntryBundle {
        let (bytes, width, name) = try await object(index: index, level: 0, size: size) {
            (width) throws(ObjectStoreError) in try names.tile(.entries(index: index, width: width))
        }
        do throws(TransparencyLogError) {
            return try EntryBundle(bytes: bytes, count: width)
        } catch { throw ArchiveError(error, reading: name) }
    }

    /// Returns the segment for a bundle in a tree of `size` leaves, with the ranges of its objects.
    ///
    /// - Throws: ``ArchiveError``.
    package func segment(_ index: Int, size: Int) async throws(ArchiveError) -> (bytes: [UInt8], objects: [Range<Int>])
    {
        let (bytes, width, name) = try await segmentBytes(index, size: size)
        let objects: [Range<Int>]
        do throws(ArchiveError) {
            objects = try ArchiveSegment.objects(in: bytes)
        } catch { throw ArchiveError(.corruptObject, error.message, object: name) }
        guard objects.count == width else {
            throw ArchiveError(.corruptObject, "the segment has \(objects.count) objects, not \(width)", object: name)
        }
        return (bytes, objects)
    }

    /// Returns the bytes of a segment in a tree of `size` leaves, and the expected number of objects.
    func segmentBytes(
        _ index: Int, size: Int
    ) async throws(ArchiveError) -> (bytes: [UInt8], width: Int, name: ObjectName) {
        try await object(index: index, level: 0, size: size) { (width) throws(ObjectStoreError) in
            try names.segment(index: index, width: width)
        }
    }

    /// Returns a hash tile from a tree of `size` leaves, or a wider tile if the log has grown since then.
    func tile(level: Int, index: Int, size: Int) async throws(ArchiveError) -> HashTile {
        let (bytes, width, name) = try await object(index: index, level: level, size: size) {
            (width) throws(ObjectStoreError) in try names.tile(.hashes(level: level, index: index, width: width))
        }
        do throws(TransparencyLogError) {
            return try HashTile(path: .hashes(level: level, index: index, width: width), bytes: bytes)
        } catch { throw ArchiveError(error, reading: name) }
    }

    /// Reads the object at an index in a tree of `size` leaves: the partial object, the full object, or a newer
    /// checkpoint's object.
    private func object(
        index: Int, level: Int, size: Int, name: (Int) throws(ObjectStoreError) -> ObjectName
    ) async throws(ArchiveError) -> (bytes: [UInt8], width: Int, name: ObjectName) {
        var size = size
        var first: ObjectName?
        /// The checkpoint whose staged objects were searched last.
        var searched: Checkpoint?
        // The loop terminates: each newer checkpoint has more leaves, and a full tile is never deleted.
        while true {
            let width = min(TilePath.fullWidth, size >> (8 * level) - index << 8)
            guard index >= 0, width > 0 else {
                throw ArchiveError(.noLeaf, "a tree of \(size) leaves has no tile \(index) at level \(level)")
            }
            var candidates: [ObjectName] = []
            for width in Set([width, TilePath.fullWidth]).sorted() {
                let name = try self.name { () throws(ObjectStoreError) in try name(width) }
                first = first ?? name
                candidates.append(name)
                if let bytes = try await bytes(name) { return (bytes, width, name) }
            }
            guard width < TilePath.fullWidth || !store.hasLocks, let newest = try await presentCheckpoint() else {
                break
            }
            if newest.size > size {
                size = newest.size
                continue
            }
            if let found = try await staged(candidates, of: newest) {
                return (found.bytes, found.name == candidates.first ? width : TilePath.fullWidth, found.name)
            }
            // If the commit has been finished in the meantime, its objects are now under their own names, so search
            // again.
            guard !store.hasLocks, newest != searched else { break }
            searched = newest
        }
        throw ArchiveError(.missingObject, "the object is missing", object: first)
    }

    func bytes(_ name: ObjectName) async throws(ArchiveError) -> [UInt8]? {
        do throws(ObjectStoreError) {
            return try await store.read(name)?.bytes
        } catch { throw ArchiveError(error, reading: name) }
    }

    func name(_ make: () throws(ObjectStoreError) -> ObjectName) throws(ArchiveError) -> ObjectName {
        do throws(ObjectStoreError) {
            return try make()
        } catch { throw ArchiveError(error, reading: nil) }
    }
}
