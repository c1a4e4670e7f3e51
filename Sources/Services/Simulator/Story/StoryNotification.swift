package import AppStoreModel

/// One notification of a story, complete but unsigned: the JSON of every object Apple would sign.
package struct StoryNotification: Sendable {
    /// The scenario it belongs to.
    package let scenario: String
    /// Number of the story: one account's run through the scenario.
    package let story: Int
    package let notificationType: NotificationType
    package let subtype: Subtype?
    package let notificationUUID: NotificationUUID
    /// Milliseconds since 1970.
    package let signedDate: Int64
    /// Absent where the notification concerns no purchase.
    package let originalTransactionId: OriginalTransactionId?
    package let transactionId: TransactionId?
    /// What orders this notification among others of the same app: originalTransactionId, else the
    /// appTransactionId, requestIdentifier, externalPurchaseId or notificationUUID.
    package let subject: String
    /// Decoded payload of `signedTransactionInfo`, as JSON.
    package let transaction: String?
    /// Decoded payload of `signedRenewalInfo`, as JSON.
    package let renewalInfo: String?
    /// Decoded payload of `signedAppTransactionInfo`, as JSON.
    package let appTransaction: String?

    let head: PayloadText
    let containerName: String
    let container: PayloadText

    /// Apple's responseBodyV2DecodedPayload around the three nested objects, each a JWS in compact form.
    package func payload(
        signedTransactionInfo: String?, signedRenewalInfo: String?, signedAppTransactionInfo: String?
    ) -> String {
        var container = container
        container.put("signedTransactionInfo", signedTransactionInfo)
        container.put("signedRenewalInfo", signedRenewalInfo)
        container.put("signedAppTransactionInfo", signedAppTransactionInfo)
        var payload = head
        payload.put(containerName, container)
        return payload.text
    }
}
