package import AppStoreModel

/// State of an auto-renewable subscription at a moment.
package struct SubscriptionState: Hashable, Sendable {
    package enum Phase: String, Sendable, CaseIterable {
        case active = "ACTIVE"
        /// Billing failed, Apple asks to continue service.
        case grace = "GRACE"
        /// Billing failed, no service.
        case retry = "RETRY"
        /// Apple said active after the expiry we know of: ask Get All Subscription Statuses.
        case stale = "STALE"
        case expired = "EXPIRED"
        case revoked = "REVOKED"
        /// Another purchase goes on from this one, since a migration to Advanced Commerce.
        case migrated = "MIGRATED"

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
    /// When this state ends by itself; nil where it does not.
    package var until: AppStoreInstant?
    /// The transaction that decides; nil where none is known.
    package var transaction: TransactionFacts?
    /// Whether it renews at the end of the period; nil while unknown.
    package var willRenew: Bool?
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

    package var productId: ProductId? { transaction?.productId }
}

/// Limits that the operator may set.
package struct SubscriptionPolicy: Hashable, Sendable {
    /// How long after Apple's word "active" a subscription past its known expiry stays entitled. Milliseconds.
    package var staleToleranceMilliseconds: Int64 = 3_600_000
    /// How long Apple retries a charge after the expiry. Milliseconds.
    package var billingRetryMilliseconds: Int64 = 60 * 86_400_000

    package init() {}
}

/// The facts a state is decided by.
private struct Evidence {
    var current: TransactionFacts?
    var seatAdditions: [TransactionFacts] = []
    var renewal: RenewalFacts?
    var status: StatusFacts?
    var migratedAt: AppStoreInstant?
}

extension PurchaseFacts {
    /// The state at a moment, by the newest facts. Nil if the purchase is no subscription.
    package func state(
        at instant: AppStoreInstant, policy: SubscriptionPolicy = SubscriptionPolicy()
    ) -> SubscriptionState? {
        isSubscription ? newestEvidence.state(at: instant, policy: policy) : nil
    }

    /// Both of the newest facts: the state at a moment, and when it will be another without any notification.
    func stateAndNextChange(
        at instant: AppStoreInstant, policy: SubscriptionPolicy
    ) -> (state: SubscriptionState, nextChange: AppStoreInstant?)? {
        guard isSubscription else { return nil }
        let evidence = newestEvidence
        let state = evidence.state(at: instant, policy: policy)
        return (state, evidence.nextChange(after: instant, from: state, policy: policy))
    }

    private var newestEvidence: Evidence {
        let current = currentTransaction
        return Evidence(
            current: current, seatAdditions: current.map { seatAdditions(to: $0) } ?? [], renewal: renewal,
            status: status, migratedAt: migratedAt)
    }

    /// The state as it was at a past moment, as far as the facts kept tell: transactions made by then, revocations by
    /// their date, renewal info and status only where they were signed by then. Nil before the first transaction.
    package func state(
        asOf instant: AppStoreInstant, policy: SubscriptionPolicy = SubscriptionPolicy()
    ) -> SubscriptionState? {
        guard isSubscription, let current = currentTransaction(asOf: instant) else { return nil }
        return Evidence(
            current: current, seatAdditions: seatAdditions(to: current).filter { $0.start <= instant },
            renewal: renewal.flatMap { $0.version.signedDate <= instant ? $0 : nil },
            status: status.flatMap { $0.version.signedDate <= instant ? $0 : nil }, migratedAt: migratedAt
        ).state(at: instant, policy: policy)
    }

    /// The start of the first period that is kept, where earlier ones may have been absorbed: what was before it is not
    /// known any more. Nil while all periods are kept.
    package var knownSince: AppStoreInstant? { transactions.firstPeriodOfMany?.start }

    /// The first moment after `instant` at which the state is another without any notification. Nil if there is none.
    package func nextChange(
        after instant: AppStoreInstant, policy: SubscriptionPolicy = SubscriptionPolicy()
    ) -> AppStoreInstant? {
        stateAndNextChange(at: instant, policy: policy)?.nextChange
    }

    /// Whether the status that Apple stated disagrees with what the facts give for the moment it was stated.
    /// The facts win; this is for counting.
    package var statusDisagrees: Bool {
        guard let status, status.status.isKnown, let state = state(at: status.version.signedDate),
            state.phase != .migrated
        else {
            return false
        }
        // A failed renewal may be told before the period ends, which the customer keeps.
        let hasFailedEarly =
            state.phase == .active && (status.status == .billingRetry || status.status == .billingGracePeriod)
        return SubscriptionState.Phase(status.status) != (state.phase == .stale ? .active : state.phase)
            && !hasFailedEarly
    }
}

extension TransactionFacts {
    /// Advanced Commerce: the SKUs that are not revoked then.
    package func skus(at instant: AppStoreInstant) -> [String] {
        items.filter { item in item.revocationDate.map { $0 > instant } ?? true }.map(\.sku)
    }
}

extension Evidence {
    /// - Parameter now: the state at `instant`.
    func nextChange(
        after instant: AppStoreInstant, from now: SubscriptionState, policy: SubscriptionPolicy
    ) -> AppStoreInstant? {
        var moments: [AppStoreInstant] = []
        func consider(_ moment: AppStoreInstant?) {
            if let moment, moment > instant { moments.append(moment) }
        }
        func consider(_ transaction: TransactionFacts) {
            consider(transaction.expiresDate)
            consider(transaction.revocationDate)
            for item in transaction.items { consider(item.revocationDate) }
        }
        if let current { consider(current) }
        for addition in seatAdditions { consider(addition) }
        consider(current?.expiresDate?.advanced(byMilliseconds: policy.billingRetryMilliseconds))
        consider(renewal?.gracePeriodExpiresDate)
        consider(migratedAt)
        consider(status?.version.signedDate.advanced(byMilliseconds: policy.staleToleranceMilliseconds))
        guard !moments.isEmpty else { return nil }
        return moments.sorted().first { moment in
            let then = state(at: moment, policy: policy)
            return then.phase != now.phase || then.isEntitled != now.isEntitled || then.seats != now.seats
                || now.transaction.map { $0.skus(at: moment) != $0.skus(at: instant) } ?? false
        }
    }

    /// The first row that holds, in this order: migrated, revoked, active, grace, retry, stale, expired.
    func state(at instant: AppStoreInstant, policy: SubscriptionPolicy) -> SubscriptionState {
        if let migratedAt, migratedAt <= instant { return make(.migrated, isEntitled: false) }
        if isRevoked(at: instant) { return make(.revoked, isEntitled: false) }
        if isRevokedByStatus {
            return make(.revoked, isEntitled: false, needsStatusQuery: true)
        }
        let expiresDate = current?.expiresDate
        if let expiresDate, expiresDate > instant {
            let revocation = seatsRevokedAt.flatMap { $0 > instant ? $0 : nil }
            let end = min(expiresDate, revocation ?? expiresDate, migratedAt ?? expiresDate)
            return make(.active, isEntitled: true, until: end, at: instant)
        }
        if let end = renewal?.gracePeriodExpiresDate, end > instant {
            return make(.grace, isEntitled: true, until: end, at: instant)
        }
        if status?.status == .billingRetry || renewal?.isInBillingRetryPeriod == true {
            guard let expiresDate else { return make(.retry, isEntitled: false) }
            let end = expiresDate.advanced(byMilliseconds: policy.billingRetryMilliseconds)
            if end > instant { return make(.retry, isEntitled: false, until: end) }
        } else if let status, status.status == .active, status.version.signedDate > expiresDate ?? .earliest {
            let end = status.version.signedDate.advanced(byMilliseconds: policy.staleToleranceMilliseconds)
            let isTolerated = end > instant
            return make(
                .stale, isEntitled: isTolerated, until: isTolerated ? end : nil, at: instant, needsStatusQuery: true)
        }
        return make(.expired, isEntitled: false)
    }

    /// All transactions of the period are revoked: with added seats the purchaser keeps access until the last is.
    private func isRevoked(at instant: AppStoreInstant) -> Bool {
        guard let current else { return false }
        return current.isRevoked(at: instant) && seatAdditions.allSatisfy { $0.isRevoked(at: instant) }
    }

    /// When the last transaction of the period is revoked; nil if one is not.
    private var seatsRevokedAt: AppStoreInstant? {
        guard var latest = current?.revocationDate else { return nil }
        for addition in seatAdditions {
            guard let date = addition.revocationDate else { return nil }
            latest = max(latest, date)
        }
        return latest
    }

    /// Apple said "revoked" and has said nothing about the transaction since, which does not explain it.
    private var isRevokedByStatus: Bool {
        guard let status, status.status == .revoked else { return false }
        guard let current else { return true }
        return current.revocationDate == nil && status.version.signedDate >= current.version.signedDate
    }

    private func make(
        _ phase: SubscriptionState.Phase, isEntitled: Bool, until: AppStoreInstant? = nil,
        at instant: AppStoreInstant? = nil, needsStatusQuery: Bool = false
    ) -> SubscriptionState {
        let pending = renewal?.autoRenewProductId.flatMap { $0 == current?.productId ? nil : $0 }
        let isOver = phase == .expired || phase == .revoked || phase == .migrated
        return SubscriptionState(
            phase: phase, isEntitled: isEntitled, until: until, transaction: current,
            willRenew: renewal?.autoRenewStatus.map { $0 == .on },
            pendingProductId: isOver ? nil : pending,
            priceIncreaseStatus: isOver ? nil : renewal?.priceIncreaseStatus,
            expirationIntent: phase == .expired ? renewal?.expirationIntent : nil,
            seats: instant.map { seats(at: $0) } ?? 0, needsStatusQuery: needsStatusQuery)
    }

    private func seats(at instant: AppStoreInstant) -> Int64 {
        guard let current else { return 0 }
        var seats = Self.seats(of: current, at: instant)
        for addition in seatAdditions { seats += Self.seats(of: addition, at: instant) }
        return max(seats, 0)
    }

    /// What a transaction adds or takes: 32 bits each, of 512 transactions at most.
    private static func seats(of transaction: TransactionFacts, at instant: AppStoreInstant) -> Int64 {
        let isHeld = !transaction.isRevoked(at: instant) && !transaction.amountProblems.contains(.quantity)
        return (isHeld ? Int64(transaction.quantity ?? 1) : 0) - Int64(max(transaction.revokedSeatQuantity ?? 0, 0))
    }
}
