/// A reference implementation of ECDSA on P-256 (FIPS 186-5, SEC 1), written from the equations without OpenSSL. It is
/// not constant-time, and about a hundred times slower than OpenSSL.
package enum ReferenceECDSA {
    /// The order n of the base point.
    package static let order = UInt256(
        0xBCE6_FAAD_A717_9E84_F3B9_CAC2_FC63_2551, 0xFFFF_FFFF_0000_0000_FFFF_FFFF_FFFF_FFFF)
    /// The prime p of the field.
    package static let prime = UInt256(
        0x0000_0000_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_0000_0001_0000_0000_0000_0000)

    static let scalars = MontgomeryArithmetic(modulus: order)
    static let curve = P256Curve(field: MontgomeryArithmetic(modulus: prime))

    /// Whether `signature`, r then s, is valid over `digest` for the public key `key`, x then y.
    package static func isValid(digest: [UInt8], signature: [UInt8], key: [UInt8]) -> Bool {
        guard digest.count == 32, signature.count == 64, key.count == 64 else { return false }
        let (r, s) = (UInt256(bigEndian: signature[..<32]), UInt256(bigEndian: signature[32...]))
        guard r != .zero, s != .zero, r < order, s < order else { return false }
        let inverse = scalars.inverse(scalars.enter(s))
        let e = UInt256(bigEndian: digest[...]).reduced(by: order)
        let u1 = scalars.leave(scalars.multiply(scalars.enter(e), inverse))
        let u2 = scalars.leave(scalars.multiply(scalars.enter(r), inverse))
        guard let point = curve.sum(u1, P256Curve.base, u2, P256Curve.Affine(key)) else { return false }
        return point.x.reduced(by: order) == r
    }

    /// The complementary signature (r, n - s), which is valid whenever (r, s) is.
    package static func twin(of signature: [UInt8]) -> [UInt8] {
        guard signature.count == 64 else { return signature }
        let s = UInt256(bigEndian: signature[32...])
        return signature[..<32] + order.subtracting(s).value.bigEndian
    }
}

/// The curve y² = x³ - 3x + b in Jacobian coordinates (x = X/Z², y = Y/Z³), with all values in Montgomery form.
struct P256Curve {
    struct Affine {
        let x: UInt256
        let y: UInt256

        init(x: UInt256, y: UInt256) {
            self.x = x
            self.y = y
        }

        /// Decodes x then y, 32 bytes each.
        init(_ bytes: [UInt8]) { self.init(x: UInt256(bigEndian: bytes[..<32]), y: UInt256(bigEndian: bytes[32...])) }

        /// The encoded point: x then y, 32 bytes each.
        var bytes: [UInt8] { x.bigEndian + y.bigEndian }
    }

    private struct Jacobian {
        var x: UInt256
        var y: UInt256
        /// Zero for the point at infinity.
        var z: UInt256
    }

    let field: MontgomeryArithmetic

    static let base = Affine(
        x: UInt256(0x7703_7D81_2DEB_33A0_F4A1_3945_D898_C296, 0x6B17_D1F2_E12C_4247_F8BC_E6E5_63A4_40F2),
        y: UInt256(0x2BCE_3357_6B31_5ECE_CBB6_4068_37BF_51F5, 0x4FE3_42E2_FE1A_7F9B_8EE7_EB4A_7C0F_9E16))

    /// The coefficient b of the curve's equation.
    private static let coefficient = UInt256(
        0x651D_06B0_CC53_B0F6_3BCE_3C3E_27D2_604B, 0x5AC6_35D8_AA3A_93E7_B3EB_BD55_7698_86BC)

    /// Returns a point with this x; nil if the curve has none.
    func point(x: UInt256) -> Affine? {
        let entered = field.enter(x)
        let cube = field.multiply(field.multiply(entered, entered), entered)
        let triple = field.add(field.add(entered, entered), entered)
        let square = field.add(field.subtract(cube, triple), field.enter(Self.coefficient))
        // p is 3 modulo 4, so the square root is the power (p + 1) / 4 = 2²⁵⁴ - 2²²² + 2¹⁹⁰ + 2⁹⁴.
        let root = field.power(square, UInt256(1 << 94, (1 << 126) - (1 << 94) + (1 << 62)))
        guard field.multiply(root, root) == square else { return nil }
        return Affine(x: x, y: field.leave(root))
    }

    /// Returns a·P + b·Q; nil at infinity.
    func sum(_ a: UInt256, _ p: Affine, _ b: UInt256, _ q: Affine) -> Affine? {
        let (p, q) = (enter(p), enter(q))
        let both = add(p, q)
        var result = Jacobian(x: .zero, y: .zero, z: .zero)
        for bit in (0..<256).reversed() {
            result = double(result)
            switch (a.bit(bit), b.bit(bit)) {
            case (true, true): result = add(result, both)
            case (true, false): result = add(result, p)
            case (false, true): result = add(result, q)
            case (false, false): break
            }
        }
        guard result.z != .zero else { return nil }
        let inverse = field.inverse(result.z)
        let square = field.multiply(inverse, inverse)
        return Affine(
            x: field.leave(field.multiply(result.x, square)),
            y: field.leave(field.multiply(result.y, field.multiply(square, inverse))))
    }

    private func enter(_ point: Affine) -> Jacobian {
        Jacobian(x: field.enter(point.x), y: field.enter(point.y), z: field.one)
    }

    private func double(_ p: Jacobian) -> Jacobian {
        guard p.z != .zero, p.y != .zero else { return Jacobian(x: .zero, y: .zero, z: .zero) }
        let zz = field.multiply(p.z, p.z)
        // 3x² - 3z⁴ = 3(x - z²)(x + z²)
        let product = field.multiply(field.subtract(p.x, zz), field.add(p.x, zz))
        let slope = field.add(field.add(product, product), product)
        let yy = field.multiply(p.y, p.y)
        let xyy = field.multiply(p.x, yy)
        let fourXYY = field.add(field.add(xyy, xyy), field.add(xyy, xyy))
        let x = field.subtract(field.multiply(slope, slope), field.add(fourXYY, fourXYY))
        let yyyy = field.multiply(yy, yy)
        let two = field.add(yyyy, yyyy)
        let eight = field.add(field.add(two, two), field.add(two, two))
        let y = field.subtract(field.multiply(slope, field.subtract(fourXYY, x)), eight)
        let z = field.multiply(p.y, p.z)
        return Jacobian(x: x, y: y, z: field.add(z, z))
    }

    private func add(_ p: Jacobian, _ q: Jacobian) -> Jacobian {
        if p.z == .zero { return q }
        if q.z == .zero { return p }
        let (pz, qz) = (field.multiply(p.z, p.z), field.multiply(q.z, q.z))
        let (u1, u2) = (field.multiply(p.x, qz), field.multiply(q.x, pz))
        let s1 = field.multiply(p.y, field.multiply(qz, q.z))
        let s2 = field.multiply(q.y, field.multiply(pz, p.z))
        if u1 == u2 { return s1 == s2 ? double(p) : Jacobian(x: .zero, y: .zero, z: .zero) }
        let (h, r) = (field.subtract(u2, u1), field.subtract(s2, s1))
        let hh = field.multiply(h, h)
        let hhh = field.multiply(hh, h)
        let v = field.multiply(u1, hh)
        let x = field.subtract(field.subtract(field.multiply(r, r), hhh), field.add(v, v))
        let y = field.subtract(field.multiply(r, field.subtract(v, x)), field.multiply(s1, hhh))
        return Jacobian(x: x, y: y, z: field.multiply(field.multiply(p.z, q.z), h))
    }
}
