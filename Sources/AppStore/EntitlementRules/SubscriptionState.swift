package import AppStoreModel

/// The state of an auto-renewable subscription at a given time.
package struct SubscriptionState: Hashable, Sendable {
    package enum Phase: String, Sendable, CaseIterable {
        case active = "ACTIVE"
        /// The period has ended, nothing rules out its renewal, and Apple's notification may be late.
        case renewing = "RENEWING"
        /// Billing failed, and Apple asks the developer to continue service.
        case grace = "GRACE"
        /// Billing failed, and service has ended.
        case retry = "RETRY"
        /// Apple reported the subscription as active after the last known expiry. Get All Subscription Statuses must be
        /// called.
        case stale = "STALE"
        case expired = "EXPIRED"
        case revoked = "REVOKED"
        /// Only version 1 notifications name the purchase, and Apple has not confirmed them. Nothing is granted.
        case unconfirmed = "UNCONFIRMED"

        /// Maps Apple's status to a phase, or returns nil for an unknown status.
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
    /// The rule that determined the state.
    package var rule: StateRule
    package var isEntitled: Bool
    /// The time when this state ends without a notification, or nil if it never does. For an active subscription, this
    /// is the end of the last of its consecutive periods.
    package var until: AppStoreInstant?
    /// The transaction that determines the state, or nil if none is known.
    package var transaction: TransactionFacts?
    /// Whether the subscription renews at the end of the period, or nil if unknown.
    package var willRenew: Bool?
    /// Whether a twelve-month commitment renews at its end, or nil if there is no commitment or this is unknown.
    package var commitmentWillRenew: Bool?
    /// The product after the next renewal, if it differs from the current one.
    package var pendingProductId: ProductId?
    /// The status of an announced price increase; 0 while the customer has not responded.
    package var priceIncreaseStatus: PriceIncreaseStatus?
    /// The reason why the subscription expired.
    package var expirationIntent: ExpirationIntent?
    /// The number of seats in the period, or 0 if access is not granted. For multi-seat transactions, this is the sum
    /// over all transactions minus the revoked seats.
    package var seats: Int64
    /// Whether Apple must be queried because the known facts do not fully explain the status that it reported.
    package var needsStatusQuery: Bool
    /// Whether access depends on unread input that may contain a renewal.
    package var isUnknown = false

    package var productId: ProductId? { transaction?.productId }
}

/// Limits configured by the operator.
package struct SubscriptionPolicy: Hashable, Sendable {
    /// How long, in milliseconds, a subscription remains entitled after its expiry while the renewal notification may
    /// still arrive. Apple's first retry comes an hour after the first attempt.
    package var renewalLeewayMilliseconds: Int64 = 3 * 3_600_000
    /// How long, in milliseconds, a subscription remains entitled after its expiry while the input that would contain
    /// the renewal is unread.
    package var outageLeewayMilliseconds: Int64 = 24 * 3_600_000
    /// The time up to which the facts include all input received, or nil if they include all input.
    package var receivedUntil: AppStoreInstant?
    /// The length, in milliseconds, of a grace period for which Apple specifies no end, as set in App Store Connect.
    package var graceFallbackMilliseconds: Int64 = 3 * 86_400_000
    /// How long, in milliseconds, a subscription past its known expiry remains entitled after Apple reported it as
    /// active.
    package var staleToleranceMilliseconds: Int64 = 3_600_000
    /// How long, in milliseconds, Apple retries a charge after the expiry.
    package var billingRetryMilliseconds: Int64 = 60 * 86_400_000
    /// How long, in milliseconds, Apple retries a charge after the expiry of a period in a commitment with monthly
    /// payments.
    package var commitmentRetryMilliseconds: Int64 = 90 * 86_400_000

    package init() {}

    /// Returns the time when Apple stops retrying the charge.
    func endOfRetry(after expiresDate: AppStoreInstant, isCommitted: Bool) -> AppStoreInstant {
        expiresDate.advanced(byMilliseconds: isCommitted ? commitmentRetryMilliseconds : billingRetryMilliseconds)
    }

    /// Returns the end of a grace period for which Apple specifies no end. An hour is added because Apple counts
    /// calendar days: six days took 145 hours across a daylight saving change.
    func endOfGraceWithoutDate(after expiresDate: AppStoreInstant) -> AppStoreInstant {
        guard graceFallbackMilliseconds > 0 else { return expiresDate }
        return expiresDate.advanced(byMilliseconds: graceFallbackMilliseconds).advanced(byMilliseconds: 3_600_000)
    }
}

extension PurchaseFacts {
    /// Returns the state at a given time, based on the newest facts, or nil if the purchase is not a subscription.
    package func state(
        at instant: AppStoreInstant, policy: SubscriptionPolicy = SubscriptionPolicy()
    ) -> SubscriptionState? {
        isSubscription ? SubscriptionEvidence(self, from: instant).state(at: instant, policy: policy) : nil
    }

    /// Returns the state at a given time and the time when the state next changes without a notification, based on the
    /// newest facts. Returns nil if the purchase is not a subscription.
    func stateAndNextChange(
        at instant: AppStoreInstant, policy: SubscriptionPolicy
    ) -> (state: SubscriptionState, nextChange: AppStoreInstant?)? {
        guard isSubscription else { return nil }
        let evidence = SubscriptionEvidence(self, from: instant)
        let state = evidence.state(at: instant, policy: policy)
        return (state, evidence.nextChange(after: instant, from: state, policy: policy))
    }

    /// Returns the first time after `instant` at which the state changes without a notification, or nil if there is
    /// none.
    package func nextChange(
        after instant: AppStoreInstant, policy: SubscriptionPolicy = SubscriptionPolicy()
    ) -> AppStoreInstant? {
        stateAndNextChange(at: instant, policy: policy)?.nextChange
    }

    /// Whether Apple's status contradicts the state that the facts imply for the time when the status was signed. The
    /// facts take precedence; this is used only for a metric.
    package var statusDisagrees: Bool {
        guard let status, status.status.isKnown else { return false }
        if status.status == .active, isPlainlyActive(at: status.version.signedDate) { return false }
        guard let state = state(at: status.version.signedDate) else { return false }
        // Apple may report a failed renewal before the period ends. The customer has access for the rest of the period.
        let hasFailedEarly =
            state.phase == .active && (status.status == .billingRetry || status.status == .billingGracePeriod)
        let isServed = state.phase == .stale || state.phase == .renewing
        return SubscriptionState.Phase(status.status) != (isServed ? .active : state.phase) && !hasFailedEarly
    }

    /// Returns whether the last transaction alone shows that the subscription is active at a given time, as after most
    /// renewals. If this is false, the subscription may still be active.
    private func isPlainlyActive(at instant: AppStoreInstant) -> Bool {
        guard let last = transactions.values.last, last.isAutoRenewable, last.start <= instant,
            last.expiresDate ?? .earliest > instant, last.revocationDate == nil, !isUpgraded(last)
        else { return false }
        // Transactions are sorted by start. Another one with the same start, or added seats, might be decisive.
        return transactions.values.dropLast().last.map { $0.start < last.start } ?? true
            && !transactions.values.contains(where: \.hasAddedSeats)
    }
}
