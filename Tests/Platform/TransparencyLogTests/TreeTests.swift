import Cryptography
import TestSupport
import Testing
import TransparencyLog

@Suite("The tree of RFC 6962") struct TreeTests {
    /// Leaves and roots published by Certificate Transparency, for sizes 0 to 8.
    static let leaves = [
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
    ]
    static let roots = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]

    static let reference = TestLog(entries: leaves.compactMap { HexText.decode($0) })

    private func hash(_ hex: String) throws -> MerkleHash {
        try #require(HexText.decode(hex).flatMap { MerkleHash(bytes: $0) })
    }

    @Test func `the roots equal those published by Certificate Transparency`() {
        #expect(Self.reference.roots.map { HexText.encode($0.bytes) } == Self.roots)
    }

    @Test func `a proof that is too short does not prove that a node is a leaf`() {
        let (left, right) = (MerkleHash.leaf([1]), MerkleHash.leaf([2]))
        let root = MerkleHash.node(left, right)
        #expect(InclusionProof(index: 0, hashes: [right]).proves(left, size: 2, root: root))
        #expect(!InclusionProof(index: 0, hashes: []).proves(root, size: 2, root: root))
    }

    @Test func `the inclusion proofs equal the published ones and verify`() async throws {
        let published = [
            0: [
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ],
            5: [
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ]
        for (index, hashes) in published {
            let proof = try await InclusionProof.make(index: index, size: 8, from: Self.reference)
            #expect(try proof.hashes == hashes.map(hash))
            #expect(proof.proves(.leaf(Self.reference.entries[index]), size: 8, root: Self.reference.roots[8]))
        }
    }

    @Test func `the consistency proofs equal the published ones and verify`() async throws {
        let proof = try await ConsistencyProof.make(old: 6, new: 8, from: Self.reference)
        #expect(
            try proof.hashes
                == [
                    "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
                ].map(hash))
        let (old, new) = (Self.reference.roots[6], Self.reference.roots[8])
        #expect(proof.proves(oldSize: 6, oldRoot: old, newSize: 8, newRoot: new))
    }

    @Test func `the root of a growing tree equals the RFC's recursive definition at every size`() {
        let log = TestLog(count: 300)
        for size in 0...300 { #expect(log.roots[size] == TestLog.root(of: log.entries[..<size])) }
    }

    @Test func `every leaf and nothing else can be proved in trees of every size`() async throws {
        let log = TestLog(count: 40)
        for size in 1...40 {
            for index in 0..<size {
                let proof = try await InclusionProof.make(index: index, size: size, from: log)
                let leaf = MerkleHash.leaf(log.entries[index])
                #expect(proof.proves(leaf, size: size, root: log.roots[size]))
                #expect(!proof.proves(.leaf([1, 2, 3, 4, 5, 6]), size: size, root: log.roots[size]))
                #expect(!proof.proves(leaf, size: size, root: log.roots[size - 1]))
                #expect(!proof.proves(leaf, size: 0, root: log.roots[size]))
                #expect(
                    !InclusionProof(index: index, hashes: proof.hashes + [leaf])
                        .proves(leaf, size: size, root: log.roots[size]))
                #expect(
                    size == 1
                        || !InclusionProof(index: index, hashes: Array(proof.hashes.dropLast()))
                            .proves(leaf, size: size, root: log.roots[size])
                )
            }
        }
    }

    @Test func `every tree is proved to extend every smaller one, and no other`() async throws {
        let log = TestLog(count: 40)
        for new in 0...40 {
            for old in 0...new {
                let proof = try await ConsistencyProof.make(old: old, new: new, from: log)
                let (before, after) = (log.roots[old], log.roots[new])
                #expect(proof.proves(oldSize: old, oldRoot: before, newSize: new, newRoot: after))
                #expect(!proof.proves(oldSize: old, oldRoot: .leaf([9]), newSize: new, newRoot: after))
                #expect(old == 0 || !proof.proves(oldSize: old, oldRoot: before, newSize: new, newRoot: .leaf([9])))
                #expect(
                    !ConsistencyProof(hashes: proof.hashes + [after])
                        .proves(oldSize: old, oldRoot: before, newSize: new, newRoot: after))
            }
        }
    }

    @Test func `proofs over several levels of tiles verify`() async throws {
        let log = TestLog(count: 66_000)
        for (index, size) in [(0, 66_000), (65_535, 65_536), (65_536, 66_000), (300, 65_900), (65_999, 66_000)] {
            let proof = try await InclusionProof.make(index: index, size: size, from: log)
            #expect(proof.proves(.leaf(log.entries[index]), size: size, root: log.roots[size]))
        }
        for (old, new) in [(1, 66_000), (255, 256), (256, 65_537), (65_536, 66_000), (65_535, 65_536)] {
            let proof = try await ConsistencyProof.make(old: old, new: new, from: log)
            #expect(proof.proves(oldSize: old, oldRoot: log.roots[old], newSize: new, newRoot: log.roots[new]))
        }
    }

    @Test func `a frontier restored from tiles continues like the tree itself`() throws {
        var log = TestLog(count: 65_700)
        for size in [0, 1, 2, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 65_700] {
            let tiles = TilePath.partialTiles(ofSize: size).compactMap { log.tiles[$0.text] }
            var frontier = try MerkleFrontier(size: size, tiles: tiles)
            #expect(frontier.root == log.roots[size])
            guard size < 65_700 else { continue }
            frontier.append(.leaf(log.entries[size]))
            #expect(frontier.root == log.roots[size + 1])
            for tile in frontier.takeFinishedTiles() + frontier.partialTiles() {
                #expect(log.tiles[tile.path.text] == tile)
            }
        }
        log.append([1])
        #expect(throws: TransparencyLogError.self) {
            try MerkleFrontier(size: 300, tiles: [log.frontier.partialTiles()[0]])
        }
    }

    @Test func `there are no proofs for leaves outside a tree`() async {
        for (index, size) in [(0, 0), (3, 3), (-1, 3), (Int.max, 3)] {
            await #expect(throws: TransparencyLogError.self) {
                try await InclusionProof.make(index: index, size: size, from: Self.reference)
            }
            #expect(!InclusionProof(index: index, hashes: []).proves(.leaf([]), size: size, root: .leaf([])))
        }
        for (old, new) in [(4, 3), (-1, 3)] {
            await #expect(throws: TransparencyLogError.self) {
                try await ConsistencyProof.make(old: old, new: new, from: Self.reference)
            }
        }
    }

    @Test func `hostile proofs are rejected and never trap`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let sizes = [0, 1, 2, 3, 8, 255, 1 << 40, Int.max - 1, Int.max]
            let (index, size) = (
                sizes.randomElement(using: &generator) ?? 0, sizes.randomElement(using: &generator) ?? 0
            )
            let hashes = (0..<Int.random(in: 0...70, using: &generator)).map { MerkleHash.leaf([UInt8($0)]) }
            #expect(
                !InclusionProof(index: index, hashes: hashes).proves(.leaf([7, 7]), size: size, root: .leaf([8, 8])))
            let proof = ConsistencyProof(hashes: hashes)
            let claimed = proof.proves(oldSize: index, oldRoot: .leaf([7, 7]), newSize: size, newRoot: .leaf([8, 8]))
            #expect(!claimed)
        }
    }
}
