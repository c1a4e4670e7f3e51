import Testing

/// A situation from Apple's documentation and public reports (cases.md), with the expected access on some days. Days
/// count from the purchase.
struct OracleCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let statements: [AppleStatement]
    /// The expected beginning of the answer on a day.
    let expected: [(date: Double, answer: String)]

    init(_ description: String, _ statements: [AppleStatement], _ expected: (Double, String)...) {
        testDescription = description
        self.statements = statements
        self.expected = expected.map { (date: $0.0, answer: $0.1) }
    }

    static let first = StatedTransaction.monthly("1", from: 0)
    static let second = StatedTransaction.monthly("2", from: 30)
    static let bought = AppleStatement.told("SUBSCRIBED", "INITIAL_BUY", on: 0, 1, first)
    static let renewed = AppleStatement.told("DID_RENEW", on: 30, 1, second)
    static let retried = AppleStatement.told("DID_FAIL_TO_RENEW", on: 30, 3, first) {
        ($0.isInRetry, $0.intent) = (true, 2)
    }

    static func grace(until end: Int64?) -> AppleStatement {
        .told("DID_FAIL_TO_RENEW", "GRACE_PERIOD", on: 30, 4, first) {
            ($0.isInRetry, $0.intent, $0.graceExpires) = (true, 2, end.map { $0 * day })
        }
    }

    static let billing: [OracleCase] = [
        OracleCase(
            "recovered within grace",
            [bought, grace(until: 46), .told("DID_RENEW", "BILLING_RECOVERY", on: 35, 1, second)],
            (34, "yes GRACE"), (40, "yes ACTIVE basic until d60"), (47, "yes ACTIVE"), (59, "yes ACTIVE")),
        OracleCase(
            "recovered in billing retry",
            [bought, retried, .told("DID_RENEW", "BILLING_RECOVERY", on: 41, 1, .monthly("2", from: 41))],
            (31, "no RETRY"), (40, "no RETRY"), (41.01, "yes ACTIVE"), (62, "yes ACTIVE"), (70, "yes ACTIVE")),
        OracleCase(
            "cancelled within grace",
            [
                bought, grace(until: 46),
                .told("EXPIRED", "VOLUNTARY", on: 33, 2, first) {
                    ($0.autoRenews, $0.isInRetry, $0.intent, $0.graceExpires) = (false, false, 1, 46 * day)
                },
            ], (32, "yes GRACE"), (34, "no EXPIRED"), (40, "no EXPIRED")),
        OracleCase(
            "grace without a date", [bought, grace(until: nil)], (31, "yes GRACE"), (32.9, "yes GRACE"),
            (34, "no RETRY")),
        OracleCase(
            "renewal reported 40 minutes after the end of the period",
            [bought, .told("DID_RENEW", on: 30.027, 1, second)],
            (30.014, "yes RENEWING"), (30.03, "yes ACTIVE basic until d60")),
    ]

    static let refunds: [OracleCase] = [
        OracleCase(
            "refund of an earlier period", [bought, renewed, .told("REFUND", on: 40, 1, first.refunded(on: 40))],
            (41, "yes ACTIVE"), (59, "yes ACTIVE")),
        OracleCase(
            "prorated refund of the current period",
            [bought, .told("REFUND", on: 18, 5, first.refunded(on: 18, percentage: 40_000))],
            (17, "yes ACTIVE"), (18.001, "no REVOKED")),
        OracleCase(
            "refund reversed after the period",
            [
                bought, .told("REFUND", on: 5, 5, first.refunded(on: 5)) { $0.autoRenews = false },
                .told("REFUND_REVERSED", on: 40, 2, first) { $0.autoRenews = false },
            ], (6, "no REVOKED"), (41, "no EXPIRED")),
        OracleCase(
            "one of three units refunded",
            [units, .told("REFUND", on: 18, nil, three.refunded(on: 18, percentage: 33_333))],
            (17, "no CREDITED item, 3 units - 0"), (19, "no PARTLY_REFUNDED item, 3 units - 1")),
        OracleCase(
            "upgrade, and the refund of its unused part",
            [
                bought, .told("DID_CHANGE_RENEWAL_PREF", "UPGRADE", on: 10, 1, .monthly("2", from: 10, "pro")),
                .told("REFUND", on: 11, 1, upgraded.refunded(on: 10)),
            ], (9, "yes ACTIVE basic"), (10.001, "yes ACTIVE pro"), (12, "yes ACTIVE pro until d40")),
        OracleCase(
            "family member loses access", [joined, .told("REVOKE", on: 10, 5, member.refunded(on: 10))],
            (9, "yes ACTIVE"), (10.001, "no REVOKED")),
    ]

    private static let three: StatedTransaction = {
        var item = StatedTransaction(id: "1", product: "item", type: StatedTransaction.consumable, start: 0)
        item.quantity = 3
        return item
    }()
    private static let units = AppleStatement.told("ONE_TIME_CHARGE", on: 0, nil, three)
    private static let upgraded = changed(first) { $0.isUpgraded = true }
    private static let member = changed(first) { $0.ownership = "FAMILY_SHARED" }
    private static let joined = AppleStatement.told("SUBSCRIBED", "INITIAL_BUY", on: 1, 1, member)

    static func changed(
        _ transaction: StatedTransaction, _ change: (inout StatedTransaction) -> Void
    ) -> StatedTransaction {
        var copy = transaction
        change(&copy)
        return copy
    }
}
