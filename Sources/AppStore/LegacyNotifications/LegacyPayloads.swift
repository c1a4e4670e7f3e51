internal import AppStoreModel
internal import JSON

/// Writes the content of a body in the version 2 format, so that the same consumer can read both versions.
struct LegacyPayloads {
    let event: LegacyEvent
    let environment: AppStoreEnvironment
    let bundleId: BundleId

    // MARK: Notification

    func notification(eventId: String, _ type: NotificationType, _ subtype: Subtype?) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.object { object in
            object.set("notificationType", type.rawValue)
            object.set("subtype", subtype?.rawValue)
            object.set("notificationUUID", eventId)
            object.set("version", event.statement.source.version)
            object.set("signedDate", event.time)
            object.set("rawType", event.statement.type.rawValue)
            object.object("data") { data in
                data.set("environment", environment.rawValue)
                data.set("bundleId", bundleId.rawValue)
                data.set("bundleVersion", event.statement.bundleVersion)
                data.set("status", event.status?.rawValue)
                if event.subject != nil { data.set("signedTransactionInfo", "") }
                if hasRenewalInfo { data.set("signedRenewalInfo", "") }
            }
        }
        return writer.bytes
    }

    // MARK: Transaction

    /// Writes the subject, or returns nil for an unresolved notification. The price, currency, storefront and
    /// transaction reason are not available.
    func transaction(_ ignoredFields: inout Int) throws(LegacyError) -> [UInt8]? {
        guard let transaction = event.subject?.transaction else { return nil }
        let subject = try SubjectFields(transaction.object)
        ignoredFields += subject.ignoredFields
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { object in
            object.set("transactionId", transaction.transactionId.rawValue)
            object.set("originalTransactionId", transaction.originalTransactionId.rawValue)
            object.set("webOrderLineItemId", subject.webOrderLineItemId?.rawValue)
            object.set("bundleId", bundleId.rawValue)
            object.set("productId", event.productId?.rawValue)
            object.set("subscriptionGroupIdentifier", subject.subscriptionGroupIdentifier?.rawValue)
            object.set("purchaseDate", transaction.purchaseDate)
            object.set("originalPurchaseDate", subject.originalPurchaseDate)
            object.set("expiresDate", transaction.expiresDate)
            object.set("quantity", subject.quantity)
            if event.isAutoRenewable { object.set("type", ProductType.autoRenewableSubscription.rawValue) }
            object.set("appAccountToken", subject.appAccountToken)
            object.set("inAppOwnershipType", ownership(subject))
            object.set("signedDate", event.time)
            writeCancellation(subject, to: &object)
            subject.offer?.write(to: &object)
            object.set("environment", environment.rawValue)
        }
        return writer.bytes
    }

    private func ownership(_ subject: SubjectFields) -> String {
        let sent = event.statement.source == .v1 ? subject.ownership : nil
        return sent ?? InAppOwnershipType.purchased.rawValue
    }

    private func writeCancellation(_ subject: SubjectFields, to writer: inout JSONWriter) {
        if event.isRevoked {
            writer.set("revocationReason", subject.revocationReason)
            writer.set("revocationDate", event.cancellationDate)
            switch event.statement.type {
            case .refund, .cancel:
                writer.set("revocationType", RevocationType.refundFull.rawValue)
                writer.set("revocationPercentage", Int32(100_000))
            case .revoke: writer.set("revocationType", RevocationType.familyRevoke.rawValue)
            default: break
            }
        }
        if event.isUpgraded { writer.set("isUpgraded", true) }
    }

    // MARK: Renewal info

    /// Whether the subject is a subscription and the body has renewal data.
    private var hasRenewalInfo: Bool {
        event.isAutoRenewable
            && (event.renewal != nil || event.autoRenewStatus != nil || event.autoRenewProductId != nil
                || event.expirationIntent != nil)
    }

    func renewalInfo() -> [UInt8]? {
        guard let transaction = event.subject?.transaction, hasRenewalInfo else { return nil }
        let renewal = event.renewal
        var writer = JSONWriter(reservingCapacity: 512)
        writer.object { object in
            object.set("originalTransactionId", transaction.originalTransactionId.rawValue)
            object.set("productId", (renewal?.productId ?? event.productId)?.rawValue)
            object.set("autoRenewProductId", event.autoRenewProductId?.rawValue)
            object.set(
                "autoRenewStatus",
                event.autoRenewStatus.map { $0 ? AutoRenewStatus.on.rawValue : AutoRenewStatus.off.rawValue })
            object.set("isInBillingRetryPeriod", renewal?.isInBillingRetryPeriod)
            object.set("gracePeriodExpiresDate", event.gracePeriodExpiresDate)
            object.set("expirationIntent", event.expirationIntent?.rawValue)
            object.set("priceIncreaseStatus", renewal?.priceIncreaseStatus)
            renewal?.offer?.write(to: &object)
            object.set("signedDate", event.time)
            object.set("environment", environment.rawValue)
        }
        return writer.bytes
    }
}

/// The fields of the subject that are needed only for the payload.
private struct SubjectFields {
    let webOrderLineItemId: WebOrderLineItemId?
    let subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    let originalPurchaseDate: AppStoreInstant?
    let quantity: Int32?
    let appAccountToken: String?
    let ownership: String?
    let revocationReason: Int32?
    let offer: LegacyOffer?
    let ignoredFields: Int

    init(_ subject: LegacyObject) throws(LegacyError) {
        // Use a new reader, because the ignored fields of `subject` were already counted with the transaction.
        var object = LegacyObject(subject.element)
        webOrderLineItemId = try object.identifier("web_order_line_item_id")
        subscriptionGroupIdentifier = try object.identifier("subscription_group_identifier")
        originalPurchaseDate = object.date(.originalPurchase)
        quantity = object.int32("quantity")
        appAccountToken = try object.text("app_account_token")
        ownership = try object.text("in_app_ownership_type")
        revocationReason = object.int32("cancellation_reason")
        offer = try LegacyOffer(ofTransaction: &object)
        ignoredFields = object.ignoredFields
    }
}
