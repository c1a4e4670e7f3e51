import Testing

/// Rows of the table in app-store.md 12.4, by number. Days count from the purchase.
@Suite struct LegacyOracleTests {
    private static let first = OracleCase.first
    private static let second = OracleCase.second
    private static let minuteOfDay = 1.0 / 1_440

    private static func body(
        _ type: String, on date: Double, _ transaction: StatedTransaction, newest: StatedTransaction? = nil,
        _ change: (inout StatedRenewal) -> Void = { _ in }
    ) -> StatedBody {
        let received = Int64(date * 86_400_000)
        let newest = newest ?? transaction
        var renewal = StatedRenewal(
            product: newest.product, nextProduct: newest.product, renewalDate: newest.expires ?? 0)
        change(&renewal)
        return StatedBody(
            type: type, received: received, date: received, transaction: transaction, renewal: renewal,
            newestStart: newest.start)
    }

    private static let failed = body("DID_FAIL_TO_RENEW", on: 30, first) {
        ($0.isInRetry, $0.graceExpires, $0.intent) = (true, 46 * day, 2)
    }
    private static let cancelled = body("REFUND", on: 10, first.refunded(on: 10 - minuteOfDay)) {
        $0.autoRenews = false
    }

    /// Returns a signed copy of the first transaction, as in an API response.
    private static func copy(on date: Double, _ status: Int = 1) -> AppleStatement {
        var copy = AppleStatement.told("", on: date, status, first)
        copy.type = nil
        return copy
    }

    private func accepted(
        _ signed: [AppleStatement], _ bodies: [StatedBody], asked: [Double] = [], on date: Double
    ) -> Set<String> {
        let moment = Int64(date * 86_400_000)
        let oracle = LegacyOracle(
            signed: signed, bodies: bodies, asked: asked.map { Int64($0 * 86_400_000) }, settings: AccessSettings())
        return Set(oracle.accepted(at: moment).map { $0.answer(at: moment).map { "\($0)" } ?? "nothing" })
    }

    @Test func `1: a recovery in grace takes precedence over a failure with the same date`() {
        let recovered = Self.body("DID_RENEW", on: 34, Self.second)
        let answer = OracleCase.grace(until: 46)
        #expect(
            accepted([OracleCase.bought, answer], [Self.failed, recovered], asked: [30.01], on: 47)
                == ["yes ACTIVE basic until d60.0, 1 seats"])
    }

    @Test func `3, 4 and 12: a cancellation applies immediately, until a copy signed five minutes later has none`() {
        let (minute, bought) = (Self.minuteOfDay, OracleCase.bought)
        #expect(accepted([bought], [Self.cancelled], on: 10.5) == ["no REVOKED basic"])
        let soon = Self.copy(on: 10 + 2 * minute)
        #expect(accepted([bought, soon], [Self.cancelled], asked: [10 + minute], on: 10.5) == ["no REVOKED basic"])
        let late = Self.copy(on: 10 + 6 * minute)
        #expect(
            accepted([bought, soon, late], [Self.cancelled], asked: [10 + minute], on: 10.5)
                == ["yes ACTIVE basic until d30.0, 1 seats"])
    }

    @Test func `5: no later body undoes a cancellation`() {
        let preference = Self.body("DID_CHANGE_RENEWAL_PREF", on: 11, Self.first)
        #expect(accepted([], [Self.cancelled, preference], on: 12) == ["no REVOKED basic"])
    }

    @Test func `6: a cancellation of an earlier period does not affect the current one`() {
        let cancelled = Self.body("REFUND", on: 40, Self.first.refunded(on: 40), newest: Self.second)
        #expect(
            accepted([OracleCase.bought, OracleCase.renewed], [cancelled], on: 41)
                == ["yes ACTIVE basic until d60.0, 1 seats"])
    }

    @Test func `13: an unsigned renewal applies if accepted`() {
        let renewed = Self.body("DID_RENEW", on: 29.9, Self.second)
        // A body received before the query is settled only by a signed copy of the transaction itself.
        for asked in [[], [29.95]] {
            #expect(
                accepted([OracleCase.bought], [renewed], asked: asked, on: 31)
                    == ["yes ACTIVE basic until d60.0, 1 seats"])
        }
    }
}
