/// A log's signed statement of its origin, its size and the root of its tree (c2sp.org/tlog-checkpoint).
package struct Checkpoint: Equatable, Sendable {
    /// The unique name of the log.
    package let origin: String
    /// The number of leaves in the tree.
    package let size: Int
    package let root: MerkleHash
    /// The lines after the third, without newlines. This project's logs have no such lines.
    package let extensions: [String]

    /// - Throws: ``TransparencyLogError`` with code `invalidArgument` if the origin or an extension is not a single
    ///   line of text, or the size is negative.
    package init(
        origin: String, size: Int, root: MerkleHash, extensions: [String] = []
    ) throws(TransparencyLogError) {
        guard size >= 0, ([origin] + extensions).allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 >= 0x20 } }) else {
            throw TransparencyLogError(
                .invalidArgument, "a checkpoint needs a one-line origin, one-line extensions and a nonnegative size")
        }
        self.origin = origin
        self.size = size
        self.root = root
        self.extensions = extensions
    }

    /// Parses a checkpoint from the text of a note. Does not verify signatures.
    ///
    /// - Throws: ``TransparencyLogError`` with code `malformedCheckpoint`.
    package init(text: String) throws(TransparencyLogError) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count >= 4, lines.last?.isEmpty == true, lines.dropLast().allSatisfy({ !$0.isEmpty }) else {
            throw TransparencyLogError(.malformedCheckpoint, "a checkpoint must have at least three non-empty lines")
        }
        guard let size = DecimalText.value(lines[1]) else {
            throw TransparencyLogError(.malformedCheckpoint, "the second line of a checkpoint is not a size")
        }
        guard let root = MerkleHash(base64: lines[2]) else {
            throw TransparencyLogError(.malformedCheckpoint, "the third line of a checkpoint is not a base64 root")
        }
        let texts = lines.map { String(Substring($0)) }
        do {
            try self.init(origin: texts[0], size: size, root: root, extensions: Array(texts[3..<(lines.count - 1)]))
        } catch {
            throw TransparencyLogError(.malformedCheckpoint, error.message)
        }
    }

    /// The text of the note.
    package var text: String {
        ([origin, String(size), root.base64] + extensions).map { $0 + "\n" }.joined()
    }

    /// Creates an unsigned note with this text.
    package func note() throws(TransparencyLogError) -> SignedNote { try SignedNote(text: text) }
}
