package import AppStoreModel
internal import JSON

/// One body in version 1 or the oldest format, complete except for the shared secret.
package struct UnsignedLegacyBody: Sendable {
    package let format: NotificationFormat
    package let type: LegacyNotificationType
    /// The time at which the body is sent, in milliseconds since 1970. The body does not contain this time.
    package let date: Int64
    package let originalTransactionId: OriginalTransactionId
    /// The transaction that the body concerns.
    package let transactionId: TransactionId

    let members: JSONObject

    /// Returns the HTTP body.
    package func body(password: String) -> [UInt8] {
        var body = members
        body.put("password", password)
        return body.bytes
    }
}
