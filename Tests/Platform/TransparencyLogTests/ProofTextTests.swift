import Cryptography
import TestSupport
import Testing
import TransparencyLog

@Suite("Proofs and witness requests as text") struct ProofTextTests {
    private let signer: NoteSigner
    private let log = TestLog(count: 20)

    init() throws {
        signer = try NoteSigner(name: "example.com/log", key: PrivateKey.generate(.ed25519))
    }

    private func note(_ size: Int) throws -> SignedNote {
        var note = try Checkpoint(origin: "example.com/log", size: size, root: log.roots[size]).note()
        try note.sign(with: signer)
        return note
    }

    @Test(arguments: [nil, [], [1, 2, 3]] as [[UInt8]?])
    func `a proof is formatted as specified, parsed again, and verified offline`(extra: [UInt8]?) async throws {
        let inclusion = try await InclusionProof.make(index: 7, size: 20, from: log)
        let proof = TlogProof(extra: extra, inclusion: inclusion, note: try note(20))
        let lines = String(decoding: proof.bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "c2sp.org/tlog-proof@v1")
        let rest = lines.dropFirst(extra == nil ? 1 : 2)
        #expect(rest.first == "index 7")
        #expect(rest.dropFirst().prefix(inclusion.hashes.count).elementsEqual(inclusion.hashes.map { $0.base64[...] }))
        #expect(rest.dropFirst(1 + inclusion.hashes.count).prefix(3) == ["", "example.com/log", "20"])

        let read = try TlogProof(bytes: proof.bytes)
        #expect(read == proof)
        let good = try read.verified(entry: log.entries[7], by: [signer.verifier])
        #expect(good?.checkpoint.size == 20)
        #expect(try read.verified(entry: log.entries[8], by: [signer.verifier]) == nil)
        let other = try NoteSigner(name: "example.com/log", key: PrivateKey.generate(.ed25519)).verifier
        #expect(throws: TransparencyLogError.self) { try read.verified(entry: log.entries[7], by: [other]) }
    }

    @Test func `a tree of one leaf has a proof without hashes`() async throws {
        let inclusion = try await InclusionProof.make(index: 0, size: 1, from: log)
        let read = try TlogProof(bytes: TlogProof(inclusion: inclusion, note: try note(1)).bytes)
        #expect(read.inclusion.hashes.isEmpty)
        #expect(try read.verified(entry: log.entries[0], by: [signer.verifier]) != nil)
    }

    @Test func `a request to a witness is formatted as specified and parsed again`() async throws {
        let proof = try await ConsistencyProof.make(old: 5, new: 20, from: log)
        let request = WitnessRequest(oldSize: 5, proof: proof, note: try note(20))
        let expected = ["old 5"] + proof.hashes.map(\.base64) + ["", "example.com/log", "20", log.roots[20].base64, ""]
        let text = String(decoding: request.bytes, as: UTF8.self)
        #expect(text.hasPrefix(expected.joined(separator: "\n") + "\n— example.com/log "))
        #expect(try WitnessRequest(bytes: request.bytes) == request)
    }

    @Test func `a witness's responses are parsed`() throws {
        for type in [
            "text/x.tlog.size", "Text/X.Tlog.Size", "text/x.tlog.size; charset=utf-8", "text/x.tlog.size ;a=b",
        ] {
            #expect(WitnessRequest.isSize(contentType: type))
        }
        for type in [nil, "", ";", "text/plain", "text/x.tlog.sizes", "text/x.tlog.size x", "x; text/x.tlog.size"] {
            #expect(!WitnessRequest.isSize(contentType: type))
        }
        #expect(WitnessRequest.size(ofConflict: Array("20852014\n".utf8)) == 20_852_014)
        for text in ["", "\n", "5", "05\n", "-5\n", "5\n\n", "99999999999999999999\n", "5 \n"] {
            #expect(WitnessRequest.size(ofConflict: Array(text.utf8)) == nil)
        }
        let line = try note(20).signatures[0].line
        #expect(try WitnessRequest.signatures(ofAnswer: Array((line + line).utf8)).count == 2)
        let maximum = String(repeating: line, count: SignedNote.maximumSignatureCount)
        #expect(try WitnessRequest.signatures(ofAnswer: Array(maximum.utf8)).count == SignedNote.maximumSignatureCount)
        for text in ["", "\n", line + "x", line + "x\n", String(line.dropLast()), maximum + line, maximum + "x\n"] {
            #expect(throws: TransparencyLogError.self) { try WitnessRequest.signatures(ofAnswer: Array(text.utf8)) }
        }
    }

    @Test func `truncated or changed texts never trap, and are refused or have another meaning`() async throws {
        let inclusion = try await InclusionProof.make(index: 7, size: 20, from: log)
        let proof = TlogProof(extra: [9], inclusion: inclusion, note: try note(20)).bytes
        let consistency = try await ConsistencyProof.make(old: 5, new: 20, from: log)
        let request = WitnessRequest(oldSize: 5, proof: consistency, note: try note(20)).bytes
        for count in 0..<proof.count { #expect((try? TlogProof(bytes: Array(proof[..<count]))) == nil) }
        for count in 0..<request.count { #expect((try? WitnessRequest(bytes: Array(request[..<count]))) == nil) }
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<3_000 {
            var bytes = proof
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[place] = UInt8.random(in: 0...255, using: &generator)
            guard bytes != proof, let read = try? TlogProof(bytes: bytes) else { continue }
            let verified = try? read.verified(entry: log.entries[7], by: [signer.verifier])
            // The proof covers everything except the extra data.
            #expect(verified == nil || read.extra != [9])
            var other = request
            other[min(place, other.count - 1)] = bytes[place]
            _ = try? WitnessRequest(bytes: other)
        }
    }
}
