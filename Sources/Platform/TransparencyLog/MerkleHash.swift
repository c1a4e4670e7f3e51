internal import Bytes
internal import Cryptography

/// The hash of a leaf, of a node or of a whole tree: SHA-256 as RFC 6962 section 2.1 uses it. 32 bytes, no allocation.
package struct MerkleHash: Hashable, Sendable {
    /// Always 32.
    package static let byteCount = 32

    // The hash's bytes in memory order, so that an array of hashes is a tile's content.
    private var a: UInt64 = 0
    private var b: UInt64 = 0
    private var c: UInt64 = 0
    private var d: UInt64 = 0

    /// Calls `fill` with the 32 bytes to write.
    init(filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        withUnsafeMutableBytes(of: &self) { fill($0) }
    }

    /// A hash from its 32 bytes; nil for any other count.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init { $0.copyMemory(from: bytes) }
    }

    /// A hash from its 32 bytes; nil for any other count.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init { out in bytes.withUnsafeBytes { out.copyMemory(from: $0) } }
    }

    /// A hash from its base64 text (RFC 4648 section 4, padded); nil for anything else.
    package init?(base64 text: some Sequence<UInt8>) {
        guard let bytes = try? Base64.decode(Array(text)) else { return nil }
        self.init(bytes: bytes)
    }

    /// The root of the tree without leaves: SHA-256 of nothing.
    package static let ofEmptyTree: MerkleHash = {
        var hasher = MerkleHasher()
        return hasher.emptyTree()
    }()

    /// The hash of a leaf with this entry. For many, use a ``MerkleHasher``.
    package static func leaf(_ entry: [UInt8]) -> MerkleHash {
        var hasher = MerkleHasher()
        return hasher.leaf(entry)
    }

    /// The hash of the node over two subtrees. For many, use a ``MerkleHasher``.
    package static func node(_ left: MerkleHash, _ right: MerkleHash) -> MerkleHash {
        var hasher = MerkleHasher()
        return hasher.node(left, right)
    }

    /// The 32 bytes, borrowed for the call.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try Swift.withUnsafeBytes(of: self) { (buffer) throws(E) -> R in try body(buffer) }
    }

    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// 44 characters.
    package var base64: String { String(decoding: Base64.encode(bytes), as: UTF8.self) }
}

extension MerkleHash: CustomStringConvertible {
    package var description: String { base64 }
}
