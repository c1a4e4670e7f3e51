package import AppStoreModel
package import AppStoreVerification

/// A customer's verified subscriptions in one app.
package struct SubscriptionStatuses: Sendable {
    package struct Group: Sendable {
        package let subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
        package let subscriptions: [Subscription]
    }

    package struct Subscription: Sendable {
        /// The current status according to Apple. It is not signed.
        package let status: SubscriptionStatus
        /// The latest transaction with its renewal info.
        package let latest: VerifiedTransaction
    }

    /// A rejected subscription. Either of its signed objects may be the reason, so both are kept.
    package struct RefusedItem: Sendable {
        package let object: RefusedObject
        /// The unsigned ID in the response.
        package let originalTransactionId: OriginalTransactionId?
        /// The JSON object with both JWS strings, exactly as in the response.
        package let bytes: [UInt8]
    }

    package let groups: [Group]
    package let refusedItems: [RefusedItem]

    /// The rejected objects in the response.
    package var refused: [RefusedObject] { refusedItems.map(\.object) }
}
