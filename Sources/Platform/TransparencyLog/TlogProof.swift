internal import Primitives

/// A self-contained proof with the index of an entry, its inclusion proof and the signed checkpoint
/// (c2sp.org/tlog-proof).
package struct TlogProof: Equatable, Sendable {
    /// The maximum length of the text in bytes.
    package static let maximumByteCount = 1 << 20
    private static let header = "c2sp.org/tlog-proof@v1"

    /// Additional application data, which the proof does not cover.
    package let extra: [UInt8]?
    package let inclusion: InclusionProof
    /// The log's checkpoint with its signatures.
    package let note: SignedNote

    package init(extra: [UInt8]? = nil, inclusion: InclusionProof, note: SignedNote) {
        self.extra = extra
        self.inclusion = inclusion
        self.note = note
    }

    /// Parses a proof.
    ///
    /// - Throws: ``TransparencyLogError`` with code `malformedProof`, or `malformedNote` for its checkpoint.
    package init(bytes: [UInt8]) throws(TransparencyLogError) {
        func malformed(_ why: String) -> TransparencyLogError { TransparencyLogError(.malformedProof, why) }
        guard bytes.count <= Self.maximumByteCount else {
            throw malformed("the proof is too long: \(bytes.count) bytes")
        }
        var rest = bytes[...]
        guard Lines.next(&rest)?.elementsEqual(Self.header.utf8) == true else {
            throw malformed("the first line is not \(Self.header)")
        }
        var line = Lines.next(&rest)
        var extra: [UInt8]?
        if let text = line, text.starts(with: "extra ".utf8) {
            guard let decoded = try? Base64.decode(Array(text.dropFirst(6))) else {
                throw malformed("the extra data is not base64")
            }
            extra = decoded
            line = Lines.next(&rest)
        }
        guard let text = line, text.starts(with: "index ".utf8), let index = DecimalText.value(text.dropFirst(6)) else {
            throw malformed("the index line is missing")
        }
        guard let hashes = Lines.hashes(&rest) else {
            throw malformed("a line is not a hash, or there are more than 63")
        }
        self.extra = extra
        inclusion = InclusionProof(index: index, hashes: hashes)
        note = try SignedNote(bytes: Array(rest))
    }

    /// The text of a `.tlog-proof` file.
    package var bytes: [UInt8] {
        var text = "\(Self.header)\n"
        if let extra { text += "extra \(String(decoding: Base64.encode(extra), as: UTF8.self))\n" }
        text += "index \(inclusion.index)\n"
        for hash in inclusion.hashes { text += "\(hash.base64)\n" }
        return Array(text.utf8) + [UInt8(ascii: "\n")] + note.bytes
    }

    /// Verifies that the checkpoint is signed by one of the keys and that the entry is in the log.
    ///
    /// - Returns: the checkpoint and its verified signatures, or nil if the entry is not in the checkpoint's tree.
    /// - Throws: ``TransparencyLogError`` with code `unknownKey`, `invalidSignature` or `malformedCheckpoint`.
    package func verified(
        entry: [UInt8], by verifiers: [NoteVerifier]
    ) throws(TransparencyLogError) -> (checkpoint: Checkpoint, signatures: [VerifiedSignature])? {
        let signatures = try note.verified(by: verifiers)
        let checkpoint = try Checkpoint(text: note.text)
        guard inclusion.proves(.leaf(entry), size: checkpoint.size, root: checkpoint.root) else { return nil }
        return (checkpoint, signatures)
    }
}

/// Parses lines that each end in a newline.
enum Lines {
    /// Removes and returns the next line without its newline. Returns nil at the end or if the last line has no
    /// newline.
    static func next(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        return line
    }

    /// Removes and returns the base64 hashes before an empty line, and removes that line. Returns nil if a line is not
    /// a hash, there are more than 63 hashes, or there is no empty line.
    static func hashes(_ rest: inout ArraySlice<UInt8>) -> [MerkleHash]? {
        var hashes: [MerkleHash] = []
        while let line = next(&rest) {
            if line.isEmpty { return hashes }
            guard hashes.count < 63, let hash = MerkleHash(base64: line) else { return nil }
            hashes.append(hash)
        }
        return nil
    }
}
