public import AppStoreModel
internal import JSON

/// A transaction that Apple signed for a configured app, optionally with renewal info. Only this module can create one.
public struct VerifiedTransaction: Sendable {
    public let environment: AppStoreEnvironment
    public let bundleId: BundleId
    /// The JSON text of the transaction, as signed.
    public let transaction: [UInt8]
    /// The JSON text of the renewal info as signed, or nil if there is none.
    public let renewalInfo: [UInt8]?
}

extension NotificationVerifier {
    /// Verifies a transaction and, if given, its renewal info, from StoreKit or from the App Store Server API. Each
    /// object must pass the checks for notifications, starting with check 4, and both must belong to the same purchase.
    ///
    /// - Parameters:
    ///   - signedTransaction: the compact JWS from StoreKit's `VerificationResult.jwsRepresentation`.
    ///   - signedRenewalInfo: the compact JWS of the same purchase's renewal info.
    ///   - now: the current time, in milliseconds since 1970.
    ///   - moment: the time at which the certificates must be valid. Pass ``CertificateMoment/signature`` only for a
    ///     response from the App Store Server API.
    /// - Throws: a ``Refusal``; its `status` is 503 or 429 if a retry can help.
    public func verify(
        signedTransaction: [UInt8], signedRenewalInfo: [UInt8]? = nil, at now: Int64,
        certificates moment: CertificateMoment = .present
    ) throws(Refusal) -> VerifiedTransaction {
        let (header, document) = try document(signedTransaction, "signedTransactionInfo", at: now, moment)
        let transaction = TransactionEnvelope(document)
        guard transaction.isTransaction else {
            throw Refusal(.typeConfusion, "the signed object is not a transaction")
        }
        let audience = try audience.audience(bundleId: transaction.bundleId, environment: transaction.environment)
        var isUnknown = try SignatureChecks.isRevocationUnknown(of: header, by: revocation, at: now)
        try ProfileChecks.checkDate(transaction.signedDate, of: "signedTransactionInfo", at: now, isRequired: true)
        try NestedObjectChecks.check(transaction, for: audience)
        var renewalInfo: [UInt8]?
        if let signedRenewalInfo {
            let (header, document) = try self.document(signedRenewalInfo, "signedRenewalInfo", at: now, moment)
            if try SignatureChecks.isRevocationUnknown(of: header, by: revocation, at: now) { isUnknown = true }
            let envelope = RenewalInfoEnvelope(document)
            try ProfileChecks.checkDate(envelope.signedDate, of: "signedRenewalInfo", at: now, isRequired: true)
            try NestedObjectChecks.check(envelope, with: transaction, for: audience)
            renewalInfo = document.bytes
        }
        if isUnknown { revocation.countAcceptedUnknown() }
        return VerifiedTransaction(
            environment: audience.environment, bundleId: audience.app.bundleId, transaction: document.bytes,
            renewalInfo: renewalInfo)
    }

    /// Verifies a standalone signed object and returns its header and payload.
    func document(
        _ jws: [UInt8], _ name: String, at now: Int64, _ moment: CertificateMoment
    ) throws(Refusal) -> (header: KnownHeader, document: JSONDocument) {
        let object = try objects.verify(jws[...], at: now)
        let path = object.header.path
        if moment == .present { try SignatureChecks.checkValidity(of: path, at: now) }
        try SignatureChecks.checkRevocation(of: object.header, by: revocation, in: objects.cache, at: now)
        try ProfileChecks.checkHeader(object.header, of: name)
        let document = try ProfileChecks.document(object.payload, of: name)
        if moment == .signature { try SignatureChecks.checkValidity(of: path, whenSigned: document, now: now) }
        try TextChecks.checkEscapes(document, of: name)
        return (object.header, document)
    }
}

extension AudienceCheck {
    /// Returns the app and environment of a standalone object. A transaction has no appAppleId.
    func audience(
        bundleId named: EnvelopeField<BundleId>, environment: EnvelopeField<AppStoreEnvironment>
    ) throws(Refusal) -> Audience {
        guard let bundleId = named.value, let app = app(bundleId) else {
            throw Refusal(.audience, "the app is not configured", bundleId: named.value?.rawValue)
        }
        guard let environment = environment.value else {
            throw Refusal(.audience, "the environment is not a string", bundleId: bundleId.rawValue)
        }
        // As with notifications, Xcode and LocalTesting never pass. The sandbox passes even if the app is configured
        // without it.
        let isExpected = app.environments.contains(environment)
        guard isExpected || environment == .sandbox else {
            throw Refusal(.audience, "the environment is not configured for the app", bundleId: bundleId.rawValue)
        }
        return Audience(app: app, environment: environment, isUnexpectedSandbox: !isExpected)
    }
}
