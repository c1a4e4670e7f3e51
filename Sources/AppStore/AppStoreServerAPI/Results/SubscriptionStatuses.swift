package import AppStoreModel
package import AppStoreVerification

/// A customer's subscriptions in one app, verified.
package struct SubscriptionStatuses: Sendable {
    package struct Group: Sendable {
        package let subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
        package let subscriptions: [Subscription]
    }

    package struct Subscription: Sendable {
        /// As of now, by Apple; not signed.
        package let status: SubscriptionStatus
        /// The latest transaction with its renewal info.
        package let latest: VerifiedTransaction
    }

    /// A subscription that is not used, with its texts, so that it is not lost.
    package struct RefusedItem: Sendable {
        package let object: RefusedObject
        /// As the answer names it, unsigned.
        package let originalTransactionId: OriginalTransactionId?
        /// As in the answer.
        package let signedTransactionInfo: [UInt8]
    }

    package let groups: [Group]
    package let refusedItems: [RefusedItem]

    /// What the answer had besides and is not used.
    package var refused: [RefusedObject] { refusedItems.map(\.object) }
}
