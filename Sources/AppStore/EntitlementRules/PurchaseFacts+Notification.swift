package import AppStoreModel

extension PurchaseFacts {
    /// The facts that one notification brings, whatever its type: merge them into what is known.
    ///
    /// Nil where there is no purchase: neither transaction nor renewal info names an originalTransactionId, or the app or
    /// the environment is not named.
    /// - Parameters:
    ///   - appTransaction: of a notification about a customer's consent, whose facts are kept under its appTransactionId.
    ///   - isSigned: false for version 1 and older.
    ///   - receivedAt: when the ingress received it: what unsigned facts are settled by. Nil stands for the notification's
    ///     own date, which is never later.
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

    /// Takes in that a notification happened, and what its type says of its transaction.
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
        // It takes from the transaction before it, about which Apple may have signed otherwise.
        if subtype == .upgrade, type == .didChangeRenewalPref || type == .offerRedeemed {
            insertUpgrade(to: transaction.transactionId, signedDate: version.signedDate)
        }
    }

    /// A version 1 body that names a purchase and no transaction of it: it happened, and Apple is to be asked. Nil where
    /// the app, the environment or the date is not named.
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

    /// Facts whose version is the moment of receipt.
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

    /// That the consent for a minor's use of the app was withdrawn.
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

    /// The facts of one answer of the App Store Server API. Its status has no date of its own: the renewal info's
    /// signedDate stands for it, else the transaction's. Nil if no purchase is named or neither has a signedDate.
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
