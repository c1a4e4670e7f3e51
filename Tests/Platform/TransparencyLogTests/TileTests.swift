import TestSupport
import Testing
import TransparencyLog

@Suite("Tiles and entry bundles") struct TileTests {
    @Test(
        arguments: [
            (TilePath.hashes(level: 0, index: 0), "tile/0/000"),
            (.hashes(level: 0, index: 1_234_067), "tile/0/x001/x234/067"),
            (.hashes(level: 3, index: 273, width: 112), "tile/3/273.p/112"),
            (.entries(index: 1000, width: 1), "tile/entries/x001/000.p/1"),
            (.entries(index: 67), "tile/entries/067"),
        ] as [(TilePath, String)])
    func `a path is formatted and parsed as specified`(path: TilePath, text: String) {
        #expect(path.text == text)
        #expect(TilePath(text: text) == path)
    }

    @Test(
        arguments: [
            "", "tile", "tile/", "tile/0", "tile/0/", "tile/0/00", "tile/0/0000", "tile/00/000", "tile/64/000",
            "tile/-1/000", "tile/0/x000/001", "tile/0/001/002", "tile/0/x001/x002", "tile/0/000.p/0",
            "tile/0/000.p/256",
            "tile/0/000.p/01", "tile/0/000.p/", "tile/0/000.p", "tile/0/000/", "/tile/0/000", "tile/0/00a",
            "tile/entries/x999/x999/x999/x999/x999/x999/999", "tile/0/x9/999", "tile/0/000.p/1/2", "tile/0/٠٠٠",
        ])
    func `other texts are not paths`(text: String) {
        #expect(TilePath(text: text) == nil)
    }

    @Test func `the tiles of 70,000 leaves match the example in the specification`() {
        #expect(TilePath.count(level: 0, size: 70_000) == (273, 112))
        #expect(TilePath.count(level: 1, size: 70_000) == (1, 17))
        #expect(TilePath.count(level: 2, size: 70_000) == (0, 1))
        #expect(
            TilePath.partialTiles(ofSize: 70_000).map(\.text)
                == ["tile/0/273.p/112", "tile/1/001.p/17", "tile/2/000.p/1"])
        #expect(TilePath.partialTiles(ofSize: 256).map(\.text) == ["tile/1/000.p/1"])
        #expect(TilePath.partialTiles(ofSize: 0).isEmpty)
    }

    @Test(arguments: [(0, 0), (1, 1), (256, 1), (257, 2), (Int.max, 1 << 55)])
    func `every full or partial group of 256 leaves has an entry bundle`(size: Int, bundles: Int) {
        #expect(TilePath.bundleCount(size: size) == bundles)
    }

    @Test func `a tile consists of its hashes of 32 bytes each`() throws {
        let path = TilePath.hashes(level: 0, index: 0, width: 3)
        let tile = HashTile(path: path, hashes: [.leaf([1]), .leaf([2]), .leaf([3])])
        #expect(tile.bytes == MerkleHash.leaf([1]).bytes + MerkleHash.leaf([2]).bytes + MerkleHash.leaf([3]).bytes)
        #expect(try HashTile(path: path, bytes: tile.bytes) == tile)
        for count in [0, 32, 95, 97, 128] {
            #expect(throws: TransparencyLogError.self) {
                try HashTile(path: path, bytes: [UInt8](repeating: 0, count: count))
            }
        }
    }

    @Test func `a bundle consists of its entries, each prefixed with its length`() throws {
        let entries = [[], [1], [UInt8](repeating: 7, count: 300), [UInt8](repeating: 8, count: 65_535)]
        let bundle = try EntryBundle(entries: entries)
        #expect(bundle.bytes.prefix(8) == [0, 0, 0, 1, 1, 1, 0x2C, 7])
        let read = try EntryBundle(bytes: bundle.bytes, count: 4)
        #expect((0..<read.count).map { Array(read[$0]) } == entries)
        var hasher = MerkleHasher()
        #expect(read.leafHashes(&hasher) == entries.map { MerkleHash.leaf($0) })
        #expect(throws: TransparencyLogError.self) { try EntryBundle(bytes: bundle.bytes, count: 3) }
        #expect(throws: TransparencyLogError.self) { try EntryBundle(entries: []) }
        #expect(throws: TransparencyLogError.self) { try EntryBundle(entries: [[UInt8](repeating: 0, count: 65_536)]) }
        #expect(throws: TransparencyLogError.self) { try EntryBundle(entries: .init(repeating: [], count: 257)) }
    }

    @Test func `a bundle truncated anywhere but between entries is refused`() throws {
        let bytes = try EntryBundle(entries: [[1, 2], [], [3]]).bytes
        for count in 0...bytes.count {
            let entries = [4: 1, 6: 2, 9: 3][count]
            let read = try? EntryBundle(bytes: Array(bytes[..<count]))
            #expect(read?.count == entries)
        }
        #expect((try? EntryBundle(bytes: [UInt8](repeating: 0, count: 514))) == nil)
    }

    @Test func `a frontier returns each full tile once, in the order in which they fill up`() {
        var frontier = MerkleFrontier()
        var given: [String] = []
        for leaf in 0..<65_537 {
            frontier.append(.leaf([UInt8(truncatingIfNeeded: leaf)]))
            given += frontier.takeFinishedTiles().map(\.path.text)
        }
        #expect(given == (0..<256).map { "tile/0/\(TilePath.text(number: $0))" } + ["tile/1/000"])
        #expect(frontier.partialTiles().map(\.path) == TilePath.partialTiles(ofSize: 65_537))
    }
}
