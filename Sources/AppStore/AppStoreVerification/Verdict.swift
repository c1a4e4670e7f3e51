public import AppStoreModel
public import JSON

/// The verifier's decision about one body.
public enum Verdict: Sendable {
    /// Signed by Apple, for a configured app, as documented: belongs in a notification topic.
    case accepted(VerifiedNotification)
    /// Signed by Apple for a configured app, but not as documented: belongs in quarantine, then 200.
    case nonconforming(NonconformingNotification)
    /// Signed by Apple, for a configured app, and stored before: its nested objects were not examined. Only where the
    /// caller of the verifier knows what is stored.
    case duplicate(NotificationEnvelope)
    /// Signed by Apple, but for another app, or not a notification: nothing is stored.
    case notForUs(Refusal)
    /// Not Apple's, or no longer to be trusted: nothing is stored.
    case notApple(Refusal)
    /// A retry can help: certificates just outside their validity, revocation not known yet, too many certificate
    /// chains never seen before, a clock that what Apple signed contradicts, a fault of this machine.
    case retryLater(Refusal)
    /// A version 1 or status update body (`notification_type` beside a shared secret), scanned: unsigned, never verified
    /// here.
    case legacy(JSONDocument)
}

/// A notification that passed every check. Only this module can make one.
public struct VerifiedNotification: Sendable {
    /// The compact JWS exactly as received: a part of the body where that writes it plainly.
    public let signedText: ArraySlice<UInt8>
    /// A copy of ``signedText``.
    public var signedPayload: [UInt8] { Array(signedText) }
    /// The payload's JSON text, every byte as signed.
    public let notification: [UInt8]
    /// The JSON text of `signedTransactionInfo`, as signed; nil when Apple sent none.
    public let transaction: [UInt8]?
    /// The JSON text of `signedRenewalInfo`, as signed; nil when Apple sent none.
    public let renewalInfo: [UInt8]?
    /// The JSON text of `signedAppTransactionInfo`, as signed; nil when Apple sent none.
    public let appTransaction: [UInt8]?
    /// What was read of the payloads: identity, type, date, and where the nested texts are in `notification`.
    public let envelope: NotificationEnvelope
    /// The type is about a subscription, and `signedRenewalInfo` is absent although Apple documents it.
    public var lacksRenewalInfo: Bool { NestedObjectChecks.lacksRenewalInfo(envelope) }
    /// What was read of `transaction`.
    public let transactionEnvelope: TransactionEnvelope?
    /// What was read of `renewalInfo`.
    public let renewalInfoEnvelope: RenewalInfoEnvelope?
    /// What was read of `appTransaction`.
    public let appTransactionEnvelope: AppTransactionEnvelope?
    /// The certificate chain under which the notification was signed.
    public let certificates: CertificateSerials
    /// `sandbox` when the app is configured without the sandbox; nil when everything is as configured.
    /// Either way the envelope's environment names the topic.
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

/// A body signed by Apple for a configured app that is not as Apple documents it.
public struct NonconformingNotification: Sendable, Hashable {
    public let reason: Reason
    /// A constant that says more than the reason.
    public let detail: String
    /// The app, where the payload names one that is configured.
    public let bundleId: String?
    /// The environment's text, at most 256 bytes, where the payload has one.
    public let environment: String?
    /// `notificationUUID`, where it is a UUID.
    public let notificationUUID: String?
    /// The certificate chain under which the notification was signed.
    public let certificates: CertificateSerials?
    /// SHA-256 of what was signed, `header.payload` as received, 32 bytes: the same for every copy, however its
    /// signature and the JSON around it are spelled. Nil where no signature was verified.
    public let signedPartDigest: [UInt8]?
}

/// Why nothing of a body is stored. Checks throw it; callers of the verifier find it in the ``Verdict``.
public struct Refusal: Error, Hashable {
    public let reason: Reason
    /// The check that failed.
    public let step: VerificationStep
    /// The HTTP status: the reason's, but for `cert_time` within 48 hours.
    public let status: Int
    /// A constant that says more than the reason; never text of the sender.
    public let detail: String
    /// For `cert_time`: by how many seconds now lies outside the validity of the path.
    public let secondsOutsideValidity: Int64?
    /// The certificate chain, where it was validated.
    public let certificates: CertificateSerials?
    /// The app named by a payload that Apple signed, at most 256 bytes; otherwise nil.
    public let bundleId: String?
    /// For `chain_root` where leaf and intermediate carry Apple's markers: SHA-256 of the last certificate of `x5c`, 64
    /// lower-case hexadecimal digits, unless that one is pinned. Either a root is missing here, or the markers were
    /// copied, which anyone can do.
    public let unknownRootFingerprint: String?
    /// As ``NonconformingNotification/signedPartDigest``: where a retry can help, what was signed; otherwise nil.
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

/// Serial numbers of a validated path, lower-case hexadecimal without leading zeros.
public struct CertificateSerials: Sendable, Hashable {
    public let leaf: String
    public let intermediate: String
    public let root: String
}
