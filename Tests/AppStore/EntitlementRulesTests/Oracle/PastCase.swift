import Testing

/// A past whose statements were later replaced, and the access expected at that time. Days count from the purchase of a
/// month.
struct PastCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let statements: [AppleStatement]
    let date: Double
    /// The specified answer for the statements that Apple had signed by then.
    let expected: String
    /// Whether the answer must report incomplete knowledge of the day.
    var isUnknown = false

    var moment: Int64 { Int64(date * 86_400_000) }

    static let all: [PastCase] = [
        PastCase(
            testDescription: "upgraded after the next period had been renewed early",
            statements: [bought, renewedEarly, upgraded, renewedUpgrade], date: 30.5,
            expected: "yes ACTIVE pro until d59.8, 1 seats"),
        PastCase(
            testDescription: "before the upgrade, with the renewal already reported",
            statements: [bought, renewedEarly, upgraded, renewedUpgrade], date: 29.7,
            expected: "yes ACTIVE basic until d60.0, 1 seats"),
        PastCase(
            testDescription: "before a second upgrade, with the renewal that it replaces already reported",
            statements: [
                bought, upgradedFirst, .told("SUBSCRIBED", "RESUBSCRIBE", on: 90, 1, .monthly("5", from: 90)),
                .told("DID_RENEW", on: 119.5, 1, .monthly("6", from: 120)),
                .told("DID_CHANGE_RENEWAL_PREF", "UPGRADE", on: 125, 1, .monthly("7", from: 125, "pro")),
                .told("CONSUMPTION_REQUEST", on: 130, 1, replaced),
            ], date: 121, expected: "yes ACTIVE basic until d150.0, 1 seats"),
        PastCase(
            testDescription: "before an upgrade reported a day late, with its transaction uploaded earlier",
            statements: [
                bought, renewedEarly, AppleStatement(signed: boughtUp.signed, transaction: boughtUp),
                .told("DID_CHANGE_RENEWAL_PREF", "UPGRADE", on: 31, 1, boughtUp),
            ], date: 30.5, expected: "yes ACTIVE basic until d60.0, 1 seats", isUnknown: true),
        PastCase(
            testDescription: "grace of 16 days whose end was lost, recovered on day 85",
            statements: [bought, grace, recovered], date: 80, expected: "no RETRY basic until d90.0", isUnknown: true),
        PastCase(
            testDescription: "a failed charge, on the day before its recovery",
            statements: [bought, failed, recovered], date: 84, expected: "no RETRY basic until d90.0"),
        PastCase(
            testDescription: "a renewal reported 40 minutes after the end of the period",
            statements: [bought, renewedLate], date: 30.01, expected: "yes RENEWING basic, 1 seats", isUnknown: true),
        PastCase(
            testDescription: "refunded again after a reversal",
            statements: [one, refund(5), reversal(10), refund(15)], date: 7, expected: "no REVOKED item"),
        PastCase(
            testDescription: "between a reversal and the second refund",
            statements: [one, refund(5), reversal(10), refund(15)], date: 12, expected: "yes OWNED item"),
        PastCase(
            testDescription: "between a refund and its notification", statements: [one, refund(5)], date: 5.0005,
            expected: "yes OWNED item", isUnknown: true),
        PastCase(
            testDescription: "between an upgrade and its notification", statements: [bought, upgraded],
            date: 29.8005, expected: "yes ACTIVE basic until d30.0, 1 seats", isUnknown: true),
        PastCase(
            testDescription: "before the refund of an item", statements: [sold([]), sold([9])], date: 8,
            expected: "yes ACTIVE basic until d30.0, 1 seats, items A B", isUnknown: true),
        PastCase(
            testDescription: "after the refund of an item, with its transaction signed again",
            statements: [sold([]), sold([9]), handedIn(12)], date: 10,
            expected: "yes ACTIVE basic until d30.0, 1 seats, items B"),
    ]

    private static let first = StatedTransaction.monthly("1", from: 0)
    private static let bought = AppleStatement.told("SUBSCRIBED", "INITIAL_BUY", on: 0.001, 1, first)
    private static let renewedEarly = AppleStatement.told("DID_RENEW", on: 29.5, 1, .monthly("2", from: 30))
    private static let renewedLate = AppleStatement.told("DID_RENEW", on: 30.0278, 1, .monthly("2", from: 30))
    private static let upgraded = AppleStatement.told(
        "DID_CHANGE_RENEWAL_PREF", "UPGRADE", on: 29.801, 1,
        StatedTransaction(
            id: "3", product: "pro", start: Int64(29.8 * 86_400_000), expires: Int64(59.8 * 86_400_000)))
    private static let boughtUp = StatedTransaction(
        id: "3", product: "pro", start: Int64(29.8 * 86_400_000), expires: Int64(59.8 * 86_400_000),
        signed: Int64(29.81 * 86_400_000))
    private static let upgradedFirst = AppleStatement.told(
        "DID_CHANGE_RENEWAL_PREF", "UPGRADE", on: 10, 1, .monthly("3", from: 10, "pro"))
    private static let replaced: StatedTransaction = {
        var transaction = StatedTransaction.monthly("6", from: 120)
        transaction.isUpgraded = true
        return transaction
    }()
    private static let renewedUpgrade = AppleStatement.told("DID_RENEW", on: 59.81, 1, .monthly("4", from: 59.8, "pro"))
    private static let grace = AppleStatement.told("DID_FAIL_TO_RENEW", "GRACE_PERIOD", on: 30, 4, first) {
        ($0.isInRetry, $0.intent, $0.graceExpires) = (true, 2, 46 * day)
    }
    private static let failed = AppleStatement.told("DID_FAIL_TO_RENEW", on: 30, 3, first) {
        ($0.isInRetry, $0.intent) = (true, 2)
    }
    private static let recovered = AppleStatement.told(
        "DID_RENEW", "BILLING_RECOVERY", on: 85, 1, .monthly("2", from: 85))

    /// Returns the first period with two items. The first item is revoked on the given day, if any.
    private static func sold(_ dates: [Double]) -> AppleStatement {
        var transaction = first
        transaction.items = [StatedItem(sku: "A", revoked: dates.first.map { Int64($0 * 86_400_000) })]
        transaction.items.append(StatedItem(sku: "B"))
        return AppleStatement.told(
            dates.isEmpty ? "SUBSCRIBED" : "REFUND", on: (dates.first ?? 0) + 0.001, 1, transaction)
    }

    private static func handedIn(_ date: Double) -> AppleStatement {
        var transaction = sold([9]).transaction
        transaction?.signed = Int64(date * 86_400_000)
        return AppleStatement(signed: Int64(date * 86_400_000), transaction: transaction)
    }

    private static let item = StatedTransaction(
        id: "1", product: "item", type: StatedTransaction.nonConsumable, start: 0)
    private static let one = AppleStatement.told("ONE_TIME_CHARGE", on: 0.001, nil, item)
    private static func refund(_ date: Double) -> AppleStatement {
        var refunded = item
        refunded.revoked = Int64(date * 86_400_000)
        return AppleStatement.told("REFUND", on: date + 0.001, nil, refunded)
    }
    private static func reversal(_ date: Double) -> AppleStatement {
        AppleStatement.told("REFUND_REVERSED", on: date, nil, item)
    }
}
