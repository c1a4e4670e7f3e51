import Cryptography
import TestSupport
import Testing
import TransparencyLog

@Suite("Signed notes, checkpoints and cosignatures") struct NoteTests {
    /// The example in golang.org/x/mod/sumdb/note.
    static let peterText =
        "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    static let peterLine =
        "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
    static let peterKey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    static let enochLine =
        "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
    static let enochKey = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"

    private func note(_ text: String) throws -> SignedNote { try SignedNote(bytes: Array(text.utf8)) }

    @Test func `the Go project's example note is parsed, verified and formatted again`() throws {
        let text = Self.peterText + "\n" + Self.peterLine
        let note = try note(text)
        #expect(note.text == Self.peterText)
        #expect(try note.verified(by: [NoteVerifier(text: Self.peterKey)]).map(\.name) == ["PeterNeumann"])
        #expect(note.bytes == Array(text.utf8))
        #expect(try NoteVerifier(text: Self.peterKey).text == Self.peterKey)
    }

    @Test func `signatures by unknown keys are ignored, and are not sufficient on their own`() throws {
        let both = try note(Self.peterText + "\n" + Self.peterLine + Self.enochLine)
        let peter = try NoteVerifier(text: Self.peterKey)
        let error = #expect(throws: TransparencyLogError.self) { try both.verified(by: []) }
        #expect(error?.code == .unknownKey)
        #expect(try both.verified(by: [peter]).map(\.name) == ["PeterNeumann"])
    }

    @Test func `a changed text, signature, name or key id is refused`() throws {
        let peter = try NoteVerifier(text: Self.peterKey)
        let good = Array((Self.peterText + "\n" + Self.peterLine).utf8)
        for place in good.indices {
            var bytes = good
            bytes[place] ^= 1
            let note = try? SignedNote(bytes: bytes)
            #expect((try? note?.verified(by: [peter])) == nil, "byte \(place)")
        }
    }

    @Test(
        arguments: [
            "", "\n", peterText, peterText + "\n", peterText + peterLine, "\n" + peterLine,
            peterText + "\n" + peterLine.dropLast(), "\u{1}" + peterText + "\n" + peterLine,
            peterText + "\r\n\n" + peterLine, peterText + "\n" + peterLine + "Unexpected line.\n",
            peterText + "\n— Bad Name x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdng\n",
            peterText + "\n— a+b x08go/ZJkuBS9UG=\n", peterText + "\n— name x08go===\n", peterText + "\n— name \n",
            peterText + "\n—name x08goAAA\n", peterText + "\n- name x08goAAA\n", peterText + "\n—  x08goAAA\n",
            peterText + "\n— name x08gow==\n", peterText + "\n" + String(repeating: peterLine, count: 101),
        ])
    func `a malformed signed note is refused`(text: String) {
        let error = #expect(throws: TransparencyLogError.self) { try SignedNote(bytes: Array(text.utf8)) }
        #expect(error?.code == .malformedNote)
    }

    @Test func `bytes that are not UTF-8 are not a note`() {
        let bytes = [0xFF] + Array((Self.peterText + "\n" + Self.peterLine).utf8)
        #expect(throws: TransparencyLogError.self) { try SignedNote(bytes: bytes) }
    }

    @Test func `the text may contain empty lines, and the last one separates it from the signatures`() throws {
        let note = try note("\na\n\n\nb\n\n" + Self.peterLine)
        #expect(note.text == "\na\n\n\nb\n")
    }

    @Test func `every mangled verifier key is refused`() {
        let key = Array(Self.peterKey.utf8)
        for start in key.indices {
            for end in start...key.count where start != 0 || end != key.count {
                #expect((try? NoteVerifier(text: String(decoding: key[start..<end], as: UTF8.self))) == nil)
            }
            var bytes = key
            bytes[start] += 1
            #expect((try? NoteVerifier(text: String(decoding: bytes, as: UTF8.self))) == nil)
        }
        // One key has a wrong length and the other an unknown type, both with a matching key id.
        for text in [
            "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
            "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        ] {
            let error = #expect(throws: TransparencyLogError.self) { try NoteVerifier(text: text) }
            #expect(error?.code == .malformedKey)
        }
    }

