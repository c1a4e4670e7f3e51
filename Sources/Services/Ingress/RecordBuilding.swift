internal import AppStoreModel
internal import AppStoreVerification
internal import Records

// From what the verifier says to what is produced. Bytes are taken over as they are.

extension VerifiedNotification {
    /// Nil only if the verifier let something pass that cannot be named.
    var recordIdentity: RecordIdentity? {
        RecordIdentity(
            envelope, transaction: transactionEnvelope, renewalInfo: renewalInfoEnvelope,
            appTransaction: appTransactionEnvelope)
    }
}

extension RecordContent {
    init(_ verified: VerifiedNotification) {
        self.init(
            notification: verified.notification, omitted: verified.envelope.nestedJWSMembers,
            transaction: verified.transaction, renewalInfo: verified.renewalInfo,
            appTransaction: verified.appTransaction, signedPayload: verified.signedPayload[...])
    }
}

extension QuarantineRecord {
    init(_ notification: NonconformingNotification, body: [UInt8], receivedAt: AppStoreInstant?) {
        self.init(
            reason: notification.reason.rawValue, detail: notification.detail.isEmpty ? nil : notification.detail,
            receivedAt: receivedAt,
            environment: notification.environment.map { AppStoreEnvironment($0) },
            bundleId: notification.bundleId.map { BundleId($0) },
            notificationUUID: notification.notificationUUID.map { NotificationUUID($0) }, source: .live,
            receivedBytes: body)
    }
}

extension AppStoreEnvironment {
    /// Tells the environments apart in a `NotificationIdentity`.
    var windowCode: UInt8 { self == .production ? 0 : 1 }
}
