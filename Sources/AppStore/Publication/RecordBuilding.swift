internal import AppStoreModel
internal import AppStoreVerification
internal import Records

// Conversions from verified notifications to produced records. Bytes are copied unchanged.

extension VerifiedNotification {
    /// The parts from which readers rebuild the signed objects, or nil if the objects cannot be rebuilt byte for byte.
    var signedParts: SignedParts? {
        SignedParts(
            signedPayload: signedText, notification: notification, envelope: envelope, transaction: transaction,
            renewalInfo: renewalInfo, appTransaction: appTransaction)
    }
}

extension RecordContent {
    /// - Parameter proof: the proof, or nil for a record that contains the compact JWS as received.
    init(_ verified: VerifiedNotification, proof: RecordProof?) {
        self.init(
            notification: verified.notification, nestedJWSTexts: verified.envelope.nestedJWSTexts,
            transaction: verified.transaction, renewalInfo: verified.renewalInfo,
            appTransaction: verified.appTransaction,
            evidence: proof.map { .proof($0) } ?? .signedPayload(verified.signedPayload))
    }
}

extension QuarantineRecord {
    /// - Parameter body: the body as received.
    init(
        _ notification: NonconformingNotification, body: [UInt8], receivedAt: AppStoreInstant?, source: RecordOrigin
    ) {
        self.init(
            reason: notification.reason.rawValue, detail: notification.detail.isEmpty ? nil : notification.detail,
            receivedAt: receivedAt,
            environment: notification.environment.map { AppStoreEnvironment($0) },
            bundleId: notification.bundleId.map { BundleId($0) },
            notificationUUID: notification.notificationUUID.map { NotificationUUID($0) }, source: source,
            receivedBytes: body)
    }
}
