public import AppStoreModel

/// A notification that passed every check. Only this target can make one.
public struct VerifiedNotification: Sendable {
    /// The compact JWS exactly as received.
    public let signedPayload: [UInt8]
    /// The payload's JSON text, every byte as signed.
    public let notification: [UInt8]
    /// The JSON text of `signedTransactionInfo`, as signed; nil when Apple sent none.
    public let transaction: [UInt8]?
    /// The JSON text of `signedRenewalInfo`, as signed; nil when Apple sent none.
    public let renewalInfo: [UInt8]?
    /// The JSON text of `signedAppTransactionInfo`, as signed; nil when Apple sent none.
    public let appTransaction: [UInt8]?
    /// What was read of the payloads: identity, type, date, and where the nested texts stand in `notification`.
    public let envelope: NotificationEnvelope
    /// What was read of `transaction`.
    public let transactionEnvelope: TransactionEnvelope?
    /// What was read of `renewalInfo`.
    public let renewalInfoEnvelope: RenewalInfoEnvelope?
    /// What was read of `appTransaction`.
    public let appTransactionEnvelope: AppTransactionEnvelope?
    /// The chain under which the notification was signed.
    public let certificates: CertificateSerials
    /// `sandbox` when the app is configured without the sandbox; nil when everything is as configured.
    /// Either way the envelope's environment names the topic.
    public let reason: Reason?

    init(
        signedPayload: [UInt8], notification: [UInt8], envelope: NotificationEnvelope, nested: NestedObjects,
        certificates: CertificateSerials, reason: Reason?
    ) {
        self.signedPayload = signedPayload
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
    /// The chain under which the notification was signed.
    public let certificates: CertificateSerials?
    /// SHA-256 of what was signed, `header.payload` as received, 32 bytes: the same for every copy, however its
    /// signature and the JSON around it are spelled. Nil where no signature stands.
    public let signedPartDigest: [UInt8]?
}
