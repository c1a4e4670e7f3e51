/// Cases for seats and commitments.
extension OracleCase {
    static let seats: [OracleCase] = [
        OracleCase(
            "seats added within the period; both transactions are marked",
            [
                .told("SUBSCRIBED", "INITIAL_BUY", on: 0, 1, five), .told("UNKNOWN", "UNKNOWN", on: 10, 1, added),
                .told("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", on: 12, 1, marked) { $0.autoRenews = false },
            ], (9, "yes ACTIVE basic until d30.0, 5 seats"), (11, "yes ACTIVE basic until d30.0, 7 seats"),
            (13, "yes ACTIVE basic until d30.0, 7 seats"), (29, "yes"), (31, "no EXPIRED")),
        OracleCase(
            "two of five seats refunded",
            [
                .told("SUBSCRIBED", "INITIAL_BUY", on: 0, 1, five),
                .told("REFUND", "SEATS", on: 8, 1, changed(five) { $0.revokedSeats = 2 }),
            ], (7, "yes ACTIVE basic until d30.0, 5 seats"), (9, "yes ACTIVE basic until d30.0, 3 seats")),
        OracleCase(
            "assigned transaction revoked",
            [
                .told("SUBSCRIBED", "INITIAL_BUY", on: 0, 1, assigned),
                .told("REVOKE", on: 12, nil, assigned.refunded(on: 12)),
            ], (1, "yes ACTIVE"), (13, "no REVOKED")),
    ]

    static let commitments: [OracleCase] = [
        OracleCase(
            "renewal of a commitment turned off, twelve periods paid",
            twelve + [
                .told("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", on: 70, 1, month(3)) {
                    $0.commitmentAutoRenews = false
                },
                .told("EXPIRED", "VOLUNTARY", on: 360, 2, month(12)) { ($0.isInRetry, $0.intent) = (false, 1) },
            ], (71, "yes ACTIVE"), (200, "yes ACTIVE"), (359, "yes ACTIVE"), (361, "no EXPIRED")),
        OracleCase(
            "failed charge of a commitment",
            Array(twelve[0..<4]) + [
                .told("DID_FAIL_TO_RENEW", on: 120, 3, month(4)) { ($0.isInRetry, $0.intent) = (true, 2) },
                .told("EXPIRED", "BILLING_RETRY", on: 210, 2, month(4)) { ($0.isInRetry, $0.intent) = (false, 2) },
            ], (121, "no RETRY"), (185, "no RETRY"), (211, "no EXPIRED")),
        OracleCase(
            "refund of the current period of a commitment",
            Array(twelve[0..<4]) + [.told("REFUND", on: 100, 5, month(4).refunded(on: 100))],
            (99, "yes ACTIVE"), (101, "no REVOKED"), (121, "no REVOKED")),
    ]

    private static let five = changed(first) { $0.quantity = 5 }
    private static let marked = changed(five) { $0.isSeatAddition = true }
    private static let added = changed(first) {
        ($0.id, $0.start, $0.quantity, $0.isSeatAddition) = ("2", 10 * day, 2, true)
    }
    private static let assigned = changed(first) { ($0.ownership, $0.quantity) = ("ASSIGNED", 50) }

    private static func month(_ number: Int64) -> StatedTransaction {
        changed(.monthly(String(number), from: Double(30 * (number - 1)))) {
            $0.commitment = StatedCommitment(number: number, expires: 360 * day)
        }
    }

    private static let twelve: [AppleStatement] = (1...12).map { number in
        .told(number == 1 ? "SUBSCRIBED" : "DID_RENEW", on: Double(30 * (number - 1)), 1, month(number))
    }
}
