internal import AppStoreModel
internal import Cryptography

/// Derives the identity of a notification without a UUID. The identity is the same for every delivery attempt.
enum LegacyIdentity {
    /// Returns the SHA-256, as 64 hexadecimal digits, of the texts that identify the subject of the notification, one
    /// per line, with an empty line for each absent text. Other transactions in the receipt are excluded, because a
    /// later attempt may contain a newer receipt.
    ///
    /// For a type without a date of its own, two lines are added: the newest date in the receipt and the time of
    /// receipt. Within one period, "renews as basic", "as pro" and again "as basic" have no other differences, and the
    /// third must not be treated as a duplicate.
    static func eventId(
        _ event: LegacyEvent, environment: AppStoreEnvironment, bundleId: BundleId, receivedAt: AppStoreInstant
    ) -> String {
        let statement = event.statement
        let transaction = event.subject?.transaction
        var texts: [String?] = [
            statement.source.rawValue, environment.rawValue, bundleId.rawValue, statement.type.rawValue,
            (statement.originalTransactionId ?? transaction?.originalTransactionId)?.rawValue,
            transaction?.transactionId.rawValue, milliseconds(transaction?.expiresDate),
            milliseconds(event.cancellationDate), statement.autoRenewStatusText,
            milliseconds(statement.autoRenewStatusChangeDate), statement.autoRenewProductId?.rawValue,
            milliseconds(event.renewal?.gracePeriodExpiresDate), event.renewal?.billingRetryText,
            event.renewal?.priceConsentText,
        ]
        if !event.hasDate { texts += [milliseconds(event.newestDate), milliseconds(receivedAt)] }
        return SHA256.digest(of: Array(texts.map { $0 ?? "" }.joined(separator: "\n").utf8)).hex
    }

    private static func milliseconds(_ instant: AppStoreInstant?) -> String? {
        instant.map { String($0.millisecondsSince1970) }
    }
}
