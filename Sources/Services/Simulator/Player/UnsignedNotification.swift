package import AppStoreModel
internal import JSON

/// One notification of a run, complete but unsigned: the JSON of every object that Apple would sign.
package struct UnsignedNotification: Sendable {
    /// The scenario to which the notification belongs.
    package let scenario: String
    /// The run number. In each run, one account plays the scenario.
    package let run: Int
    package let notificationType: NotificationType
    package let subtype: Subtype?
    package let notificationUUID: NotificationUUID
    /// The signing date, in milliseconds since 1970.
    package let signedDate: Int64
    /// The purchase's id, or nil if the notification does not concern a purchase.
    package let originalTransactionId: OriginalTransactionId?
    package let transactionId: TransactionId?
    /// The ordering key of the notification within its app: the originalTransactionId, otherwise the appTransactionId,
    /// requestIdentifier, externalPurchaseId or notificationUUID.
    package let subject: String
    /// The decoded payload of `signedTransactionInfo`, as JSON.
    package let transaction: [UInt8]?
    /// The decoded payload of `signedRenewalInfo`, as JSON.
    package let renewalInfo: [UInt8]?
    /// The decoded payload of `signedAppTransactionInfo`, as JSON.
    package let appTransaction: [UInt8]?

    let head: JSONObject
    let containerName: String
    let container: JSONObject

    /// Returns Apple's responseBodyV2DecodedPayload with the three nested objects, each a compact JWS.
    package func payload(
        signedTransactionInfo: [UInt8]?, signedRenewalInfo: [UInt8]?, signedAppTransactionInfo: [UInt8]?
    ) -> [UInt8] {
        var container = container
        container.put("signedTransactionInfo", signedTransactionInfo.map { String(decoding: $0, as: UTF8.self) })
        container.put("signedRenewalInfo", signedRenewalInfo.map { String(decoding: $0, as: UTF8.self) })
        container.put("signedAppTransactionInfo", signedAppTransactionInfo.map { String(decoding: $0, as: UTF8.self) })
        var payload = head
        payload.put(containerName, container)
        return payload.bytes
    }
}
