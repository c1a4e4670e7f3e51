package import AppStoreModel
internal import JSON

/// One body of version 1 or of the oldest form, complete but for the shared secret.
package struct UnsignedLegacyBody: Sendable {
    package let format: NotificationFormat
    package let type: LegacyNotificationType
    /// When it is sent, in milliseconds since 1970; nothing in the body says so.
    package let date: Int64
    package let originalTransactionId: OriginalTransactionId
    /// The transaction that it is about.
    package let transactionId: TransactionId

    let members: JSONObject

    /// The HTTP body.
    package func body(password: String) -> [UInt8] {
        var body = members
        body.put("password", password)
        return body.bytes
    }
}
