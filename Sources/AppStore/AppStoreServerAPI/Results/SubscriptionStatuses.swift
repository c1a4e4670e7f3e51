package import AppStoreModel
package import AppStoreVerification

/// A customer's subscriptions in one app, verified.
package struct SubscriptionStatuses: Sendable {
    package struct Group: Sendable {
        package let subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
        package let subscriptions: [Subscription]
    }

    package struct Subscription: Sendable {
        /// Current status according to Apple; not signed.
        package let status: SubscriptionStatus
        /// The latest transaction with its renewal info.
        package let latest: VerifiedTransaction
    }

    /// A refused subscription with its texts, so that it is not lost.
    package struct RefusedItem: Sendable {
        package let object: RefusedObject
        /// The id in the answer, unsigned.
        package let originalTransactionId: OriginalTransactionId?
        /// The text as in the answer.
        package let signedTransactionInfo: [UInt8]
    }

    package let groups: [Group]
    package let refusedItems: [RefusedItem]

    /// The refused objects of the answer.
    package var refused: [RefusedObject] { refusedItems.map(\.object) }
}
