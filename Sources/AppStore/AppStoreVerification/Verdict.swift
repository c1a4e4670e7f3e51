public import AppStoreModel
public import JSON

/// The verifier's decision about one body.
public enum Verdict: Sendable {
    /// Signed by Apple for a configured app, and as documented: published to a notification topic.
    case accepted(VerifiedNotification)
    /// Signed by Apple for a configured app, but not as documented: published to the quarantine topic, then answered
    /// 200.
    case nonconforming(NonconformingNotification)
    /// Signed by Apple for a configured app and already stored; its nested objects were not examined. Returned only if
    /// the caller passes a lookup for stored notifications.
    case duplicate(NotificationEnvelope)
    /// Signed by Apple, but for another app, or not a notification: nothing is stored.
    case notForUs(Refusal)
    /// Not signed by Apple, or no longer trusted: nothing is stored.
    case notApple(Refusal)
    /// A retry can help: certificates just outside their validity, an unknown revocation status, too many unknown
    /// certificate chains, a wrong clock, or a failure of this machine.
    case retryLater(Refusal)
    /// The scanned body of a version 1 notification or status update (`notification_type` next to a shared secret). It
    /// is unsigned and not verified here.
    case legacy(JSONDocument)
}

/// A notification that passed every check. Only this module can create one.
public struct VerifiedNotification: Sendable {
    /// The compact JWS exactly as received: a slice of the body if the text contains no escapes.
    public let signedText: ArraySlice<UInt8>
    /// A copy of ``signedText``.
    public var signedPayload: [UInt8] { Array(signedText) }
    /// The payload's JSON text, exactly as signed.
    public let notification: [UInt8]
    /// The JSON text of `signedTransactionInfo`, as signed; nil if Apple sent none.
    public let transaction: [UInt8]?
    /// The JSON text of `signedRenewalInfo`, as signed; nil if Apple sent none.
    public let renewalInfo: [UInt8]?
    /// The JSON text of `signedAppTransactionInfo`, as signed; nil if Apple sent none.
    public let appTransaction: [UInt8]?
    /// The parsed payload: identity, type, date, and the ranges of the nested texts within `notification`.
    public let envelope: NotificationEnvelope
    /// Whether the type is about a subscription but `signedRenewalInfo` is absent, although Apple documents it for the
    /// type.
    public var lacksRenewalInfo: Bool { NestedObjectChecks.lacksRenewalInfo(envelope) }
    /// `transaction`, parsed.
    public let transactionEnvelope: TransactionEnvelope?
    /// `renewalInfo`, parsed.
    public let renewalInfoEnvelope: RenewalInfoEnvelope?
    /// `appTransaction`, parsed.
    public let appTransactionEnvelope: AppTransactionEnvelope?
    /// The certificate chain under which the notification was signed.
    public let certificates: CertificateSerials
    /// `sandbox` if the app is configured without the sandbox; nil if everything is as configured. The envelope's
    /// environment determines the topic in either case.
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

/// A body that Apple signed for a configured app, but that differs from Apple's documentation.
public struct NonconformingNotification: Sendable, Hashable {
    public let reason: Reason
    /// A constant that is more specific than the reason.
    public let detail: String
    /// The app, if the payload names one that is configured.
    public let bundleId: String?
    /// The environment's text, at most 256 bytes, if the payload has one.
    public let environment: String?
    /// `notificationUUID`, if it is a UUID.
    public let notificationUUID: String?
    /// The certificate chain under which the notification was signed.
    public let certificates: CertificateSerials?
    /// SHA-256 of the signed bytes, `header.payload` as received, 32 bytes. It is equal for every copy, however the
    /// signature is spelled and whatever JSON surrounds it. Nil if no signature was verified.
    public let signedPartDigest: [UInt8]?
}

/// Why nothing of a body is stored. Checks throw it; the verifier's callers receive it in the ``Verdict``.
public struct Refusal: Error, Hashable {
    public let reason: Reason
    /// The check that failed.
    public let step: VerificationStep
    /// The HTTP status: the one of the reason, except for `cert_time` within 48 hours.
    public let status: Int
    /// A constant that is more specific than the reason; never text from the sender.
    public let detail: String
    /// For `cert_time`: seconds between the current time and the validity of the path.
    public let secondsOutsideValidity: Int64?
    /// The certificate chain, if it was validated.
    public let certificates: CertificateSerials?
    /// The app named by a payload that Apple signed, at most 256 bytes; otherwise nil.
    public let bundleId: String?
    /// For `chain_root`, if leaf and intermediate have Apple's markers: SHA-256 of the last certificate in `x5c` as 64
    /// lower-case hexadecimal digits, unless that certificate is pinned. Either the configuration lacks a root, or
    /// someone copied the markers, which anyone can do.
    public let unknownRootFingerprint: String?
    /// See ``NonconformingNotification/signedPartDigest``; nil unless a retry can help.
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

/// Serial numbers of a validated path, in lower-case hexadecimal without leading zeros.
public struct CertificateSerials: Sendable, Hashable {
    public let leaf: String
    public let intermediate: String
    public let root: String
}
