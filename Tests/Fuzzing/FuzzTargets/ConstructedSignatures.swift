package import Cryptography

/// Signatures that random keys, digests and nonces practically never produce: sums at infinity, sums of equal points,
/// multiplications by 0, 1 and n - 1, and points whose x is at least n.
package struct ConstructedSignature: Sendable {
    package let name: String
    package let key: P256PublicKey
    package let digest: [UInt8]
    package let signature: [UInt8]
    package let isValid: Bool

    private init?(_ name: String, key point: [UInt8]?, digest: [UInt8], signature: [UInt8], isValid: Bool) {
        guard let point, let key = P256PublicKey(uncompressedPoint: [4] + point) else { return nil }
        self.name = name
        self.key = key
        self.digest = digest
        self.signature = signature
        self.isValid = isValid
    }

    /// Returns all constructed signatures. Each valid one is accompanied by similar invalid ones.
    package static func all() throws -> [ConstructedSignature] {
        var made: [ConstructedSignature?] = []
        let one = ReferenceECDSA.Scalar(1)
        let keys = [
            ("1", one), ("2", one + one), ("n - 1", -one), ("n - 2", -one - one), ("2²⁵⁵", .init(UInt256(0, 1 << 127))),
            ("of no pattern", .init(UInt256(0x1F2E_3D4C_5B6A_7988, 0x8897_A6B5_C4D3_E2F1))),
        ]
        for (name, key) in keys { made += of(key, named: "key \(name)") }
        for r in 1...24 { made += beyondOrder(UInt128(r)) }
        let signatures = made.compactMap { $0 }
        guard signatures.count == made.count else { throw Violation("a constructed key is not a point of the curve") }
        return signatures
    }

    private typealias Scalar = ReferenceECDSA.Scalar

    private static func of(_ key: Scalar, named name: String) -> [ConstructedSignature?] {
        let point = ReferenceECDSA.publicKey(of: key)
        let (one, nonce) = (Scalar(1), Scalar(UInt256(0x0123_4567_89AB_CDEF, 0x7654_3210)))
        let r = ReferenceECDSA.r(ofNonce: nonce)
        var made: [ConstructedSignature?] = []
        func add(_ what: String, _ digest: [UInt8], _ r: Scalar, _ s: Scalar) {
            made += withNeighbours("\(name), \(what)", point, digest, r, s)
        }
        /// The digest that yields this s: s·k - r·d.
        func digest(s: Scalar, nonce: Scalar) -> Scalar { s * nonce - ReferenceECDSA.r(ofNonce: nonce) * key }
        func s(_ digest: Scalar) -> Scalar { ReferenceECDSA.s(digest: digest, key: key, nonce: nonce) }

        add("u1 = 0, digest 0", Scalar(0).bytes, r, s(Scalar(0)))
        add("u1 = 0, digest n", ReferenceECDSA.order.bigEndian, r, s(Scalar(0)))
        let ones = [UInt8](repeating: 0xFF, count: 32)
        add("digest above n", ones, r, s(Scalar(UInt256(bigEndian: ones[...]))))
        add("u1·G = u2·Q", (r * key).bytes, r, s(r * key))
        add("u2 = 1", digest(s: r, nonce: nonce).bytes, r, r)
        add("u2 = n - 1", digest(s: -r, nonce: nonce).bytes, r, -r)
        let equal = r * key / (nonce - one)
        add("u1 = 1", equal.bytes, r, equal)
        let opposite = -(r * key) / (nonce + one)
        add("u1 = n - 1", opposite.bytes, r, -opposite)
        for (text, nonce) in [("1", one), ("2", one + one), ("n - 1", -one)] {
            let r = ReferenceECDSA.r(ofNonce: nonce)
            add("nonce \(text)", digest(s: r + one, nonce: nonce).bytes, r, r + one)
            add("nonce \(text), s = 1", digest(s: one, nonce: nonce).bytes, r, one)
            add("nonce \(text), s = n - 1", digest(s: -one, nonce: nonce).bytes, r, -one)
        }
        // These satisfy u1·G = -(u2·Q) for any s.
        for r in [one, r, -one] {
            for s in [one, nonce, -one] {
                made.append(
                    ConstructedSignature(
                        "\(name), sum at infinity", key: point, digest: (-(r * key)).bytes,
                        signature: r.bytes + s.bytes, isValid: false))
            }
        }
        return made
    }

    /// Signatures with a point of x = r + n, if the curve has one. They are valid, but only about one signature in 2⁹⁷
    /// has this property.
    private static func beyondOrder(_ number: UInt128) -> [ConstructedSignature?] {
        let (r, s, digest) = (Scalar(number), Scalar(0xFEDC_BA98_7654_3210), Scalar(0x1234_5678_9ABC_DEF0))
        let x = ReferenceECDSA.order.adding(r.value).value
        guard let point = ReferenceECDSA.recoveredKey(digest: digest, x: x, s: s) else { return [] }
        return withNeighbours("r = \(number), x = r + n", point, digest.bytes, r, s) + [
            // The point's x itself is out of range as r.
            ConstructedSignature(
                "r = n + \(number)", key: point, digest: digest.bytes, signature: x.bigEndian + s.bytes, isValid: false)
        ]
    }

    private static func withNeighbours(
        _ name: String, _ point: [UInt8]?, _ digest: [UInt8], _ r: Scalar, _ s: Scalar
    ) -> [ConstructedSignature?] {
        let one = Scalar(1)
        var other = digest
        other[31] ^= 1
        let cases = [
            ("", digest, r, s, true), (", the twin", digest, r, -s, true), (", s + 1", digest, r, s + one, false),
            (", r + 1", digest, r + one, s, false), (", another digest", other, r, s, false),
        ]
        return cases.map { what, digest, r, s, isValid in
            ConstructedSignature(
                name + what, key: point, digest: digest, signature: r.bytes + s.bytes, isValid: isValid)
        }
    }
}
