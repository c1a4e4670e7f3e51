package import AppStoreVerification

/// One page of notifications that Apple sent or tried to send.
package struct NotificationHistoryPage: Sendable {
    package struct Item: Sendable {
        /// The compact JWS, as Apple would have posted it to the app's endpoint.
        package let signedPayload: [UInt8]
        /// The verdict that the notification would have received if Apple had posted it: `accepted` or `nonconforming`.
        package let verdict: Verdict
        /// The delivery attempts, oldest first; at most six.
        package let sendAttempts: [SendAttempt]
    }

    /// A rejected notification, kept with its text so that nothing is lost.
    package struct RefusedItem: Sendable {
        /// The text, exactly as in the response.
        package let signedPayload: [UInt8]
        package let object: RefusedObject
    }

    package let items: [Item]
    package let refused: [RefusedItem]
    package let paginationToken: String?
    package let hasMore: Bool
}

/// The delivery status of a test notification.
package struct TestNotificationStatus: Sendable {
    package let signedPayload: [UInt8]
    package let verdict: Verdict
    package let sendAttempts: [SendAttempt]
}
