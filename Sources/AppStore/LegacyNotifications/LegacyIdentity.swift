internal import AppStoreModel
internal import Cryptography

/// The identity of a notification that has none of its own: the same for every attempt to send it.
enum LegacyIdentity {
    /// SHA-256 in 64 hexadecimal digits of what the notification is about, one text a line, empty where absent. Other
    /// transactions of the receipt are left out, because a later attempt may carry a newer receipt.
    ///
    /// A type without a date of its own has two lines more, the newest date of the receipt and the moment it was received:
    /// "renews as basic", "as pro" and "as basic" again within one period differ in nothing else, and the third counts.
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
