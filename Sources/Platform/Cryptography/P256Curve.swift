internal import COpenSSL
internal import Synchronization

/// The curve P-256 (FIPS 186-4, D.1.2.3), its order n, and memory for computations on the curve. One instance per
/// process.
final class P256Curve: @unchecked Sendable {
    // @unchecked Sendable because the group and the numbers do not change after init, and each scratch has one user at
    // a time.

    /// The shared instance, or nil if libcrypto has no P-256 or memory is exhausted.
    static let shared = P256Curve()

    // Owned, like the next two properties; freed in deinit.
    let group: OpaquePointer
    /// n - 2, the exponent for computing inverses modulo the prime n.
    let orderMinusTwo: OpaquePointer
    /// The context for Montgomery multiplication modulo n.
    let montgomery: OpaquePointer
    /// The order n, owned by the group.
    let order: OpaquePointer
    private let scratches = Mutex<[P256Scratch]>([])

    private init?() {
        defer { ErrorQueue.clear() }
        guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else { return nil }
        let context = BN_CTX_new()
        defer { BN_CTX_free(context) }
        guard let order = EC_GROUP_get0_order(group), let orderMinusTwo = BN_dup(order),
            let montgomery = BN_MONT_CTX_new()
        else {
            EC_GROUP_free(group)
            return nil
        }
        (self.group, self.order, self.orderMinusTwo, self.montgomery) = (group, order, orderMinusTwo, montgomery)
        guard context != nil, BN_sub_word(orderMinusTwo, 2) == 1, BN_MONT_CTX_set(montgomery, order, context) == 1
        else { return nil }
    }

    deinit {
        BN_MONT_CTX_free(montgomery)
        BN_free(orderMinusTwo)
        EC_GROUP_free(group)
    }

    /// Calls `body` with memory for its exclusive use. Returns nil if no memory is available, or if `body`
    /// returns nil.
    func withScratch<Value>(_ body: (P256Scratch) -> Value?) -> Value? {
        guard let scratch = scratches.withLock({ $0.popLast() }) ?? P256Scratch(group) else { return nil }
        defer { scratches.withLock { $0.append(scratch) } }
        return body(scratch)
    }
}

/// Numbers and points that are reused, because creating them for each computation costs more than the arithmetic.
final class P256Scratch: @unchecked Sendable {
    // @unchecked Sendable because P256Curve passes it to one user at a time.

    /// The intermediate values for one signature.
    struct Lane {
        /// The r component of the signature.
        let r: OpaquePointer
        /// The digest as a number below n, later replaced by u1.
        let e: OpaquePointer
        /// The s component of the signature, in Montgomery form.
        let s: OpaquePointer
        /// Holds, in turn, the product of s over all earlier lanes, the inverse of s, and u2. The first two are in
        /// Montgomery form.
        let product: OpaquePointer
    }

    /// The maximum number of signatures that share an inversion, enough for eight notifications with three signatures
    /// each.
    static let laneCount = 32

    // All owned; freed in deinit.
    let context: OpaquePointer
    let lanes: [Lane]
    /// The product of s over all lanes, later replaced by its inverse.
    let product: OpaquePointer
    let x: OpaquePointer
    let sum: OpaquePointer
    let multiple: OpaquePointer

    fileprivate init?(_ group: OpaquePointer) {
        defer { ErrorQueue.clear() }
        var numbers: [OpaquePointer] = []
        while numbers.count < 4 * Self.laneCount + 2, let number = BN_new() { numbers.append(number) }
        let (context, sum, multiple) = (BN_CTX_new(), EC_POINT_new(group), EC_POINT_new(group))
        guard numbers.count == 4 * Self.laneCount + 2, let context, let sum, let multiple else {
            for number in numbers { BN_free(number) }
            BN_CTX_free(context)
            EC_POINT_free(sum)
            EC_POINT_free(multiple)
            return nil
        }
        lanes = (0..<Self.laneCount).map {
            Lane(r: numbers[4 * $0], e: numbers[4 * $0 + 1], s: numbers[4 * $0 + 2], product: numbers[4 * $0 + 3])
        }
        (product, x) = (numbers[4 * Self.laneCount], numbers[4 * Self.laneCount + 1])
        (self.context, self.sum, self.multiple) = (context, sum, multiple)
    }

    deinit {
        for lane in lanes { for number in [lane.r, lane.e, lane.s, lane.product] { BN_free(number) } }
        BN_free(product)
        BN_free(x)
        EC_POINT_free(sum)
        EC_POINT_free(multiple)
        BN_CTX_free(context)
    }
}
