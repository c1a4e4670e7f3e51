internal import AppStoreModel

/// Part of check 14: each nested object is of its kind and speaks of the same app, environment and purchase as the
/// notification. Without this a genuine object of another app could be spliced in: renewal info has no bundleId.
enum NestedConsistencyCheck {
    static func check(
        _ transaction: TransactionEnvelope, for audience: AudienceCheck.Audience
    ) throws(Rejection) {
        let name = "signedTransactionInfo"
        try TextCheck.check(transaction.transactionId, "transactionId", TextCheck.isNumber)
        try TextCheck.check(transaction.originalTransactionId, "originalTransactionId", TextCheck.isNumber)
        try TextCheck.check(transaction.appTransactionId, "appTransactionId", TextCheck.isToken)
        guard transaction.isTransaction else { throw nonconforming(name, "not a transaction") }
        guard transaction.bundleId.value == audience.app.bundleId else { throw nonconforming(name, "another app") }
        guard transaction.environment.value == audience.environment else {
            throw nonconforming(name, "another environment")
        }
    }

    static func check(
        _ renewalInfo: RenewalInfoEnvelope, with transaction: TransactionEnvelope?,
        for audience: AudienceCheck.Audience
    ) throws(Rejection) {
        let name = "signedRenewalInfo"
        try TextCheck.check(renewalInfo.originalTransactionId, "originalTransactionId", TextCheck.isNumber)
        try TextCheck.check(renewalInfo.appTransactionId, "appTransactionId", TextCheck.isToken)
        guard renewalInfo.isRenewalInfo else { throw nonconforming(name, "not renewal info") }
        guard renewalInfo.environment.value == audience.environment else {
            throw nonconforming(name, "another environment")
        }
        if let transaction, transaction.originalTransactionId.value != renewalInfo.originalTransactionId.value {
            throw nonconforming(name, "another purchase than signedTransactionInfo")
        }
    }

    static func check(
        _ appTransaction: AppTransactionEnvelope, for audience: AudienceCheck.Audience
    ) throws(Rejection) {
        let name = "signedAppTransactionInfo"
        try TextCheck.check(appTransaction.appTransactionId, "appTransactionId", TextCheck.isToken)
        guard let environment = appTransaction.receiptType.value else {
            throw nonconforming(name, "not an app transaction")
        }
        guard appTransaction.bundleId.value == audience.app.bundleId else { throw nonconforming(name, "another app") }
        guard environment == audience.environment else { throw nonconforming(name, "another environment") }
        guard appTransaction.appAppleId.fault == nil else {
            throw .nonconforming(.profileNumber, detail: "\(name): appAppleId is not a whole number")
        }
        if environment == .production, appTransaction.appAppleId.value != audience.app.appAppleId {
            throw nonconforming(name, "another app")
        }
    }

    private static func nonconforming(_ object: String, _ detail: String) -> Rejection {
        .nonconforming(.profileNested, detail: "\(object): \(detail)")
    }
}
