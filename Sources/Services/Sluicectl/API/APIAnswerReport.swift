internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import CommandLine
internal import JSON

/// A verified response from the App Store Server API, as text and as JSON.
struct APIAnswerReport {
    let text: String
    let json: JSONObject
    /// The response's objects that failed verification.
    var refused: [RefusedObject] = []
    /// Whether the result is positive. It is negative if Apple does not know the order, or if the test notification was
    /// not delivered.
    var isYes = true

    var isGood: Bool { isYes && refused.isEmpty }

    // MARK: transactions

    static func transaction(_ transaction: VerifiedTransaction) -> APIAnswerReport {
        APIAnswerReport(
            text: SignedMembersText.lines(object(transaction.transaction)),
            json: [OutputName.transaction: .object(object(transaction.transaction))])
    }

    static func transactions(_ page: TransactionPage, isRefunds: Bool) -> APIAnswerReport {
        let objects = page.transactions.map { object($0.transaction) }
        var text = isRefunds ? SignedMembersText.refunds(objects) : SignedMembersText.transactions(objects)
        if let revision = page.revision {
            text +=
                "\n\(page.hasMore ? "more with" : "later changes with")  --revision \(PlainText.printable(revision))\n"
        }
        return APIAnswerReport(
            text: text,
            json: [
                OutputName.transactions: .array(objects.map { .object($0) }),
                OutputName.revision: page.revision.map { .string($0) } ?? .null,
                OutputName.hasMore: .bool(page.hasMore), OutputName.refused: json(page.refused),
            ], refused: page.refused)
    }

    static func order(_ order: OrderLookup) -> APIAnswerReport {
        let objects = order.transactions.map { object($0.transaction) }
        let isKnown = order.status == .valid
        return APIAnswerReport(
            text: isKnown ? SignedMembersText.transactions(objects) : "this app has no such order\n",
            json: [
                OutputName.status: .integer(Int64(order.status.rawValue)),
                OutputName.transactions: .array(objects.map { .object($0) }), OutputName.refused: json(order.refused),
            ], refused: order.refused, isYes: isKnown)
    }

    // MARK: subscriptions

    static func subscriptions(_ statuses: SubscriptionStatuses) -> APIAnswerReport {
        let subscriptions = statuses.groups.flatMap { group in
            group.subscriptions.map { subscription -> JSONObject in
                [
                    OutputName.subscriptionGroupIdentifier: group.subscriptionGroupIdentifier.map {
                        .string($0.rawValue)
                    } ?? .null,
                    OutputName.status: .integer(Int64(subscription.status.rawValue)),
                    OutputName.transaction: .object(object(subscription.latest.transaction)),
                    OutputName.renewalInfo: subscription.latest.renewalInfo.map { .object(object($0)) } ?? .null,
                ]
            }
        }
        return APIAnswerReport(
            text: SignedMembersText.subscriptions(subscriptions),
            json: [
                OutputName.subscriptions: .array(subscriptions.map { .object($0) }),
                OutputName.refused: json(statuses.refused),
            ], refused: statuses.refused)
    }

    // MARK: test notification

    /// - Parameter isExpected: whether the command waited for Apple's delivery report.
    static func testNotification(
        _ token: TestNotificationToken, _ status: TestNotificationStatus?, isExpected: Bool
    ) -> APIAnswerReport {
        let attempts = status?.sendAttempts ?? []
        let isDelivered = attempts.contains { $0.result == .success }
        var text = "token  \(PlainText.printable(token.rawValue))\n"
        if isExpected {
            text += attempts.isEmpty ? "\nno report from Apple yet: run again with a longer --wait\n" : "\n"
            text += PlainText.table(
                attempts.map { attempt in
                    [
                        attempt.attemptDate.map { PlainText.seconds($0) } ?? "-",
                        PlainText.printable(attempt.result?.rawValue ?? "-"),
                    ]
                })
        }
        return APIAnswerReport(
            text: text,
            json: [
                OutputName.testNotificationToken: .string(token.rawValue),
                OutputName.sendAttempts: .array(attempts.map { .object(json($0)) }),
            ], isYes: isDelivered || !isExpected)
    }

    private static func json(_ attempt: SendAttempt) -> JSONObject {
        [
            OutputName.attemptDate: attempt.attemptDate.map { .integer($0.millisecondsSince1970) } ?? .null,
            OutputName.sendAttemptResult: attempt.result.map { .string($0.rawValue) } ?? .null,
        ]
    }

    // MARK: private details

    private static func json(_ refused: [RefusedObject]) -> JSONValue {
        .array(
            refused.map {
                .object([OutputName.reason: .string($0.reason), OutputName.detail: .string($0.detail)])
            })
    }

    /// Parses verified text, which is always a JSON object.
    private static func object(_ signed: [UInt8]) -> JSONObject { (try? JSONValue(json: signed))?.object ?? [:] }
}
