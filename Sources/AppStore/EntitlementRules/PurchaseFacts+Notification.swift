package import AppStoreModel

extension PurchaseFacts {
    /// The facts that one notification brings, whatever its type: merge them into what is known.
    ///
    /// Nil where there is no purchase: neither transaction nor renewal info names an originalTransactionId, or the app or
    /// the environment is not named.
    /// - Parameter isSigned: false for version 1 and older.
    package init?(
        notification: NotificationPayload, transaction: TransactionPayload?, renewalInfo: RenewalInfoPayload?,
        isSigned: Bool = true
    ) {
        guard let data = notification.data, let bundleId = data.bundleId, let environment = data.environment,
            let originalTransactionId = transaction?.originalTransactionId ?? renewalInfo?.originalTransactionId,
            let signedDate = notification.signedDate
        else { return nil }
        self.init(environment: environment, bundleId: bundleId, originalTransactionId: originalTransactionId)
        let version = FactVersion(
            signedDate: signedDate, isSigned: isSigned, notificationUUID: notification.notificationUUID)
        insert(transaction: transaction, renewalInfo: renewalInfo, fallback: version)
        if let status = data.status { insert(StatusFacts(version: version, status: status)) }
        guard let type = notification.notificationType else { return }
        insert(
            PurchaseEvent(
                version: version, notificationType: type, subtype: notification.subtype,
                transactionId: transaction?.transactionId, status: data.status))
        if notification.subtype == .upgrade, type == .didChangeRenewalPref || type == .offerRedeemed,
            let transactionId = transaction?.transactionId
        {
            insertUpgrade(to: transactionId, signedDate: signedDate)
        }
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
