internal import Cryptography
internal import Primitives

/// The hash of a leaf, a node or a whole tree: SHA-256 as in RFC 6962 section 2.1, stored inline without an allocation.
package struct MerkleHash: Hashable, Sendable {
    /// The size in bytes: always 32.
    package static let byteCount = 32

    // The hash's bytes in memory order, so that an array of hashes has the layout of a tile's content.
    private var a: UInt64 = 0
    private var b: UInt64 = 0
    private var c: UInt64 = 0
    private var d: UInt64 = 0

    /// Creates a hash from the 32 bytes that `fill` writes.
    init(filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        withUnsafeMutableBytes(of: &self) { fill($0) }
    }

    /// Creates a hash from its 32 bytes. Returns nil for any other length.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init { $0.copyMemory(from: bytes) }
    }

    /// Creates a hash from its 32 bytes. Returns nil for any other length.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init { out in bytes.withUnsafeBytes { out.copyMemory(from: $0) } }
    }

    /// Decodes a hash from padded base64 (RFC 4648 section 4). Returns nil for any other text.
    package init?(base64 text: some Sequence<UInt8>) {
        guard let bytes = try? Base64.decode(Array(text)) else { return nil }
        self.init(bytes: bytes)
    }

    /// The root of the empty tree: the SHA-256 digest of an empty sequence.
    package static let ofEmptyTree: MerkleHash = {
        var hasher = MerkleHasher()
        return hasher.emptyTree()
    }()

    /// Returns the leaf hash of this entry. To hash many leaves, use a ``MerkleHasher``.
    package static func leaf(_ entry: [UInt8]) -> MerkleHash {
        var hasher = MerkleHasher()
        return hasher.leaf(entry)
    }

    /// Returns the hash of the node above two subtrees. To hash many nodes, use a ``MerkleHasher``.
    package static func node(_ left: MerkleHash, _ right: MerkleHash) -> MerkleHash {
        var hasher = MerkleHasher()
        return hasher.node(left, right)
    }

    /// Calls `body` with the 32 bytes, which are valid only during the call.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try Swift.withUnsafeBytes(of: self) { (buffer) throws(E) -> R in try body(buffer) }
    }

    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// The hash in base64: 44 characters.
    package var base64: String { String(decoding: Base64.encode(bytes), as: UTF8.self) }
}

extension MerkleHash: CustomStringConvertible {
    package var description: String { base64 }
}
