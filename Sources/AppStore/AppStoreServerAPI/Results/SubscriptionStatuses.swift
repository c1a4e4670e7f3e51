package import AppStoreModel
package import AppStoreVerification

/// A customer's verified subscriptions in one app.
package struct SubscriptionStatuses: Sendable {
    package struct Group: Sendable {
        package let subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
        package let subscriptions: [Subscription]
    }

    package struct Subscription: Sendable {
        /// Current status according to Apple; not signed.
        package let status: SubscriptionStatus
        /// The latest transaction, with the renewal info.
        package let latest: VerifiedTransaction
    }

    /// A refused subscription, including its texts so that it is not lost.
    package struct RefusedItem: Sendable {
        package let object: RefusedObject
        /// The id given in the answer; it is not signed.
        package let originalTransactionId: OriginalTransactionId?
        /// The text, exactly as in the answer.
        package let signedTransactionInfo: [UInt8]
    }

    package let groups: [Group]
    package let refusedItems: [RefusedItem]

    /// The refused objects in the answer.
    package var refused: [RefusedObject] { refusedItems.map(\.object) }
}
