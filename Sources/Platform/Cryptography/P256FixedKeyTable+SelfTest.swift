internal import COpenSSL

extension P256FixedKeyTable {
    /// Returns whether the table yields the same multiples as OpenSSL without the table, accepts a valid signature and
    /// rejects modified ones. Call this before using the table; it takes about 20 ms.
    ///
    /// The test computes multiples by 64 random numbers, by each power of two, by the smallest and largest numbers, and
    /// by numbers that together use each entry of a table with seven-bit windows, as in OpenSSL.
    ///
    /// - Parameters:
    ///   - digest: the digest of data that the key has signed.
    ///   - rawSignature: a valid signature over that data.
    package func passesSelfTest(digest: SHA256Digest, rawSignature: [UInt8]) -> Bool {
        defer { ErrorQueue.clear() }
        return multipliesRightly() && judgesRightly(digest, rawSignature)
    }

    private func judgesRightly(_ digest: SHA256Digest, _ rawSignature: [UInt8]) -> Bool {
        guard rawSignature.count == ECDSASignature.rawByteCount else { return false }
        func changed(_ index: Int) -> [UInt8] {
            var changed = rawSignature
            changed[index] ^= 1
            return changed
        }
        var otherDigest = digest.bytes
        otherDigest[31] ^= 1
        guard let otherDigest = SHA256Digest(bytes: otherDigest) else { return false }
        let signatures: [Signature] = [
            (digest, rawSignature), (digest, changed(31)), (digest, changed(63)), (digest, rawSignature),
            (otherDigest, rawSignature),
        ]
        return judgements(of: signatures) == [true, false, false, true, false]
    }

    private func multipliesRightly() -> Bool {
        curve.withScratch { scratch -> Bool? in
            let number = scratch.x
            func isRight() -> Bool {
                EC_POINT_mul(group, scratch.multiple, number, nil, nil, scratch.context) == 1
                    && EC_POINT_mul(curve.group, scratch.sum, nil, point, number, scratch.context) == 1
                    && EC_POINT_cmp(curve.group, scratch.multiple, scratch.sum, scratch.context) == 0
            }
            for small in 0..<UInt(4) {
                guard BN_set_word(number, small) == 1, isRight() else { return false }
                guard BN_copy(number, curve.order) != nil, BN_sub_word(number, small + 1) == 1, isRight() else {
                    return false
                }
            }
            for bit in 0..<Int32(256) {
                guard BN_set_word(number, 0) == 1, BN_set_bit(number, bit) == 1, isRight() else { return false }
            }
            for windows in Self.everyEntry {
                guard BN_bin2bn(windows, 32, number) != nil, isRight() else { return false }
            }
            for _ in 0..<64 {
                guard BN_rand_range(number, curve.order) == 1, isRight() else { return false }
            }
            return true
        } ?? false
    }

    /// 32-byte numbers. OpenSSL reads seven-bit windows as signed digits from -64 to 64, and together these numbers
    /// contain each digit. A window of 64 becomes the digit -64 and adds 1 to the next window, so if the next window is
    /// 63, it becomes the digit 64.
    private static let everyEntry: [[UInt8]] =
        (1...63).map { digit in number { _ in digit } }
        + [number { $0 & 1 == 0 ? 64 : 63 }, number { $0 & 1 == 0 ? 63 : 64 }]

    /// Returns the number with these windows, lowest first. The top four bits are above the 36th window.
    private static func number(_ window: (Int) -> UInt8) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        for bit in 0..<256 where window(bit / 7) >> UInt8(bit % 7) & 1 == 1 {
            bytes[31 - bit / 8] |= 1 << UInt8(bit % 8)
        }
        return bytes
    }
}
