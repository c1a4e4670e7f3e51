package import KafkaModel
internal import ObjectStorage
package import TransparencyLog

extension LogReader {
    /// Returns the leaf at an index, as bytes and parsed.
    ///
    /// - Parameter size: the number of leaves that the checkpoint covers.
    /// - Throws: ``ArchiveError``: `noLeaf` if there is no leaf at the index.
    package func leaf(_ index: Int, size: Int) async throws(ArchiveError) -> (bytes: [UInt8], leaf: ArchiveLeaf) {
        guard index >= 0, index < size else {
            throw ArchiveError(.noLeaf, "the log has only \(size) leaves; there is no leaf \(index)")
        }
        let bundle = try await bundle(index / TilePath.fullWidth, size: size)
        let position = index % TilePath.fullWidth
        guard position < bundle.count else {
            throw ArchiveError(.corruptObject, "the entries end before leaf \(index)")
        }
        let bytes = Array(bundle[position])
        do throws(ArchiveError) {
            return (bytes, try ArchiveLeaf(bytes: bytes))
        } catch { throw ArchiveError(.corruptObject, "leaf \(index): \(error.message)") }
    }

    /// Returns a leaf's object as stored in its segment. The caller must compare it with the leaf.
    ///
    /// - Throws: ``ArchiveError``: `missingObject` if the segment was removed or its retention period has ended.
    package func object(_ index: Int, size: Int) async throws(ArchiveError) -> [UInt8] {
        guard index >= 0, index < size else {
            throw ArchiveError(.noLeaf, "the log has only \(size) leaves; there is no leaf \(index)")
        }
        let (bytes, objects) = try await segment(index / TilePath.fullWidth, size: size)
        return Array(bytes[objects[index % TilePath.fullWidth]])
    }

    /// Returns the index of the leaf for a Kafka offset or for the gap that contains it, or nil if the log has neither.
    ///
    /// Uses a binary search, because the offsets of the leaves are in ascending order. The end of a gap is read from
    /// its object. If the object is missing, the gap is assumed to end at the next leaf, or after its first offset if
    /// it is the last leaf.
    ///
    /// - Throws: ``ArchiveError``.
    package func index(
        of offset: KafkaOffset, size: Int
    ) async throws(ArchiveError) -> Int? {
        var (low, high) = (0, size)
        while low < high {
            let middle = low + (high - low) / 2
            let found = try await leaf(middle, size: size).leaf.position.offset
            if found <= offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let last = try await leaf(low - 1, size: size).leaf
        if last.position.offset == offset { return low - 1 }
        guard last.position.kind == .gap else { return nil }
        let object: [UInt8]
        do throws(ArchiveError) {
            object = try await self.object(low - 1, size: size)
        } catch {
            guard error.code == .missingObject else { throw error }
            return low < size ? low - 1 : nil
        }
        guard case .gap(let gap) = try ArchiveObject.open(object, of: last) else { return nil }
        return offset < gap.nextOffset ? low - 1 : nil
    }

    /// Returns a proof that the checkpoint covers a leaf. The proof includes the checkpoint.
    ///
    /// - Throws: ``ArchiveError``.
    package func proof(
        ofLeaf index: Int, in checkpoint: VerifiedCheckpoint, extra: [UInt8]? = nil
    ) async throws(ArchiveError) -> TlogProof {
        do {
            let tiles = LogTiles(reader: self, size: checkpoint.checkpoint.size)
            let inclusion = try await InclusionProof.make(index: index, size: checkpoint.checkpoint.size, from: tiles)
            return TlogProof(extra: extra, inclusion: inclusion, note: checkpoint.note)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError(.corruptObject, "\(error)")
        }
    }
}

/// The hash tiles of a log, used to create proofs for the log's tree at a given size.
package struct LogTiles: TileSource {
    private let reader: LogReader
    private let size: Int

    package init(reader: LogReader, size: Int) {
        self.reader = reader
        self.size = size
    }

    /// - Throws: ``ArchiveError``.
    package func hashes(of tile: TilePath) async throws -> [MerkleHash] {
        guard case .hashes(let level) = tile.content else { return [] }
        return try await reader.tile(level: level, index: tile.index, size: size).hashes
    }
}
