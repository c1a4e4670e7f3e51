package import AppStoreModel

/// State of an auto-renewable subscription at a moment.
package struct SubscriptionState: Hashable, Sendable {
    package enum Phase: String, Sendable, CaseIterable {
        case active = "ACTIVE"
        /// The period is over, nothing says that it was not renewed, and Apple's notification may be late.
        case renewing = "RENEWING"
        /// Billing failed, Apple asks to continue service.
        case grace = "GRACE"
        /// Billing failed, no service.
        case retry = "RETRY"
        /// Apple said active after the expiry we know of: ask Get All Subscription Statuses.
        case stale = "STALE"
        case expired = "EXPIRED"
        case revoked = "REVOKED"
        /// Only version 1 notifications say that there is something, and Apple has not confirmed it: nothing is given.
        case unconfirmed = "UNCONFIRMED"

        /// What Apple's status says; nil for a status that is unknown.
        package init?(_ status: SubscriptionStatus) {
            switch status {
            case .active: self = .active
            case .expired: self = .expired
            case .billingRetry: self = .retry
            case .billingGracePeriod: self = .grace
            case .revoked: self = .revoked
            default: return nil
            }
        }
    }

    package var phase: Phase
    package var isEntitled: Bool
    /// When this state ends by itself; nil where it does not. Of an active subscription the end of the periods of its
    /// product that follow each other without a gap.
    package var until: AppStoreInstant?
    /// The transaction that decides; nil where none is known.
    package var transaction: TransactionFacts?
    /// Whether it renews at the end of the period; nil while unknown.
    package var willRenew: Bool?
    /// Whether a commitment of twelve months renews at its end; nil where there is none or while unknown.
    package var commitmentWillRenew: Bool?
    /// The product it renews as, where that is another.
    package var pendingProductId: ProductId?
    /// Of an announced price increase: 0 while the customer has not answered.
    package var priceIncreaseStatus: PriceIncreaseStatus?
    /// Why it expired.
    package var expirationIntent: ExpirationIntent?
    /// Seats of the period, for multiseat transactions the sum over its transactions less what was revoked.
    package var seats: Int64
    /// Apple must be asked: the facts at hand do not explain what it said.
    package var needsStatusQuery: Bool
    /// Whether access rests on input that is not read yet, so that nothing is known of the renewal.
    package var isUnknown = false

    package var productId: ProductId? { transaction?.productId }
}

/// Limits that the operator may set.
package struct SubscriptionPolicy: Hashable, Sendable {
    /// How long after its expiry a subscription that renews stays entitled while the renewal's notification may be on its
    /// way. Milliseconds. Apple's first retry comes an hour after the first attempt.
    package var renewalLeewayMilliseconds: Int64 = 3 * 3_600_000
    /// How long after its expiry a subscription that renews stays entitled while the input that would tell of the renewal
    /// is not read. Milliseconds.
    package var outageLeewayMilliseconds: Int64 = 24 * 3_600_000
    /// Everything that was received until this moment is among the facts; nil: everything that there is.
    package var receivedUntil: AppStoreInstant?
    /// How long after the expiry a grace period lasts of which Apple states no end: what App Store Connect is set to.
    /// Milliseconds.
    package var graceFallbackMilliseconds: Int64 = 3 * 86_400_000
    /// How long after Apple's word "active" a subscription past its known expiry stays entitled. Milliseconds.
    package var staleToleranceMilliseconds: Int64 = 3_600_000
    /// How long Apple retries a charge after the expiry. Milliseconds.
    package var billingRetryMilliseconds: Int64 = 60 * 86_400_000
    /// The same for a period of a commitment that is paid by the month. Milliseconds.
    package var commitmentRetryMilliseconds: Int64 = 90 * 86_400_000

    package init() {}

    /// When Apple ends its attempts to charge.
    func endOfRetry(after expiresDate: AppStoreInstant, isCommitted: Bool) -> AppStoreInstant {
        expiresDate.advanced(byMilliseconds: isCommitted ? commitmentRetryMilliseconds : billingRetryMilliseconds)
    }

    /// The end of a grace period for which Apple states none. An hour is added because Apple counts days of the calendar,
    /// and 6 days were 145 hours over a change of clocks.
    func endOfGraceWithoutDate(after expiresDate: AppStoreInstant) -> AppStoreInstant {
        guard graceFallbackMilliseconds > 0 else { return expiresDate }
        return expiresDate.advanced(byMilliseconds: graceFallbackMilliseconds).advanced(byMilliseconds: 3_600_000)
    }
}

extension PurchaseFacts {
    /// The state at a moment, by the newest facts. Nil if the purchase is no subscription.
    package func state(
        at instant: AppStoreInstant, policy: SubscriptionPolicy = SubscriptionPolicy()
    ) -> SubscriptionState? {
        isSubscription ? SubscriptionEvidence(self, from: instant).state(at: instant, policy: policy) : nil
    }

    /// Both of the newest facts: the state at a moment, and when it will be another without any notification.
    func stateAndNextChange(
        at instant: AppStoreInstant, policy: SubscriptionPolicy
    ) -> (state: SubscriptionState, nextChange: AppStoreInstant?)? {
        guard isSubscription else { return nil }
        let evidence = SubscriptionEvidence(self, from: instant)
        let state = evidence.state(at: instant, policy: policy)
        return (state, evidence.nextChange(after: instant, from: state, policy: policy))
    }

    /// The first moment after `instant` at which the state is another without any notification. Nil if there is none.
    package func nextChange(
        after instant: AppStoreInstant, policy: SubscriptionPolicy = SubscriptionPolicy()
    ) -> AppStoreInstant? {
        stateAndNextChange(at: instant, policy: policy)?.nextChange
    }

    /// Whether the status that Apple stated disagrees with what the facts give for the moment it was stated.
    /// The facts win; this is for counting.
    package var statusDisagrees: Bool {
        guard let status, status.status.isKnown, let state = state(at: status.version.signedDate)
        else {
            return false
        }
        // A failed renewal may be told before the period ends, which the customer keeps.
        let hasFailedEarly =
            state.phase == .active && (status.status == .billingRetry || status.status == .billingGracePeriod)
        let isServed = state.phase == .stale || state.phase == .renewing
        return SubscriptionState.Phase(status.status) != (isServed ? .active : state.phase) && !hasFailedEarly
    }
}
