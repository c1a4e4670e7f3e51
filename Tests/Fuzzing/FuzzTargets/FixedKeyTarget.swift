import AppStoreSigning
import Cryptography
import TestSupport

extension FuzzTarget {
    /// Verifies up to four signatures under a key with a precomputed table. The results must equal EVP's. The first
    /// byte selects the key; a digest, r and s follow for each signature.
    static func fixedKey(_ material: SignedMaterial) throws -> FuzzTarget {
        guard let leafKey = material.pki.leafKey.publicKey else { throw Violation("the leaf has no key") }
        let cases = SignatureCases([material.pki.leafKey])
        let constructed = try ConstructedSignature.all()
        var keys = [try TabledKey(leafKey)]
        var signatures = [try cases.edges().map { $0.digest + $0.signature }]
        // Only the first few keys of the constructed signatures are used, because each table exists until the process
        // ends.
        for signature in constructed {
            if let index = keys.firstIndex(where: { $0.key.uncompressedPoint == signature.key.uncompressedPoint }) {
                signatures[index].append(signature.digest + signature.signature)
            } else if keys.count < 8 {
                keys.append(try TabledKey(signature.key))
                signatures.append([signature.digest + signature.signature])
            }
        }
        let (tabled, known) = (keys, signatures)
        let seeds = known.enumerated().flatMap { index, signatures in
            // Batches of one and of three signatures.
            [signatures.prefix(1), signatures.prefix(3), signatures.suffix(3)].map {
                [UInt8(truncatingIfNeeded: index)] + $0.joined()
            }
        }
        return FuzzTarget(
            "fixed-key", seeds: seeds, maximumBytes: 1 + 4 * 96,
            generate: { random in
                let index = random.below(known.count)
                let batch = (0...random.below(4)).flatMap { _ in random.pick(known[index]) ?? [] }
                return [UInt8(truncatingIfNeeded: index)] + batch
            },
            check: { bytes throws(Violation) in
                guard let first = bytes.first, bytes.count <= 1 + 4 * 96 else { return }
                var batch: [TabledKey.Candidate] = []
                for start in stride(from: 1, to: bytes.count, by: 96) where start + 96 <= bytes.count {
                    let (digest, signature) = (bytes[start..<start + 32], bytes[start + 32..<start + 96])
                    batch.append(try TabledKey.candidate(Array(digest), Array(signature)))
                }
                try tabled[Int(first) % tabled.count].check(batch)
            })
    }
}
