package import AppStoreModel
internal import JSON

/// One body in version 1 or the oldest format, complete except for the shared secret.
package struct UnsignedLegacyBody: Sendable {
    package let format: NotificationFormat
    package let type: LegacyNotificationType
    /// When the body is sent, in milliseconds since 1970. The body does not contain this time.
    package let date: Int64
    package let originalTransactionId: OriginalTransactionId
    /// The transaction that the body is about.
    package let transactionId: TransactionId

    let members: JSONObject

    /// Returns the HTTP body.
    package func body(password: String) -> [UInt8] {
        var body = members
        body.put("password", password)
        return body.bytes
    }
}
