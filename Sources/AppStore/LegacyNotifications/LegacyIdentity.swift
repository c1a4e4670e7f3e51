internal import AppStoreModel
internal import Cryptography

/// Derives the identity of a notification that has no UUID. All delivery attempts have the same identity if the body
/// contains the date of the event.
enum LegacyIdentity {
    /// Returns the SHA-256 digest, as 64 hexadecimal digits, of the strings that identify the subject of the
    /// notification, one per line, with an empty line for each absent string. Other transactions in the receipt are
    /// excluded, because a later attempt may contain a newer receipt.
    ///
    /// If the body does not contain the date of the event, two lines are added: the newest date in the body that
    /// concerns the purchase, and the time when the body was received. Without them, if a customer switches from basic
    /// to pro and back within one period, the second "renews as basic" would be treated as a duplicate of the first.
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
