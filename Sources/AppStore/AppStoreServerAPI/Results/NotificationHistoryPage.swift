package import AppStoreVerification

/// One page of notifications that Apple sent or tried to send.
package struct NotificationHistoryPage: Sendable {
    package struct Item: Sendable {
        /// The compact JWS, as the app's endpoint would have got it.
        package let signedPayload: [UInt8]
        /// `accepted` or `nonconforming`: what it would have been had it been posted.
        package let verdict: Verdict
        /// Oldest first; at most six.
        package let sendAttempts: [SendAttempt]
    }

    /// A notification that is not used, with its text, so that it is not lost.
    package struct RefusedItem: Sendable {
        /// As in the answer.
        package let signedPayload: [UInt8]
        package let object: RefusedObject
    }

    package let items: [Item]
    package let refused: [RefusedItem]
    package let paginationToken: String?
    package let hasMore: Bool
}

/// What became of a test notification.
package struct TestNotificationStatus: Sendable {
    package let signedPayload: [UInt8]
    package let verdict: Verdict
    package let sendAttempts: [SendAttempt]
}
