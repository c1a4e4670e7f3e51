import AppStoreSigning
package import Cryptography

extension FuzzTarget {
    /// Verifies a signature under the leaf's key. The result must equal the reference's. The first byte selects the
    /// key; the digest, r and s follow.
    static func signature(_ material: SignedMaterial) throws -> FuzzTarget {
        let cases = SignatureCases([material.pki.leafKey])
        return FuzzTarget(
            "ecdsa-signature", seeds: try cases.edges().map(\.input), maximumBytes: 97
        ) { bytes throws(Violation) in
            guard bytes.count == 97 else { return }
            try cases.check(SignatureCase(input: bytes))
        }
    }
}

/// A digest and a signature under one of the keys of ``SignatureCases``.
package struct SignatureCase: Sendable {
    package var key: Int
    package var digest: [UInt8]
    package var signature: [UInt8]
    /// Whether the signature was constructed to be valid.
    package var isGood = false

    init(input: [UInt8]) {
        key = Int(input[0])
        digest = Array(input[1..<33])
        signature = Array(input[33..<97])
    }

    package init(key: Int, digest: [UInt8], signature: [UInt8], isGood: Bool = false) {
        self.key = key
        self.digest = digest
        self.signature = signature
        self.isGood = isGood
    }

    var input: [UInt8] { [UInt8(truncatingIfNeeded: key)] + digest + signature }
}

/// Keys, and signatures with edge values.
package struct SignatureCases: Sendable {
    private let keys: [PrivateKey]
    package let publicKeys: [P256PublicKey]

    package init(keys count: Int) throws {
        self.init(try (0..<count).map { _ in try PrivateKey.generate(.p256) })
    }

    init(_ keys: [PrivateKey]) {
        self.keys = keys
        publicKeys = keys.compactMap(\.publicKey)
    }

    /// Numbers that implementations of signature verification have mishandled.
    package static let edgeNumbers: [[UInt8]] = {
        let (n, p) = (ReferenceECDSA.order, ReferenceECDSA.prime)
        let one = UInt256(1)
        let half = UInt256(0xDE73_7D56_D38B_CF42_79DC_E561_7E31_92A8, 0x7FFF_FFFF_8000_0000_7FFF_FFFF_FFFF_FFFF)
        let numbers = [
            .zero, one, UInt256(2), n.subtracting(one).value, n, n.adding(one).value, half, half.adding(one).value,
            p.subtracting(one).value, p, p.adding(one).value, p.subtracting(n).value,
            UInt256.zero.subtracting(one).value,
            UInt256(0, 1 << 127), UInt256(1 << 127, 0),
        ]
        return numbers.map(\.bigEndian)
    }()

    /// Returns every pair of edge numbers as r and s, and valid signatures over every edge digest with one half
    /// replaced.
    package func edges() throws -> [SignatureCase] {
        var cases: [SignatureCase] = []
        for key in keys.indices {
            let digest = SHA256.digest(of: [UInt8(truncatingIfNeeded: key)]).bytes
            for r in Self.edgeNumbers {
                for s in Self.edgeNumbers { cases.append(SignatureCase(key: key, digest: digest, signature: r + s)) }
            }
            // The digests include e = 0 and e = n.
            for digest in Self.edgeNumbers {
                let good = try signature(over: digest, key: key)
                let twin = ReferenceECDSA.twin(of: good)
                cases += [good, twin].map { SignatureCase(key: key, digest: digest, signature: $0, isGood: true) }
                cases.append(SignatureCase(key: key, digest: digest, signature: Array(good[32...] + good[..<32])))
                for number in Self.edgeNumbers {
                    cases.append(SignatureCase(key: key, digest: digest, signature: number + good[32...]))
                    cases.append(SignatureCase(key: key, digest: digest, signature: good[..<32] + number))
                }
            }
        }
        return cases
    }

    package func signature(over digest: [UInt8], key: Int) throws -> [UInt8] {
        guard let digest = SHA256Digest(bytes: digest) else { throw Violation("no digest") }
        return try keys[key % keys.count].es256Signature(digest: digest)
    }

    package var count: Int { keys.count }

    /// The result of the implementation under test.
    package func verdict(_ candidate: SignatureCase) -> SignatureResult {
        guard let digest = SHA256Digest(bytes: candidate.digest) else { return .failed }
        return publicKeys[candidate.key % publicKeys.count].verify(digest: digest, rawSignature: candidate.signature)
    }

    /// The result of the reference.
    package func isValid(_ candidate: SignatureCase) -> Bool {
        let point = publicKeys[candidate.key % publicKeys.count].uncompressedPoint
        return ReferenceECDSA.isValid(
            digest: candidate.digest, signature: candidate.signature, key: Array(point.dropFirst()))
    }

    func check(_ candidate: SignatureCase) throws(Violation) {
        let expected: SignatureResult = isValid(candidate) ? .valid : .invalid
        let found = verdict(candidate)
        try hold(found == expected, "\(found), but the reference gives \(expected)")
    }
}
