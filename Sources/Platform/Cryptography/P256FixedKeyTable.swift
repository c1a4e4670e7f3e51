internal import COpenSSL

/// Precomputed multiples of one P-256 public key. They reduce the time to verify a signature from about 45 us to 24 us,
/// or to 17 us each for three signatures in one call. The table needs about 150 KiB and takes 16 ms to create. Can be
/// shared between threads.
///
/// Use it only for public inputs, because its timing depends on them. It relies on a deprecated OpenSSL function, so
/// callers verify some of the accepted signatures again with
/// ``P256PublicKey/verify(digest:rawSignature:)-(SHA256Digest,[UInt8])``, and never reject a signature because of the
/// table alone.
package final class P256FixedKeyTable: @unchecked Sendable {
    // @unchecked Sendable because the group and the point do not change after init.

    /// A digest, and a signature as in JWS: r followed by s, 32 bytes each, big-endian.
    package typealias Signature = (digest: SHA256Digest, rawSignature: [UInt8])

    /// The key's point, 04 || x || y.
    package let uncompressedPoint: [UInt8]
    let curve: P256Curve
    /// P-256 with the key's point as the base point, and OpenSSL's table of its multiples. Owned.
    package let group: OpaquePointer
    /// The key's point. Owned.
    let point: OpaquePointer

    /// - Throws: ``CryptographyError`` with code `unavailable` if this libcrypto does not support tables or memory is
    ///   exhausted.
    package init(_ key: P256PublicKey) throws(CryptographyError) {
        ErrorQueue.clear()
        guard let curve = P256Curve.shared, let group = EC_GROUP_dup(curve.group) else {
            throw ErrorQueue.error(.unavailable, "P-256 is not available")
        }
        guard let point = EC_POINT_new(group) else {
            EC_GROUP_free(group)
            throw ErrorQueue.error(.unavailable, "failed to create a curve point")
        }
        uncompressedPoint = key.uncompressedPoint
        (self.curve, self.group, self.point) = (curve, group, point)
        let context = BN_CTX_new()
        defer { BN_CTX_free(context) }
        // Also rejects a point that is not on the curve.
        guard context != nil,
            EC_POINT_oct2point(group, point, uncompressedPoint, uncompressedPoint.count, context) == 1,
            EC_GROUP_set_generator(group, point, curve.order, EC_GROUP_get0_cofactor(curve.group)) == 1
        else { throw ErrorQueue.error(.unavailable, "the key cannot be used as a base point") }
        switch fixed_key_precompute(group, context) {
        case 1: return
        case 0: throw ErrorQueue.error(.unavailable, "failed to precompute the key's multiples")
        default: throw CryptographyError(.unavailable, "\(cryptographyVersion) does not support precomputed key tables")
        }
    }

    deinit {
        EC_POINT_free(point)
        EC_GROUP_free(group)
    }

    /// Returns, for each signature, whether this key made it. The signatures in a call share one inversion.
    ///
    /// A result is also false if OpenSSL could not decide; ``judgements(of:)`` distinguishes the two cases.
    package func verify(_ signatures: [Signature]) -> [Bool] {
        judgements(of: signatures) ?? [Bool](repeating: false, count: signatures.count)
    }

    /// Returns, for each signature, whether this key made it. The result is nil if OpenSSL could not decide because
    /// memory is exhausted.
    package func judgements(of signatures: [Signature]) -> [Bool]? {
        var judgements: [Bool] = []
        judgements.reserveCapacity(signatures.count)
        var rest = signatures[...]
        while !rest.isEmpty {
            let part = rest.prefix(P256Scratch.laneCount)
            rest = rest.dropFirst(part.count)
            guard let judged = curve.withScratch({ judge(part, with: $0) }) else {
                ErrorQueue.clear()
                return nil
            }
            judgements += judged
        }
        return judgements
    }
}
