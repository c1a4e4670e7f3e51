package import AppStoreModel

/// One notification of a run, complete but unsigned: the JSON of every object Apple would sign.
package struct UnsignedNotification: Sendable {
    /// The scenario it belongs to.
    package let scenario: String
    /// Number of the run: one account's run through the scenario.
    package let run: Int
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
    package let transaction: [UInt8]?
    /// Decoded payload of `signedRenewalInfo`, as JSON.
    package let renewalInfo: [UInt8]?
    /// Decoded payload of `signedAppTransactionInfo`, as JSON.
    package let appTransaction: [UInt8]?

    let head: PayloadText
    let containerName: String
    let container: PayloadText

    /// Apple's responseBodyV2DecodedPayload around the three nested objects, each a JWS in compact form.
    package func payload(
        signedTransactionInfo: [UInt8]?, signedRenewalInfo: [UInt8]?, signedAppTransactionInfo: [UInt8]?
    ) -> [UInt8] {
        var container = container
        container.put("signedTransactionInfo", jws: signedTransactionInfo)
        container.put("signedRenewalInfo", jws: signedRenewalInfo)
        container.put("signedAppTransactionInfo", jws: signedAppTransactionInfo)
        var payload = head
        payload.put(containerName, container)
        return payload.bytes
    }
}
