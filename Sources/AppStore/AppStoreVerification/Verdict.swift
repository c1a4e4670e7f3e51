public import AppStoreModel
public import JSON

/// The verifier's decision about one body.
public enum Verdict: Sendable {
    /// Signed by Apple for a configured app and conforming to the documentation. It is published to a notification
    /// topic.
    case accepted(VerifiedNotification)
    /// Signed by Apple for a configured app but not conforming to the documentation. It is published to the quarantine
    /// topic, and the response is 200.
    case nonconforming(NonconformingNotification)
    /// Signed by Apple for a configured app and already stored. The nested objects were not examined. Returned only if
    /// the caller can look up stored notifications.
    case duplicate(NotificationEnvelope)
    /// Signed by Apple, but for a different app or environment, or not a notification. Nothing is stored.
    case notForUs(Refusal)
    /// Not signed by Apple, or no longer trusted. Nothing is stored.
    case notApple(Refusal)
    /// Undecided; a retry can help. Causes: certificates just outside their validity period, an unknown revocation
    /// status, too many unknown certificate chains, a wrong clock, or a failure of this machine.
    case retryLater(Refusal)
    /// The scanned body of a version 1 notification or status update (`notification_type` and a shared secret). It is
    /// unsigned and not verified here.
    case legacy(JSONDocument)
}

/// A notification that passed every check. Only this module can create one.
public struct VerifiedNotification: Sendable {
    /// The compact JWS exactly as received. It is a slice of the body if the text contains no escapes.
    public let signedText: ArraySlice<UInt8>
    /// A copy of ``signedText``.
    public var signedPayload: [UInt8] { Array(signedText) }
    /// The JSON text of the payload, exactly as signed.
    public let notification: [UInt8]
    /// The JSON text of `signedTransactionInfo` as signed, or nil if Apple sent none.
    public let transaction: [UInt8]?
    /// The JSON text of `signedRenewalInfo` as signed, or nil if Apple sent none.
    public let renewalInfo: [UInt8]?
    /// The JSON text of `signedAppTransactionInfo` as signed, or nil if Apple sent none.
    public let appTransaction: [UInt8]?
    /// The parsed payload: identity, type, date, and the ranges of the nested JWS strings within `notification`.
    public let envelope: NotificationEnvelope
    /// Whether the notification is about a subscription but lacks `signedRenewalInfo`, although Apple documents this
    /// member for the notification type.
    public var lacksRenewalInfo: Bool { NestedObjectChecks.lacksRenewalInfo(envelope) }
    /// The parsed `transaction`.
    public let transactionEnvelope: TransactionEnvelope?
    /// The parsed `renewalInfo`.
    public let renewalInfoEnvelope: RenewalInfoEnvelope?
    /// The parsed `appTransaction`.
    public let appTransactionEnvelope: AppTransactionEnvelope?
    /// The certificate chain that the notification was signed with.
    public let certificates: CertificateSerials
    /// `sandbox` if the notification is from the sandbox but the app is configured without it, or nil if everything is
    /// as configured. In both cases, the envelope's environment determines the topic.
    public let reason: Reason?

    init(
        signedText: ArraySlice<UInt8>, notification: [UInt8], envelope: NotificationEnvelope, nested: NestedObjects,
        certificates: CertificateSerials, reason: Reason?
    ) {
        self.signedText = signedText
        self.notification = notification
        self.envelope = envelope
        transaction = nested.transaction?.payload
        transactionEnvelope = nested.transaction?.envelope
        renewalInfo = nested.renewalInfo?.payload
        renewalInfoEnvelope = nested.renewalInfo?.envelope
        appTransaction = nested.appTransaction?.payload
        appTransactionEnvelope = nested.appTransaction?.envelope
        self.certificates = certificates
        self.reason = reason
    }
}

/// A body that Apple signed for a configured app but that differs from Apple's documentation.
public struct NonconformingNotification: Sendable, Hashable {
    public let reason: Reason
    /// A fixed string that is more specific than the reason.
    public let detail: String
    /// The app, if the payload identifies one that is configured.
    public let bundleId: String?
    /// The environment as received, at most 256 bytes, if the payload has one.
    public let environment: String?
    /// `notificationUUID`, if it is a UUID.
    public let notificationUUID: String?
    /// The certificate chain that the notification was signed with.
    public let certificates: CertificateSerials?
    /// The SHA-256 digest of the signed bytes (`header.payload` as received, 32 bytes). It is identical for all copies,
    /// even if the encoding of the signature or the surrounding JSON differs. Nil if no signature was verified.
    public let signedPartDigest: [UInt8]?
}

/// The reason why a body or another signed object is not accepted. Checks throw it. The verifier returns it in the
/// ``Verdict`` on a notification, and throws it for any other object.
public struct Refusal: Error, Hashable {
    public let reason: Reason
    /// The check that failed.
    public let step: VerificationStep
    /// The HTTP status. It equals the reason's status, except for `cert_time` within 48 hours.
    public let status: Int
    /// A fixed string that is more specific than the reason. It never contains text from the sender.
    public let detail: String
    /// For `cert_time`, the number of seconds between the validity period of the path and the time at which it had to
    /// be valid.
    public let secondsOutsideValidity: Int64?
    /// The certificate chain, if it was validated.
    public let certificates: CertificateSerials?
    /// The app in the payload, at most 256 bytes. Set only for `audience`, so Apple has signed the payload.
    public let bundleId: String?
    /// The SHA-256 digest of the last certificate in `x5c`, as 64 lowercase hexadecimal digits. Set only for
    /// `chain_root` if the leaf and the intermediate have Apple's markers and that certificate is not pinned. Either
    /// the configuration lacks a root, or someone copied the markers, which anyone can do.
    public let unknownRootFingerprint: String?
    /// The digest described in ``NonconformingNotification/signedPartDigest``, or nil if no signature was verified or a
    /// retry cannot help.
    public let signedPartDigest: [UInt8]?

    init(
        _ reason: Reason, _ detail: String, at step: VerificationStep? = nil, status: Int? = nil,
        secondsOutsideValidity: Int64? = nil, certificates: CertificateSerials? = nil, bundleId: String? = nil,
        unknownRootFingerprint: String? = nil, signedPartDigest: [UInt8]? = nil
    ) {
        self.reason = reason
        self.step = step ?? reason.step
        self.status = status ?? reason.status
        self.detail = detail
        self.secondsOutsideValidity = secondsOutsideValidity
        self.certificates = certificates
        self.bundleId = bundleId
        self.unknownRootFingerprint = unknownRootFingerprint
        self.signedPartDigest = signedPartDigest
    }

    func naming(_ digest: [UInt8]) -> Refusal {
        Refusal(
            reason, detail, at: step, status: status, secondsOutsideValidity: secondsOutsideValidity,
            certificates: certificates, bundleId: bundleId, unknownRootFingerprint: unknownRootFingerprint,
            signedPartDigest: digest)
    }
}

/// The serial numbers of a validated path, in lowercase hexadecimal without leading zeros.
public struct CertificateSerials: Sendable, Hashable {
    public let leaf: String
    public let intermediate: String
    public let root: String
}
