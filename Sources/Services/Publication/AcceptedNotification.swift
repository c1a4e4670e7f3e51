internal import AppStoreModel
package import AppStoreVerification
package import LegacyNotifications
package import Records

/// A notification that passed the checks of its form, ready to be written. What follows knows no form.
package struct AcceptedNotification: Sendable {
    enum Content: Sendable {
        // Behind one reference, because what is published is handed on several times, and has about forty.
        indirect case signed(VerifiedNotification)
        /// Version 1 and older: complete, there is nothing to rebuild.
        case unsigned(RecordContent)
    }

    package let identity: RecordIdentity
    package let trust: RecordTrust
    package let duplicateKey: DuplicateKey
    let content: Content

    /// Nil only if the verifier let something pass that cannot be named.
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

    /// A version 1 or older notification whose password was right. Nil only if its event id is none.
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
