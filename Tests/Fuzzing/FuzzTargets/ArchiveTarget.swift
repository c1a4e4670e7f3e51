internal import ArchiveLog
internal import TransparencyLog

extension FuzzTarget {
    private static let root = MerkleHash.ofEmptyTree.base64
    private static let line =
        "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"

    /// Parses the archive's file formats. Re-encoding accepted bytes yields the same bytes.
    static let archiveFiles: FuzzTarget = {
        let note = "example.com/log/topic/0\n0\n\(root)\n\n\(line)"
        let texts = [
            note, "c2sp.org/tlog-proof@v1\nextra AAEC\nindex 0\n\(root)\n\n\(note)", "old 0\n\(root)\n\n\(note)",
            "tile/0/x001/234.p/17", "tile/entries/000", "sluice-archive/retention@v1\na/b/0\nminimum 256\n",
            "sluice-archive/retention@v2\na/b/0\nminimum 256\nannounced 512\nat 1\n",
            "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        ]
        let leaf =
            [1, 1, 1, 99, 5] + Array("topic".utf8) + [UInt8](repeating: 0, count: 12 + 16 + 16 + 4 + 32)
        return FuzzTarget(
            "archive-files", seeds: texts.map { Array($0.utf8) } + [[0, 2, 7, 7, 0, 0], [0, 0, 0, 1, 9], leaf],
            tokens: ["— ", "\n\n", "index ", "extra ", "old ", "tile/", ".p/", "x001/", "minimum "]
        ) { (bytes) throws(Violation) in
            try readTexts(bytes)
            if let bundle = try? EntryBundle(bytes: bytes) {
                let entries = (0..<bundle.count).map { Array(bundle[$0]) }
                try hold((try? EntryBundle(entries: entries))?.bytes == bytes, "a bundle is encoded differently")
            }
            if let leaf = try? ArchiveLeaf(bytes: bytes) {
                try hold(leaf.bytes == bytes, "a leaf is encoded differently")
            }
            if let objects = try? ArchiveSegment.objects(in: bytes) {
                var segment: [UInt8] = []
                for object in objects { try? ArchiveSegment.append(Array(bytes[object]), to: &segment) }
                try hold(segment == bytes, "a segment is encoded differently")
            }
        }
    }()

    private static func readTexts(_ bytes: [UInt8]) throws(Violation) {
        if let note = try? SignedNote(bytes: bytes) {
            try hold(note.bytes == bytes, "a note is encoded differently")
            if let checkpoint = try? Checkpoint(text: note.text) {
                try hold(checkpoint.text.utf8.elementsEqual(note.text.utf8), "a checkpoint is encoded differently")
            }
        }
        if let proof = try? TlogProof(bytes: bytes) { try hold(proof.bytes == bytes, "a proof is encoded differently") }
        if let request = try? WitnessRequest(bytes: bytes) {
            try hold(request.bytes == bytes, "a request is encoded differently")
        }
        _ = WitnessRequest.size(ofConflict: bytes)
        _ = try? WitnessRequest.signatures(ofAnswer: bytes)
        _ = try? SignedNote.sequence(bytes)
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        if let path = TilePath(text: text) {
            try hold(path.text.utf8.elementsEqual(bytes), "a path is encoded differently")
        }
        if let number = TilePath.number(text) {
            try hold(TilePath.text(number: number).utf8.elementsEqual(bytes), "a number is encoded differently")
        }
        if let retention = Retention(text: text) {
            try hold(retention.text.utf8.elementsEqual(bytes), "a retention is encoded differently")
        }
        if let key = try? NoteVerifier(text: text) {
            try hold(key.text.utf8.elementsEqual(bytes), "a key is encoded differently")
        }
        _ = try? ArchiveVerifiers(text: text)
    }
}
