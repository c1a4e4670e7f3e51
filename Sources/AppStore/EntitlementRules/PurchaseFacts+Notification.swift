package import AppStoreModel

extension PurchaseFacts {
    /// Creates the facts from a notification of any type, to be merged into the current facts.
    ///
    /// Returns nil if there is no purchase, that is, if neither the transaction nor the renewal info has an
    /// originalTransactionId, or if the app, the environment or the signedDate is missing.
    /// - Parameters:
    ///   - appTransaction: the app transaction in a notification about a customer's consent; the facts are stored under
    ///     its appTransactionId.
    ///   - isSigned: whether Apple signed the notification; false for version 1 or earlier.
    ///   - receivedAt: the time when the ingress received the notification, which orders unsigned facts. If nil, the
    ///     notification's date is used, which is never later.
    package init?(
        notification: NotificationPayload, transaction: TransactionPayload?, renewalInfo: RenewalInfoPayload?,
        appTransaction: AppTransactionPayload? = nil, isSigned: Bool = true, receivedAt: AppStoreInstant? = nil
    ) {
        if notification.notificationType == .rescindConsent, notification.data == nil {
            self.init(consent: notification, appTransaction, isSigned: isSigned)
            return
        }
        guard let data = notification.data, let bundleId = data.bundleId, let environment = data.environment,
            let originalTransactionId = transaction?.originalTransactionId ?? renewalInfo?.originalTransactionId,
            let signedDate = notification.signedDate
        else { return nil }
        self.init(environment: environment, bundleId: bundleId, originalTransactionId: originalTransactionId)
        let version = FactVersion(
            signedDate: signedDate, isSigned: isSigned, notificationUUID: notification.notificationUUID)
        let content = transaction.flatMap { TransactionDetailsContent($0, fallback: version) }
        if isSigned {
            if let content { insert(content) }
            if let renewalInfo { insert(RenewalFacts(renewalInfo, fallback: version)) }
            if let status = data.status { insert(StatusFacts(version: version, status: status)) }
        } else {
            insertUnsigned(transaction, renewalInfo, version, receivedAt: receivedAt ?? signedDate)
        }
        guard let type = notification.notificationType else { return }
        insert(type, notification.subtype, version, of: content, status: data.status)
    }

    /// Merges a notification's event, and the facts that the notification type implies about the transaction.
    mutating func insert(
        _ type: NotificationType, _ subtype: Subtype?, _ version: FactVersion,
        of transaction: TransactionDetailsContent?, status: SubscriptionStatus?
    ) {
        insert(
            PurchaseEvent(
                version: version, notificationType: type, subtype: subtype,
                transactionId: transaction?.transactionId, status: status))
        guard version.isSigned, let transaction else { return }
        if transaction.transactionReason == nil, type.tellsOfPurchase(subtype) {
            insertPurchase(TransactionFacts(transaction))
        }
        // An upgrade ends the previous transaction. Apple's last statement about that transaction might not mention the
        // upgrade, so the upgrade is stored with the new transaction.
        if subtype == .upgrade, type == .didChangeRenewalPref || type == .offerRedeemed {
            insertUpgrade(to: transaction.transactionId, signedDate: version.signedDate)
        }
    }

    /// Creates the facts from a version 1 body that identifies a purchase but no transaction: the event, and an ID that
    /// causes a query to Apple. Returns nil if the app, the environment or the date is missing.
    package init?(
        unresolved notification: NotificationPayload, of originalTransactionId: OriginalTransactionId,
        receivedAt: AppStoreInstant?
    ) {
        guard let data = notification.data, let bundleId = data.bundleId, let environment = data.environment,
            let date = notification.signedDate
        else { return nil }
        self.init(environment: environment, bundleId: bundleId, originalTransactionId: originalTransactionId)
        var version = FactVersion(
            signedDate: date, isSigned: false, notificationUUID: notification.notificationUUID)
        if let type = notification.notificationType {
            insert(PurchaseEvent(version: version, notificationType: type, subtype: notification.subtype))
        }
        version.signedDate = receivedAt ?? date
        insert(unresolved: LegacyFactId(version))
    }

    /// Merges unsigned facts, with the time of receipt as their version.
    private mutating func insertUnsigned(
        _ transaction: TransactionPayload?, _ renewalInfo: RenewalInfoPayload?, _ version: FactVersion,
        receivedAt: AppStoreInstant
    ) {
        var receipt = version
        receipt.signedDate = receivedAt
        if var content = transaction.flatMap({ TransactionDetailsContent($0, fallback: receipt) }) {
            content.version = receipt
            insert(content)
        }
        guard let renewalInfo else { return }
        insert(
            UnsignedRenewal(
                renewalInfo, version: receipt, periodStart: transaction?.purchaseDate, date: version.signedDate))
    }

    /// Creates the facts about withdrawn consent to a minor's use of the app.
    private init?(consent notification: NotificationPayload, _ appTransaction: AppTransactionPayload?, isSigned: Bool) {
        guard let app = notification.appData, let bundleId = app.bundleId, let environment = app.environment,
            let id = appTransaction?.appTransactionId, let signedDate = notification.signedDate
        else { return nil }
        self.init(
            environment: environment, bundleId: bundleId, originalTransactionId: OriginalTransactionId(id.rawValue))
        let version = FactVersion(
            signedDate: signedDate, isSigned: isSigned, notificationUUID: notification.notificationUUID)
        insert(PurchaseEvent(version: version, notificationType: .rescindConsent))
    }

    /// Creates the facts from one App Store Server API response. The status has no date, so it takes the signedDate of
    /// the renewal info, or of the transaction if there is no renewal info. Returns nil if no purchase is identified or
    /// there is no signedDate.
    package init?(
        environment: AppStoreEnvironment, bundleId: BundleId, transaction: TransactionPayload?,
        renewalInfo: RenewalInfoPayload?, status: SubscriptionStatus?
    ) {
        guard let originalTransactionId = transaction?.originalTransactionId ?? renewalInfo?.originalTransactionId,
            let signedDate = renewalInfo?.signedDate ?? transaction?.signedDate
        else { return nil }
        self.init(environment: environment, bundleId: bundleId, originalTransactionId: originalTransactionId)
        let version = FactVersion(signedDate: signedDate)
        insert(transaction: transaction, renewalInfo: renewalInfo, fallback: version)
        if let status { insert(StatusFacts(version: version, status: status)) }
    }

    private mutating func insert(
        transaction: TransactionPayload?, renewalInfo: RenewalInfoPayload?, fallback: FactVersion
    ) {
        if let content = transaction.flatMap({ TransactionDetailsContent($0, fallback: fallback) }) { insert(content) }
        if let renewalInfo { insert(RenewalFacts(renewalInfo, fallback: fallback)) }
    }
}
