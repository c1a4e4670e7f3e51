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

    package let groups: [Group]
    /// What the answer had besides and is not used.
    package let refused: [RefusedObject]
}
