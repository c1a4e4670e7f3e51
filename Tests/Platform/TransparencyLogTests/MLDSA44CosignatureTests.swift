import Cryptography
import Foundation
import TestSupport
import Testing
import TransparencyLog

/// Tests of ML-DSA-44 cosignatures with an example signed by a third-party library.
struct MLDSA44CosignatureTests {
    private func proof() throws -> TlogProof { try TlogProof(bytes: Array(MLDSA44Example.proof.utf8)) }

    @Test(.enabled(if: MLDSA44PublicKey.isAvailable, "needs OpenSSL 3.5 or later"))
    func `a cosignature is valid only for its checkpoint, name and time`() throws {
        let witness = try NoteVerifier(text: MLDSA44Example.witnessKey)
        #expect(witness.type == .mlDSA44Cosignature && witness.text == MLDSA44Example.witnessKey)
        let note = try proof().note
        let signature = try #require(note.signatures.first(where: witness.isKey))
        let verified = witness.verify(signature, of: note.text)
        #expect(verified?.time == MLDSA44Example.time && verified?.name == "witness.example/w1")
        // The signed message contains no extension lines.
        #expect(witness.verify(signature, of: note.text + "an extension\n") != nil)
        let checkpoint = try Checkpoint(text: note.text)
        let larger = try Checkpoint(origin: checkpoint.origin, size: 3, root: checkpoint.root)
        let other = try Checkpoint(origin: checkpoint.origin + "0", size: 2, root: checkpoint.root)
        let root = try Checkpoint(origin: checkpoint.origin, size: 2, root: .leaf([]))
        for changed in [larger, other, root] { #expect(witness.verify(signature, of: changed.text) == nil) }
        let renamed = try witness.with(name: "witness.example/w2")
        let again = NoteSignature(name: renamed.name, keyID: renamed.keyID, signature: signature.signature)
        #expect(renamed.verify(again, of: note.text) == nil)
        for at in [0, 7, 8, signature.signature.count - 1] {
            var bytes = signature.signature
            bytes[at] ^= 1
            let changed = NoteSignature(name: witness.name, keyID: witness.keyID, signature: bytes)
            #expect(witness.verify(changed, of: note.text) == nil)
        }
        let short = NoteSignature(
            name: witness.name, keyID: witness.keyID, signature: Array(signature.signature.dropLast()))
        #expect(witness.verify(short, of: note.text) == nil)
    }

    @Test(.enabled(if: !MLDSA44PublicKey.isAvailable, "this libcrypto has ML-DSA-44"))
    func `a key is refused with its name if libcrypto lacks the algorithm`() throws {
        let error = #expect(throws: TransparencyLogError.self) {
            try NoteVerifier(text: MLDSA44Example.witnessKey)
        }
        #expect(error?.code == .unavailableKey)
        #expect(error?.message.contains("witness.example/w1") == true)
        #expect(error?.message.contains("OpenSSL 3.5") == true)
    }

    @Test func `keys with a wrong length or id are malformed with every libcrypto`() throws {
        let parts = MLDSA44Example.witnessKey.split(separator: "+", maxSplits: 2)
        for text in [
            "\(parts[0])+aff69a9e+\(parts[2])", "\(parts[0])+\(parts[1])+BgAA",
            "\(parts[0])x+\(parts[1])+\(parts[2])",
        ] {
            let error = #expect(throws: TransparencyLogError.self) { try NoteVerifier(text: text) }
            #expect(error?.code == .malformedKey, "\(text.prefix(60))")
        }
        let error = #expect(throws: TransparencyLogError.self) {
            try NoteVerifier(name: "w", type: .mlDSA44Cosignature, publicKey: [UInt8](repeating: 7, count: 1311))
        }
        #expect(error?.code == .malformedKey)
    }

    @Test func `the example's proof is valid with only its log key`() throws {
        let log = try NoteVerifier(text: MLDSA44Example.archiveKey).with(
            name: "example.com/archive/appstore.notifications.production/3")
        let proof = try proof()
        #expect(try proof.note.verified(by: [log]).count == 1)
        let checkpoint = try Checkpoint(text: proof.note.text)
        #expect(proof.inclusion.proves(.leaf(proof.extra ?? []), size: checkpoint.size, root: checkpoint.root))
    }
}
