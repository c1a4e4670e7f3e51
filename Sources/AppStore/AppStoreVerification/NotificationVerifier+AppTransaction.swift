public import AppStoreModel
internal import JSON

/// An app transaction that Apple signed for a configured app. Only this module can create one.
public struct VerifiedAppTransaction: Sendable {
    public let environment: AppStoreEnvironment
    public let bundleId: BundleId
    /// The app transaction's JSON text, as signed.
    public let appTransaction: [UInt8]
}

extension NotificationVerifier {
    /// Verifies an app transaction from an app or from the App Store Server API. Runs the checks for notifications,
    /// starting with check 4.
    ///
    /// - Parameters:
    ///   - signedAppTransaction: the compact JWS that Apple calls `signedAppTransactionInfo`.
    ///   - now: the current time, in milliseconds since 1970.
    ///   - moment: the time at which the certificates must be valid. Pass ``CertificateMoment/signature`` only for a
    ///     response from the App Store Server API.
    /// - Throws: a ``Refusal``; its `status` is 503 or 429 if a retry can help.
    public func verify(
        signedAppTransaction: [UInt8], at now: Int64, certificates moment: CertificateMoment = .present
    ) throws(Refusal) -> VerifiedAppTransaction {
        let (header, document) = try document(signedAppTransaction, "signedAppTransactionInfo", at: now, moment)
        let appTransaction = AppTransactionEnvelope(document)
        // Transactions and notifications have no receiptType.
        guard !appTransaction.receiptType.isAbsent else {
            throw Refusal(.typeConfusion, "the signed object is not an app transaction")
        }
        let audience = try audience.audience(
            bundleId: appTransaction.bundleId, environment: appTransaction.receiptType)
        let isUnknown = try SignatureChecks.isRevocationUnknown(of: header, by: revocation, at: now)
        try NestedObjectChecks.check(appTransaction, for: audience)
        if isUnknown { revocation.countAcceptedUnknown() }
        return VerifiedAppTransaction(
            environment: audience.environment, bundleId: audience.app.bundleId, appTransaction: document.bytes)
    }
}
