internal import Cryptography

/// Hashes leaves and nodes one after another without an allocation for each. Must not be shared between threads.
package struct MerkleHasher: ~Copyable {
    private var digest = SHA256()
    // 0x01 and two hashes, stored contiguously so that a node is hashed in one update. Owned; freed in deinit.
    private let node: UnsafeMutableRawBufferPointer

    package init() {
        node = .allocate(byteCount: 1 + 2 * MerkleHash.byteCount, alignment: 1)
        node[0] = 1
    }

    deinit {
        node.deallocate()
    }

    /// Returns the SHA-256 digest of 0x00 and the entry (RFC 6962 section 2.1).
    package mutating func leaf(_ entry: UnsafeRawBufferPointer) -> MerkleHash {
        withUnsafeBytes(of: UInt8(0)) { digest.update($0) }
        digest.update(entry)
        return finish()
    }

    /// Returns the SHA-256 digest of 0x00 and the entry (RFC 6962 section 2.1).
    package mutating func leaf(_ entry: [UInt8]) -> MerkleHash {
        withUnsafeBytes(of: UInt8(0)) { digest.update($0) }
        digest.update(entry)
        return finish()
    }

    /// Returns the SHA-256 digest of 0x01 and both hashes (RFC 6962 section 2.1).
    package mutating func node(_ left: MerkleHash, _ right: MerkleHash) -> MerkleHash {
        node.storeBytes(of: left, toByteOffset: 1, as: MerkleHash.self)
        node.storeBytes(of: right, toByteOffset: 1 + MerkleHash.byteCount, as: MerkleHash.self)
        digest.update(UnsafeRawBufferPointer(node))
        return finish()
    }

    /// Returns the root above subtrees of equal height. `hashes` are the hashes of the subtrees, such as the content of
    /// a full tile. Their number must be a power of two.
    mutating func root(ofPerfect hashes: ArraySlice<MerkleHash>) -> MerkleHash {
        var row = Array(hashes)
        while row.count > 1 {
            for pair in 0..<(row.count / 2) { row[pair] = node(row[2 * pair], row[2 * pair + 1]) }
            row.removeLast(row.count - row.count / 2)
        }
        return row.first ?? emptyTree()
    }

    mutating func emptyTree() -> MerkleHash { finish() }

    private mutating func finish() -> MerkleHash {
        MerkleHash { out in digest.finish(into: out) }
    }
}
