/// Signatures and keys made from their equations, where a library would only make random ones.
extension ReferenceECDSA {
    /// Numbers modulo n.
    struct Scalar {
        /// Below n.
        let value: UInt256

        init(_ value: UInt256) { self.value = value.reduced(by: ReferenceECDSA.order) }

        init(_ small: UInt128) { self.init(UInt256(small)) }

        static func + (left: Scalar, right: Scalar) -> Scalar { Scalar(scalars.add(left.value, right.value)) }
        static func - (left: Scalar, right: Scalar) -> Scalar { Scalar(scalars.subtract(left.value, right.value)) }
        static prefix func - (value: Scalar) -> Scalar { Scalar(0) - value }

        static func * (left: Scalar, right: Scalar) -> Scalar {
            Scalar(scalars.leave(scalars.multiply(scalars.enter(left.value), scalars.enter(right.value))))
        }

        /// 0 for 0.
        static func / (left: Scalar, right: Scalar) -> Scalar {
            left * Scalar(scalars.leave(scalars.inverse(scalars.enter(right.value))))
        }

        /// 32 bytes, the most significant first.
        var bytes: [UInt8] { value.bigEndian }
    }

    /// The point of a private key, x then y; nil for 0.
    static func publicKey(of key: Scalar) -> [UInt8]? {
        curve.sum(key.value, P256Curve.base, .zero, P256Curve.base)?.bytes
    }

    /// r for a nonce; 0 for 0.
    static func r(ofNonce nonce: Scalar) -> Scalar {
        Scalar(curve.sum(nonce.value, P256Curve.base, .zero, P256Curve.base)?.x ?? .zero)
    }

    /// s for a digest under a private key.
    static func s(digest: Scalar, key: Scalar, nonce: Scalar) -> Scalar {
        (digest + r(ofNonce: nonce) * key) / nonce
    }

    /// The key under which (x mod n, s) verifies over the digest, with x as it is in the curve's point; nil where the curve
    /// has no such point.
    static func recoveredKey(digest: Scalar, x: UInt256, s: Scalar) -> [UInt8]? {
        guard let point = curve.point(x: x) else { return nil }
        let r = Scalar(x)
        return curve.sum((-(digest / r)).value, P256Curve.base, (s / r).value, point)?.bytes
    }
}
