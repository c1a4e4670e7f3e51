package import ArchiveFormat
package import KafkaModel
internal import ObjectStorage
package import TransparencyLog

extension LogReader {
    /// A leaf by its index, as the bytes that the tree has and as the values in them.
    ///
    /// - Parameter size: leaves that the checkpoint covers.
    /// - Throws: ``LogReadError``: `noLeaf` when the checkpoint does not cover it.
    package func leaf(_ index: Int, size: Int) async throws(LogReadError) -> (bytes: [UInt8], leaf: ArchiveLeaf) {
        guard index >= 0, index < size else {
            throw LogReadError(.noLeaf, "the log has \(size) leaves, and no leaf \(index)")
        }
        let bundle = try await bundle(index / TilePath.fullWidth, size: size)
        let position = index % TilePath.fullWidth
        guard position < bundle.count else {
            throw LogReadError(.malformed, "the entries end before leaf \(index)")
        }
        let bytes = Array(bundle[position])
        do throws(ArchiveFormatError) {
            return (bytes, try ArchiveLeaf(bytes: bytes))
        } catch { throw LogReadError(.malformed, "leaf \(index): \(error.message)") }
    }

    /// The object of a leaf, as its segment has it; whether it is what the leaf says is the caller's question.
    ///
    /// - Throws: ``LogReadError``: `missing` when the segment was removed, or its time is over.
    package func object(_ index: Int, size: Int) async throws(LogReadError) -> [UInt8] {
        guard index >= 0, index < size else {
            throw LogReadError(.noLeaf, "the log has \(size) leaves, and no leaf \(index)")
        }
        let (bytes, objects) = try await segment(index / TilePath.fullWidth, size: size)
        return Array(bytes[objects[index % TilePath.fullWidth]])
    }

    /// The leaf of a Kafka offset, or the gap that the offset is in; nil when the log has neither.
    ///
    /// Offsets grow with the leaves, so half of the rest is left out with each leaf that is read.
    ///
    /// - Throws: ``LogReadError``.
    package func index(
        of offset: KafkaOffset, size: Int
    ) async throws(LogReadError) -> Int? {
        var (low, high) = (0, size)
        while low < high {
            let middle = low + (high - low) / 2
            let found = try await leaf(middle, size: size).leaf.position.offset
            if found <= offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let position = try await leaf(low - 1, size: size).leaf.position
        return position.offset == offset || position.kind == .gap ? low - 1 : nil
    }

    /// That the first `size` leaves of the log have a leaf, with the checkpoint that says so.
    ///
    /// - Throws: ``LogReadError``.
    package func proof(
        ofLeaf index: Int, in checkpoint: VerifiedCheckpoint, extra: [UInt8]? = nil
    ) async throws(LogReadError) -> TlogProof {
        do {
            let tiles = LogTiles(reader: self, size: checkpoint.checkpoint.size)
            let inclusion = try await InclusionProof.make(index: index, size: checkpoint.checkpoint.size, from: tiles)
            return TlogProof(extra: extra, inclusion: inclusion, note: checkpoint.note)
        } catch let error as LogReadError {
            throw error
        } catch {
            throw LogReadError(.malformed, "\(error)")
        }
    }
}

/// The hash tiles of a log, for proofs in its tree of a size.
package struct LogTiles: TileSource {
    private let reader: LogReader
    private let size: Int

    package init(reader: LogReader, size: Int) {
        self.reader = reader
        self.size = size
    }

    /// - Throws: ``LogReadError``.
    package func hashes(of tile: TilePath) async throws -> [MerkleHash] {
        guard case .hashes(let level) = tile.content else { return [] }
        return try await reader.tile(level: level, index: tile.index, size: size).hashes
    }
}
