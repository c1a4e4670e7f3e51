internal import COpenSSL

// FIPS 186-4, 6.4: with w = 1 / s modulo n, u1 = e w and u2 = r w, the signature is valid if the point u1 G + u2 Q is
// not at infinity and its x-coordinate equals r modulo n. u1 G uses OpenSSL's own table, and u2 Q uses the key's table.

extension P256FixedKeyTable {
    /// Verifies signatures, at most one per lane. Returns nil if OpenSSL fails.
    func judge(_ signatures: ArraySlice<Signature>, with scratch: P256Scratch) -> [Bool]? {
        var judgements: [Bool] = []
        judgements.reserveCapacity(signatures.count)
        for (lane, signature) in zip(scratch.lanes, signatures) {
            guard let isInRange = read(signature, into: lane, scratch) else { return nil }
            judgements.append(isInRange)
        }
        let lanes = scratch.lanes[..<judgements.count]
        guard !lanes.isEmpty, invert(lanes, scratch) else { return nil }
        for (index, lane) in lanes.enumerated() where judgements[index] {
            guard let isGood = holds(lane, scratch) else { return nil }
            judgements[index] = isGood
        }
        return judgements
    }

    /// Loads a signature and returns whether r and s are in 1 ..< n. If not, sets the lane's s to 1, so that the
    /// product of all lanes remains invertible. Returns nil if OpenSSL fails.
    private func read(_ signature: Signature, into lane: P256Scratch.Lane, _ scratch: P256Scratch) -> Bool? {
        let order = curve.order
        let isRead = signature.digest.withUnsafeBytes { digest in
            BN_bin2bn(digest.assumingMemoryBound(to: UInt8.self).baseAddress, 32, lane.e) != nil
        }
        guard isRead else { return nil }
        // The digest is below 2^256, which is less than 2 n, so one subtraction reduces it modulo n.
        if BN_cmp(lane.e, order) >= 0, BN_sub(lane.e, lane.e, order) != 1 { return nil }
        var isInRange = signature.rawSignature.count == ECDSASignature.rawByteCount
        if isInRange {
            let isRead = signature.rawSignature.withUnsafeBufferPointer { raw in
                BN_bin2bn(raw.baseAddress, 32, lane.r) != nil
                    && BN_bin2bn(raw.baseAddress.map { $0 + 32 }, 32, lane.s) != nil
            }
            guard isRead else { return nil }
            isInRange =
                BN_is_zero(lane.r) == 0 && BN_is_zero(lane.s) == 0 && BN_cmp(lane.r, order) < 0
                && BN_cmp(lane.s, order) < 0
        }
        if !isInRange, BN_set_word(lane.s, 1) != 1 { return nil }
        guard BN_to_montgomery(lane.s, lane.s, curve.montgomery, scratch.context) == 1 else { return nil }
        return isInRange
    }

    /// Replaces each lane's e with u1, and its product with u2. All lanes share one inversion: the product of all s is
    /// inverted, and the inverse of each s is derived from it.
    private func invert(_ lanes: ArraySlice<P256Scratch.Lane>, _ scratch: P256Scratch) -> Bool {
        let (montgomery, context, all) = (curve.montgomery, scratch.context, scratch.product)
        guard BN_copy(all, BN_value_one()) != nil, BN_to_montgomery(all, all, montgomery, context) == 1 else {
            return false
        }
        for lane in lanes {
            guard BN_copy(lane.product, all) != nil,
                BN_mod_mul_montgomery(all, all, lane.s, montgomery, context) == 1
            else { return false }
        }
        guard BN_from_montgomery(all, all, montgomery, context) == 1,
            BN_mod_exp_mont(all, all, curve.orderMinusTwo, curve.order, context, montgomery) == 1,
            BN_to_montgomery(all, all, montgomery, context) == 1
        else { return false }
        for lane in lanes.reversed() {
            // The Montgomery product of a number in Montgomery form and one in plain form is in plain form.
            guard BN_mod_mul_montgomery(lane.product, lane.product, all, montgomery, context) == 1,
                BN_mod_mul_montgomery(all, all, lane.s, montgomery, context) == 1,
                BN_mod_mul_montgomery(lane.e, lane.e, lane.product, montgomery, context) == 1,
                BN_mod_mul_montgomery(lane.product, lane.r, lane.product, montgomery, context) == 1
            else { return false }
        }
        return true
    }

    /// Returns whether the x-coordinate of u1 G + u2 Q equals r modulo n, or nil if OpenSSL fails.
    private func holds(_ lane: P256Scratch.Lane, _ scratch: P256Scratch) -> Bool? {
        let (context, sum, multiple) = (scratch.context, scratch.sum, scratch.multiple)
        guard EC_POINT_mul(curve.group, sum, lane.e, nil, nil, context) == 1,
            EC_POINT_mul(group, multiple, lane.product, nil, nil, context) == 1,
            EC_POINT_add(curve.group, sum, sum, multiple, context) == 1
        else { return nil }
        if EC_POINT_is_at_infinity(curve.group, sum) == 1 { return false }
        guard EC_POINT_get_affine_coordinates(curve.group, sum, scratch.x, nil, context) == 1 else { return nil }
        // x is below p, which is less than 2 n, so one subtraction reduces it modulo n.
        if BN_cmp(scratch.x, curve.order) >= 0, BN_sub(scratch.x, scratch.x, curve.order) != 1 { return nil }
        return BN_cmp(scratch.x, lane.r) == 0
    }
}
