package import AppStoreModel

/// A difference between the published state of a subscription and Apple's current status.
package struct StatusDifference: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// According to Apple, the subscription should not grant access but does, or vice versa.
        case access
        /// The two agree on access but attribute it to different transactions, because a renewal or change was missed.
        case transaction
        /// Apple has no such subscription for the app.
        case unknown
    }

    package let kind: Kind
    package let published: PublishedSubscription
    /// The status, or nil if Apple has no such subscription.
    package let status: SubscriptionStatus?
    package let latest: TransactionId?
    /// Whether Apple's signed answer was published.
    package var isRepaired = false

    /// Returns nil if the published subscription agrees with Apple's status, or if Apple has no such subscription and
    /// it never granted access.
    ///
    /// - Parameter status: Apple's status, or nil if Apple has no such subscription.
    package init?(_ published: PublishedSubscription, status: SubscriptionStatus?, latest: TransactionId?) {
        self.published = published
        self.status = status
        self.latest = latest
        guard let status else {
            // A subscription that never granted access needs no repair.
            guard published.isEntitled || published.transactionId != nil else { return nil }
            kind = .unknown
            return
        }
        let gives = status == .active || status == .billingGracePeriod
        if gives != published.isEntitled {
            kind = .access
        } else if gives, let latest, latest != published.transactionId {
            kind = .transaction
        } else {
            return nil
        }
    }

    /// Creates a difference from parsed values.
    init(
        _ kind: Kind, _ published: PublishedSubscription, status: SubscriptionStatus?, latest: TransactionId?,
        isRepaired: Bool
    ) {
        self.isRepaired = isRepaired
        self.kind = kind
        self.published = published
        self.status = status
        self.latest = latest
    }
}
