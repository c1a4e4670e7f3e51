public import AppStoreModel
internal import JSON

/// An app transaction that Apple signed for a configured app. Only this module can make one.
public struct VerifiedAppTransaction: Sendable {
    public let environment: AppStoreEnvironment
    public let bundleId: BundleId
    /// The JSON text of the app transaction, as signed.
    public let appTransaction: [UInt8]
}

extension NotificationVerifier {
    /// Verifies what the App Store Server API or an app returned: the checks of a notification from 4 on.
    ///
    /// - Parameters:
    ///   - signedAppTransaction: compact JWS, Apple's `signedAppTransactionInfo`.
    ///   - now: milliseconds since 1970.
    ///   - moment: at which the certificates have to be valid; ``CertificateMoment/signature`` only for an answer of the
    ///     App Store Server API.
    /// - Throws: a ``Refusal``; its `status` is 503 or 429 when trying again can help.
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
