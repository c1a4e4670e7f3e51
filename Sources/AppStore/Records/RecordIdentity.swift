public import AppStoreModel

/// The identity of a notification, from which its topic, key and CloudEvents headers are derived.
public struct RecordIdentity: Hashable, Sendable {
    public var notificationUUID: NotificationUUID
    public var notificationType: NotificationType
    public var subtype: Subtype?
    /// One of `AppStoreEnvironment.published`.
    public var environment: AppStoreEnvironment
    public var bundleId: BundleId
    public var signedDate: AppStoreInstant
    public var originalTransactionId: OriginalTransactionId?
    public var appTransactionId: AppTransactionId?
    public var requestIdentifier: RequestIdentifier?
    public var externalPurchaseId: ExternalPurchaseId?

    public init(
        notificationUUID: NotificationUUID, notificationType: NotificationType, subtype: Subtype? = nil,
        environment: AppStoreEnvironment, bundleId: BundleId, signedDate: AppStoreInstant,
        originalTransactionId: OriginalTransactionId? = nil, appTransactionId: AppTransactionId? = nil,
        requestIdentifier: RequestIdentifier? = nil, externalPurchaseId: ExternalPurchaseId? = nil
    ) {
        self.notificationUUID = notificationUUID
        self.notificationType = notificationType
        self.subtype = subtype
        self.environment = environment
        self.bundleId = bundleId
        self.signedDate = signedDate
        self.originalTransactionId = originalTransactionId
        self.appTransactionId = appTransactionId
        self.requestIdentifier = requestIdentifier
        self.externalPurchaseId = externalPurchaseId
    }

    /// Reads the identity from envelopes. Returns nil if a required field is absent or malformed, or if the environment
    /// is neither Production nor Sandbox.
    public init?(
        _ notification: NotificationEnvelope, transaction: TransactionEnvelope? = nil,
        renewalInfo: RenewalInfoEnvelope? = nil, appTransaction: AppTransactionEnvelope? = nil
    ) {
        guard let notificationUUID = notification.notificationUUID.value,
            let notificationType = notification.notificationType.value,
            let environment = notification.environment.value, environment.isPublished,
            let bundleId = notification.bundleId.value,
            let signedDate = notification.signedDate.value
        else { return nil }
        self.init(
            notificationUUID: notificationUUID, notificationType: notificationType,
            subtype: notification.subtype.value, environment: environment, bundleId: bundleId, signedDate: signedDate,
            originalTransactionId: transaction?.originalTransactionId.value
                ?? renewalInfo?.originalTransactionId.value,
            appTransactionId: appTransaction?.appTransactionId.value,
            requestIdentifier: notification.requestIdentifier.value,
            externalPurchaseId: notification.externalPurchaseId.value)
    }

    /// The key of the record, which keeps all records of a purchase in one partition: `bundleId/` followed by the
    /// originalTransactionId. If that is absent, the first of these that is present is used: appTransactionId,
    /// requestIdentifier, externalPurchaseId, notificationUUID.
    public var key: String {
        let subject =
            originalTransactionId?.rawValue ?? appTransactionId?.rawValue ?? requestIdentifier?.rawValue
            ?? externalPurchaseId?.rawValue ?? notificationUUID.rawValue
        return RecordKey.text(bundleId: bundleId, subject: subject)
    }
}

/// The format of keys in all keyed topics.
public enum RecordKey {
    /// Returns the key of a purchase in notification and entitlement topics.
    public static func purchase(_ bundleId: BundleId, _ originalTransactionId: OriginalTransactionId) -> String {
        text(bundleId: bundleId, subject: originalTransactionId.rawValue)
    }

    /// Returns the UTF-8 bytes of ``purchase(_:_:)``.
    public static func purchaseBytes(_ bundleId: BundleId, _ originalTransactionId: OriginalTransactionId) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(bundleId.rawValue.utf8.count + 1 + originalTransactionId.rawValue.utf8.count)
        key.append(contentsOf: bundleId.rawValue.utf8)
        key.append(UInt8(ascii: "/"))
        key.append(contentsOf: originalTransactionId.rawValue.utf8)
        return key
    }

    /// Returns the key of a transaction's refund in refund topics.
    public static func transaction(_ bundleId: BundleId, _ transactionId: TransactionId) -> String {
        text(bundleId: bundleId, subject: transactionId.rawValue)
    }

    /// Splits a key at its first slash; a bundle identifier contains none. Returns nil if there is no slash or either
    /// part is empty.
    public static func parts(of key: String) -> (bundleId: BundleId, subject: String)? {
        guard let slash = key.firstIndex(of: "/") else { return nil }
        let subject = key[key.index(after: slash)...]
        guard slash > key.startIndex, !subject.isEmpty else { return nil }
        return (BundleId(String(key[..<slash])), String(subject))
    }

    static func text(bundleId: BundleId, subject: String) -> String { "\(bundleId.rawValue)/\(subject)" }
}