    @Test func `a checkpoint has three lines, and is signed and cosigned`() throws {
        let key = try PrivateKey.generate(.ed25519)
        let signer = try NoteSigner(name: "example.com/log", key: key)
        let cosigner = try NoteSigner(name: "example.com/log", type: .cosignature, key: key)
        let checkpoint = try Checkpoint(origin: "example.com/log", size: 20_852_163, root: .leaf([1]))
        var note = try checkpoint.note()
        try note.sign(with: signer)
        try note.sign(with: cosigner, 1_679_315_147)
        let read = try SignedNote(bytes: note.bytes)
        #expect(read == note)
        #expect(try Checkpoint(text: read.text) == checkpoint)
        #expect(read.text == "example.com/log\n20852163\n\(MerkleHash.leaf([1]).base64)\n")
        let verified = try read.verified(by: [signer.verifier, cosigner.verifier])
        #expect(verified.map(\.type) == [.ed25519, .cosignature])
        #expect(verified.map(\.time) == [nil, 1_679_315_147])
        // The signatures must equal direct signatures over the exact bytes of the formats.
        let plain = try key.ed25519Signature(of: Array(note.text.utf8))
        let timed = try key.ed25519Signature(of: Array("cosignature/v1\ntime 1679315147\n\(note.text)".utf8))
        #expect(note.signatures[0].signature == plain)
        #expect(note.signatures[1].signature == [0, 0, 0, 0, 0x64, 0x18, 0x50, 0xCB] + timed)
        // Signing again replaces the earlier signature.
        try note.sign(with: cosigner, 1_679_315_148)
        #expect(note.signatures.count == 2)
        #expect(note.signatures[0].keyID != note.signatures[1].keyID)
    }

    @Test func `the previous size is signed with a checkpoint, and a reader without its key type skips it`()
        throws
    {
        let key = try PrivateKey.generate(.ed25519)
        let signer = try NoteSigner(name: "example.com/log", key: key)
        let chain = try NoteSigner(name: "example.com/log", type: .previousSize, key: key)
        var note = try Checkpoint(origin: "example.com/log", size: 9, root: .leaf([1])).note()
        try note.sign(with: signer)
        try note.sign(with: chain, 7)
        #expect(try note.verified(by: [signer.verifier]).map(\.previousSize) == [nil])
        #expect(try note.verified(by: [signer.verifier, chain.verifier]).map(\.previousSize) == [nil, 7])
        #expect(PreviousSize.unverified(of: note, origin: "example.com/log") == 7)
        #expect(PreviousSize.unverified(of: note, origin: "example.com/another") == nil)
        let signed = try key.ed25519Signature(of: Array("sluice-archive/previous@v1\nprevious 7\n\(note.text)".utf8))
        #expect(note.signatures[1].signature == [0, 0, 0, 0, 0, 0, 0, 7] + signed)
        // The type identifier determines the key id and is included in the verifier key.
        #expect(try NoteVerifier(text: chain.verifier.text) == chain.verifier)
        #expect(chain.verifier.keyID != signer.verifier.keyID)
        var bytes = note.signatures[1].signature
        bytes[7] = 6
        note.add(NoteSignature(name: "example.com/log", keyID: chain.verifier.keyID, signature: bytes))
        #expect((try? note.verified(by: [chain.verifier])) == nil)
    }

    @Test func `a cosignature with a changed time does not verify`() throws {
        let cosigner = try NoteSigner(name: "w", type: .cosignature, key: PrivateKey.generate(.ed25519))
        var note = try SignedNote(text: "a\n")
        try note.sign(with: cosigner, 5)
        var bytes = note.signatures[0].signature
        bytes[7] = 6
        note.add(NoteSignature(name: "w", keyID: cosigner.verifier.keyID, signature: bytes))
        #expect((try? note.verified(by: [cosigner.verifier])) == nil)
        bytes[0] = 0xFF
        note.add(NoteSignature(name: "w", keyID: cosigner.verifier.keyID, signature: bytes))
        #expect((try? note.verified(by: [cosigner.verifier])) == nil)
    }

    @Test(
        arguments: [
            "", "a\n", "a\n1\n", "a\n1\nAAAA\n", "a\n01\n\(root)\n", "a\n-1\n\(root)\n", "a\n1\n\(root)",
            "\n1\n\(root)\n",
            "a\n1\n\(root)\n\n", "a\n1\n\n\(root)\n", "a\n99999999999999999999\n\(root)\n", "a\n+1\n\(root)\n",
        ])
    func `a malformed checkpoint is refused`(text: String) {
        let error = #expect(throws: TransparencyLogError.self) { try Checkpoint(text: text) }
        #expect(error?.code == .malformedCheckpoint)
    }

    static let root = MerkleHash.ofEmptyTree.base64

    @Test func `extension lines are preserved`() throws {
        let checkpoint = try Checkpoint(text: "a b\n0\n\(Self.root)\nmore\nlines\n")
        #expect(checkpoint.extensions == ["more", "lines"])
        #expect(checkpoint.size == 0 && checkpoint.root == .ofEmptyTree && checkpoint.origin == "a b")
        #expect(checkpoint.text == "a b\n0\n\(Self.root)\nmore\nlines\n")
    }

    @Test func `the example in the checkpoint specification is parsed`() throws {
        let note = try note(
            """
            example.com/behind-the-sofa
            20852163
            CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

            — example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
            — witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==

            """)
        #expect(try Checkpoint(text: note.text).size == 20_852_163)
        #expect(note.signatures.map(\.name) == ["example.com/behind-the-sofa", "witness.example.com/w1"])
        #expect(note.signatures.map(\.signature.count) == [64, 72])
    }
}
