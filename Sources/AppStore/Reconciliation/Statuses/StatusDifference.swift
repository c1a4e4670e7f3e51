package import AppStoreModel

/// How what is published of a subscription differs from what Apple says of it now.
package struct StatusDifference: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// It gives access, and Apple says that it should not, or the other way round.
        case access
        /// The same access, but of another transaction: a renewal or a change was missed.
        case transaction
        /// Apple knows no such subscription of the app.
        case unknown
    }

    package let kind: Kind
    package let published: PublishedSubscription
    /// Nil where Apple knows none.
    package let status: SubscriptionStatus?
    package let latest: TransactionId?
    /// Apple's signed answer was published.
    package var isRepaired = false

    /// Nil where both say the same.
    ///
    /// - Parameter status: nil where Apple knows no such subscription.
    package init?(_ published: PublishedSubscription, status: SubscriptionStatus?, latest: TransactionId?) {
        self.published = published
        self.status = status
        self.latest = latest
        guard let status else {
            // What was never given does no harm.
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

    /// As it was written.
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
