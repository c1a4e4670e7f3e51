/// Constructs signatures and keys from their equations. A library could only generate random ones.
extension ReferenceECDSA {
    /// An integer modulo n.
    struct Scalar {
        /// The representative below n.
        let value: UInt256

        init(_ value: UInt256) { self.value = value.reduced(by: ReferenceECDSA.order) }

        init(_ small: UInt128) { self.init(UInt256(small)) }

        static func + (left: Scalar, right: Scalar) -> Scalar { Scalar(scalars.add(left.value, right.value)) }
        static func - (left: Scalar, right: Scalar) -> Scalar { Scalar(scalars.subtract(left.value, right.value)) }
        static prefix func - (value: Scalar) -> Scalar { Scalar(0) - value }

        static func * (left: Scalar, right: Scalar) -> Scalar {
            Scalar(scalars.leave(scalars.multiply(scalars.enter(left.value), scalars.enter(right.value))))
        }

        /// Division modulo n; the inverse of 0 is 0.
        static func / (left: Scalar, right: Scalar) -> Scalar {
            left * Scalar(scalars.leave(scalars.inverse(scalars.enter(right.value))))
        }

        /// The number in 32 bytes, most significant first.
        var bytes: [UInt8] { value.bigEndian }
    }

    /// The public key of a private key, x then y; nil for 0.
    static func publicKey(of key: Scalar) -> [UInt8]? {
        curve.sum(key.value, P256Curve.base, .zero, P256Curve.base)?.bytes
    }

    /// The r of a nonce; 0 for 0.
    static func r(ofNonce nonce: Scalar) -> Scalar {
        Scalar(curve.sum(nonce.value, P256Curve.base, .zero, P256Curve.base)?.x ?? .zero)
    }

    /// The s for a digest, a private key and a nonce.
    static func s(digest: Scalar, key: Scalar, nonce: Scalar) -> Scalar {
        (digest + r(ofNonce: nonce) * key) / nonce
    }

    /// Recovers the key for which (x mod n, s) is valid over the digest, with x as the coordinate of the curve's point;
    /// nil if the curve has no such point.
    static func recoveredKey(digest: Scalar, x: UInt256, s: Scalar) -> [UInt8]? {
        guard let point = curve.point(x: x) else { return nil }
        let r = Scalar(x)
        return curve.sum((-(digest / r)).value, P256Curve.base, (s / r).value, point)?.bytes
    }
}
