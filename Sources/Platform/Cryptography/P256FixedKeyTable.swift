internal import CFixedKey
internal import COpenSSL

/// Multiples of one public key on P-256, computed in advance: a signature by that key is judged in about 24 us instead
/// of 45, and each of three together in 17. About 150 KiB; made in about 16 ms. Shared by all threads.
///
/// For public inputs only: what it takes depends on them. And it stands on a function that OpenSSL has deprecated. So its
/// user repeats some of what it says with ``P256PublicKey/verify(digest:rawSignature:)-(SHA256Digest,[UInt8])``, and never
/// lets it refuse.
package final class P256FixedKeyTable: @unchecked Sendable {
    // @unchecked Sendable because group and point are not changed once made.

    /// A digest, and r then s as JWS writes them: 32 bytes each, big endian.
    package typealias Signature = (digest: SHA256Digest, rawSignature: [UInt8])

    /// The key's point, 04 || x || y.
    package let uncompressedPoint: [UInt8]
    let curve: P256Curve
    /// P-256 with the key's point in the place of the base point, and OpenSSL's table of its multiples. Owned.
    package let group: OpaquePointer
    /// The key's point. Owned.
    let point: OpaquePointer

    /// - Throws: ``CryptographyError`` with code `unavailable` where this libcrypto makes no tables, or has no memory.
    package init(_ key: P256PublicKey) throws(CryptographyError) {
        ErrorQueue.clear()
        guard let curve = P256Curve.shared, let group = EC_GROUP_dup(curve.group) else {
            throw ErrorQueue.error(.unavailable, "no P-256")
        }
        guard let point = EC_POINT_new(group) else {
            EC_GROUP_free(group)
            throw ErrorQueue.error(.unavailable, "no memory for a point")
        }
        uncompressedPoint = key.uncompressedPoint
        (self.curve, self.group, self.point) = (curve, group, point)
        let context = BN_CTX_new()
        defer { BN_CTX_free(context) }
        // Refuses a point that is not on the curve.
        guard context != nil,
            EC_POINT_oct2point(group, point, uncompressedPoint, uncompressedPoint.count, context) == 1,
            EC_GROUP_set_generator(group, point, curve.order, EC_GROUP_get0_cofactor(curve.group)) == 1
        else { throw ErrorQueue.error(.unavailable, "the key is no base point") }
        switch fixed_key_precompute(group, context) {
        case 1: return
        case 0: throw ErrorQueue.error(.unavailable, "the multiples of a key cannot be computed")
        default: throw CryptographyError(.unavailable, "\(cryptographyVersion) makes no tables of a key's multiples")
        }
    }

    deinit {
        EC_POINT_free(point)
        EC_GROUP_free(group)
    }

    /// Whether each signature is one by this key. Those of one call share an inversion.
    ///
    /// False too where OpenSSL could not decide; ``judgements(of:)`` tells the two apart.
    package func verify(_ signatures: [Signature]) -> [Bool] {
        judgements(of: signatures) ?? [Bool](repeating: false, count: signatures.count)
    }

    /// Whether each signature is one by this key; nil when OpenSSL could not decide: no memory.
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
