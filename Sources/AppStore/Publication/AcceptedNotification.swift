internal import AppStoreModel
package import AppStoreVerification
package import LegacyNotifications
package import Records

/// A notification that passed all checks and is ready to be written. From here on, the version of its body does not
/// matter.
package struct AcceptedNotification: Sendable {
    enum Content: Sendable {
        // Indirect, because the value has about forty members and is copied several times during publication.
        indirect case signed(VerifiedNotification)
        /// A version 1 or older notification. Its content is ready to be written, because it references no header
        /// segments.
        case unsigned(RecordContent)
    }

    package let identity: RecordIdentity
    package let trust: RecordTrust
    package let duplicateKey: DuplicateKey
    let content: Content

    /// Creates a value from a verified notification. Returns nil only if the verifier accepted a notification without
    /// an identity.
    package init?(_ verified: VerifiedNotification) {
        guard
            let identity = RecordIdentity(
                verified.envelope, transaction: verified.transactionEnvelope,
                renewalInfo: verified.renewalInfoEnvelope, appTransaction: verified.appTransactionEnvelope),
            let key = DuplicateKey(
                notificationUUID: identity.notificationUUID.rawValue, environment: identity.environment)
        else { return nil }
        self.identity = identity
        trust = .signed
        duplicateKey = key
        content = .signed(verified)
    }

    /// Creates a value from a version 1 or older notification with the correct password. Returns nil only if its event
    /// ID is invalid.
    package init?(_ legacy: LegacyNotification) {
        let identity = RecordIdentity(
            notificationUUID: NotificationUUID(legacy.eventId), notificationType: legacy.notificationType,
            subtype: legacy.subtype, environment: legacy.environment, bundleId: legacy.bundleId,
            signedDate: legacy.eventTime, originalTransactionId: legacy.originalTransactionId)
        guard let key = DuplicateKey(eventId: legacy.eventId, environment: identity.environment) else { return nil }
        self.identity = identity
        trust = .sharedSecret
        duplicateKey = key
        content = .unsigned(
            RecordContent(
                notification: legacy.notification, transaction: legacy.transaction, renewalInfo: legacy.renewalInfo,
                legacy: legacy.legacy))
    }
}
