package import AppStoreModel

/// The state of an auto-renewable subscription at a moment.
package struct SubscriptionState: Hashable, Sendable {
    package enum Phase: String, Sendable, CaseIterable {
        case active = "ACTIVE"
        /// The period is over, nothing rules out its renewal, and Apple's notification may be late.
        case renewing = "RENEWING"
        /// Billing failed, and Apple asks the developer to continue service.
        case grace = "GRACE"
        /// Billing failed, and service has ended.
        case retry = "RETRY"
        /// Apple stated "active" after the last known expiry: query Get All Subscription Statuses.
        case stale = "STALE"
        case expired = "EXPIRED"
        case revoked = "REVOKED"
        /// Only version 1 notifications name the purchase, and Apple has not confirmed them: nothing is granted.
        case unconfirmed = "UNCONFIRMED"

        /// Maps Apple's status to a phase; nil for an unknown status.
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
    /// The rule that decided the state.
    package var rule: StateRule
    package var isEntitled: Bool
    /// When this state ends without a notification; nil if it never does. For an active subscription, the end of
    /// consecutive periods of its product.
    package var until: AppStoreInstant?
    /// The transaction that decides the state; nil if none is known.
    package var transaction: TransactionFacts?
    /// Whether the subscription renews at the end of the period; nil if unknown.
    package var willRenew: Bool?
    /// Whether a twelve-month commitment renews at its end; nil if there is no commitment or the answer is unknown.
    package var commitmentWillRenew: Bool?
    /// The product after the next renewal, if different from the current one.
    package var pendingProductId: ProductId?
    /// Status of an announced price increase; 0 while the customer has not responded.
    package var priceIncreaseStatus: PriceIncreaseStatus?
    /// Why the subscription expired.
    package var expirationIntent: ExpirationIntent?
    /// Number of seats in the period. For multiseat transactions, the sum over all transactions minus revoked seats.
    package var seats: Int64
    /// Whether Apple must be queried because the facts do not explain Apple's statement.
    package var needsStatusQuery: Bool
    /// Whether access depends on unread input, so that it is unknown whether the subscription was renewed.
    package var isUnknown = false

    package var productId: ProductId? { transaction?.productId }
}

/// Limits configurable by the operator.
package struct SubscriptionPolicy: Hashable, Sendable {
    /// How long, in milliseconds, a renewing subscription stays entitled after its expiry while the renewal's
    /// notification may still arrive. Apple's first retry comes an hour after the first attempt.
    package var renewalLeewayMilliseconds: Int64 = 3 * 3_600_000
    /// How long, in milliseconds, a renewing subscription stays entitled after its expiry while the input that would
    /// contain the renewal is unread.
    package var outageLeewayMilliseconds: Int64 = 24 * 3_600_000
    /// The facts include everything received up to this moment; nil means that they include all input.
    package var receivedUntil: AppStoreInstant?
    /// Length in milliseconds of a grace period for which Apple states no end: the setting in App Store Connect.
    package var graceFallbackMilliseconds: Int64 = 3 * 86_400_000
    /// How long, in milliseconds, a subscription past its known expiry stays entitled after Apple stated "active".
    package var staleToleranceMilliseconds: Int64 = 3_600_000
    /// How long, in milliseconds, Apple retries a charge after the expiry.
    package var billingRetryMilliseconds: Int64 = 60 * 86_400_000
    /// How long, in milliseconds, Apple retries a charge after the expiry, for a period of a commitment paid monthly.
    package var commitmentRetryMilliseconds: Int64 = 90 * 86_400_000

    package init() {}

    /// Returns when Apple stops retrying the charge.
    func endOfRetry(after expiresDate: AppStoreInstant, isCommitted: Bool) -> AppStoreInstant {
        expiresDate.advanced(byMilliseconds: isCommitted ? commitmentRetryMilliseconds : billingRetryMilliseconds)
    }

    /// Returns the end of a grace period for which Apple states no end. An hour is added because Apple counts calendar
    /// days: six days were 145 hours across a daylight saving change.
    func endOfGraceWithoutDate(after expiresDate: AppStoreInstant) -> AppStoreInstant {
        guard graceFallbackMilliseconds > 0 else { return expiresDate }
        return expiresDate.advanced(byMilliseconds: graceFallbackMilliseconds).advanced(byMilliseconds: 3_600_000)
    }
}

extension PurchaseFacts {
    /// Returns the state at a moment, based on the newest facts. Nil if the purchase is not a subscription.
    package func state(
        at instant: AppStoreInstant, policy: SubscriptionPolicy = SubscriptionPolicy()
    ) -> SubscriptionState? {
        isSubscription ? SubscriptionEvidence(self, from: instant).state(at: instant, policy: policy) : nil
    }

    /// Returns the state at a moment and when it next changes without a notification, based on the newest facts.
    func stateAndNextChange(
        at instant: AppStoreInstant, policy: SubscriptionPolicy
    ) -> (state: SubscriptionState, nextChange: AppStoreInstant?)? {
        guard isSubscription else { return nil }
        let evidence = SubscriptionEvidence(self, from: instant)
        let state = evidence.state(at: instant, policy: policy)
        return (state, evidence.nextChange(after: instant, from: state, policy: policy))
    }

    /// Returns the first moment after `instant` at which the state changes without a notification; nil if there is
    /// none.
    package func nextChange(
        after instant: AppStoreInstant, policy: SubscriptionPolicy = SubscriptionPolicy()
    ) -> AppStoreInstant? {
        stateAndNextChange(at: instant, policy: policy)?.nextChange
    }

    /// Whether Apple's status disagrees with the state that the facts give for the moment of that status. The facts
    /// take precedence; this is used only for a metric.
    package var statusDisagrees: Bool {
        guard let status, status.status.isKnown, let state = state(at: status.version.signedDate)
        else {
            return false
        }
        // Apple may report a failed renewal before the period ends; the customer has access for the rest of the period.
        let hasFailedEarly =
            state.phase == .active && (status.status == .billingRetry || status.status == .billingGracePeriod)
        let isServed = state.phase == .stale || state.phase == .renewing
        return SubscriptionState.Phase(status.status) != (isServed ? .active : state.phase) && !hasFailedEarly
    }
}
