internal import KafkaModel
internal import ObjectStorage
internal import TransparencyLog

/// Verifies the partial tiles and bundles of past checkpoints. Until a tile is full, all its partial versions are kept
/// (c2sp.org/tlog-tiles), and each is a prefix of the next.
struct EarlierPartials {
    let reader: LogReader
    let frontier: MerkleFrontier

    /// - Parameter sizes: the sizes of the past checkpoints.
    func findings(sizes: [Int]) async -> [Finding] {
        let present = frontier.partialTiles()
        var findings: [Finding] = []
        for tile in present {
            guard case .hashes(let level) = tile.path.content else { continue }
            let widths = Set(
                sizes.map { $0 >> (8 * level) }.filter { $0 >> 8 == tile.path.index && $0 & 255 > 0 }.map { $0 & 255 })
            for width in widths.sorted() where width <= tile.hashes.count {
                findings += await compare(
                    .hashes(level: level, index: tile.path.index, width: width), with: tile, level: level)
                guard level == 0 else { continue }
                findings += await compare(.entries(index: tile.path.index, width: width), with: tile, level: level)
            }
        }
        return findings
    }

    private func compare(_ path: TilePath, with tile: HashTile, level: Int) async -> [Finding] {
        let log = reader.names.partition
        let name = try? reader.names.tile(path)
        do throws(ArchiveError) {
            guard let name, let bytes = try await reader.bytes(name) else {
                // If the tile has become full in the meantime, its partial tiles were rightly deleted.
                let size = try await reader.presentSize()
                guard size >> (8 * (level + 1)) <= path.index else { return [] }
                return [Finding(.tampered, log, object: name, "the tile of a past checkpoint is missing")]
            }
            let hashes: [MerkleHash]
            do throws(TransparencyLogError) {
                if path.content == .entries {
                    var hasher = MerkleHasher()
                    hashes = try EntryBundle(bytes: bytes, count: path.width).leafHashes(&hasher)
                } else {
                    hashes = try HashTile(path: path, bytes: bytes).hashes
                }
            } catch { throw ArchiveError(error, reading: name) }
            let same = zip(hashes, tile.hashes).prefix { $0 == $1 }.count
            guard same < path.width else { return [] }
            let leaf = (path.index << 8 + same) << (8 * level)
            return [
                Finding(.tampered, log, object: name, leaf: leaf, "a past checkpoint's tile does not match this tree")
            ]
        } catch { return [Finding(error, log)] }
    }
}
