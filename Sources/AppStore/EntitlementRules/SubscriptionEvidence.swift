internal import AppStoreModel

/// The facts that determine the state of a subscription at a given time and later.
struct SubscriptionEvidence {
    /// The current period, followed by the upcoming periods in order. Among periods that replaced each other, only the
    /// last is included.
    var periods: [SubscriptionPeriod] = []
    /// The latest transaction, if `periods` is empty because this transaction was upgraded and the new one is unknown.
    var replaced: TransactionFacts?
    var renewal: RenewalFacts?
    var status: StatusFacts?
    /// Whether the revocation of another transaction explains status 5 (revoked).
    var isStatusExplained = false

    /// Collects the newest facts for this time and later.
    init(_ purchase: PurchaseFacts, from instant: AppStoreInstant) {
        periods = purchase.competingPeriods(from: instant)
        if periods.isEmpty { replaced = purchase.latestPeriod() }
        renewal = purchase.renewal
        status = purchase.status
        isStatusExplained = purchase.explainsRevokedStatus
    }

    /// Returns the latest period that has begun, or the first period if none has begun.
    func current(at instant: AppStoreInstant) -> SubscriptionPeriod? {
        periods.last { $0.start <= instant } ?? periods.first
    }

    // MARK: States

    /// Returns the first state that applies, in this order: revoked, active, grace, renewing, retry, stale, expired.
    func state(at instant: AppStoreInstant, policy: SubscriptionPolicy) -> SubscriptionState {
        let current = current(at: instant)
        func make(
            _ phase: SubscriptionState.Phase, by rule: StateRule, isEntitled: Bool, until: AppStoreInstant? = nil,
            needsStatusQuery: Bool = false
        ) -> SubscriptionState {
            self.make(
                phase, by: rule, of: current, at: instant, isEntitled: isEntitled, until: until,
                needsStatusQuery: needsStatusQuery)
        }
        if let current, current.isRevoked(at: instant) {
            return make(.revoked, by: .transactionRevoked, isEntitled: false)
        }
        if isRevokedByStatus(current) {
            return make(.revoked, by: .statusRevoked, isEntitled: false, needsStatusQuery: true)
        }
        let expiresDate = current?.expiresDate(at: instant)
        if let current, let expiresDate, expiresDate > instant {
            return make(
                .active, by: .periodRunning, isEntitled: true,
                until: endOfAccess(in: current, expiresDate, at: instant))
        }
        let told = PeriodRenewal(of: current?.first, renewal: renewal, status: status(of: current))
        if let end = told.gracePeriodEnd, end > instant {
            return make(.grace, by: .graceUntil, isEntitled: true, until: end)
        }
        if told.isGraceWithoutDate, let end = expiresDate.map(policy.endOfGraceWithoutDate(after:)), end > instant {
            return make(.grace, by: .graceWithoutEnd, isEntitled: true, until: end, needsStatusQuery: true)
        }
        if told.mayBeRenewing, let expiresDate,
            let silence = RenewalSilence(after: expiresDate, at: instant, policy: policy)
        {
            var state = make(
                .renewing, by: silence.isUnknown ? .renewalUnread : .renewalAwaited, isEntitled: true,
                until: silence.end)
            state.isUnknown = silence.isUnknown
            return state
        }
        if told.isInBillingRetry {
            guard let expiresDate else { return make(.retry, by: .billingRetry, isEntitled: false) }
            let end = policy.endOfRetry(after: expiresDate, isCommitted: current?.first.isCommitted ?? false)
            if end > instant { return make(.retry, by: .billingRetry, isEntitled: false, until: end) }
        } else if let status, status.status == .active, status.version.signedDate > expiresDate ?? .earliest {
            let end = status.version.signedDate.advanced(byMilliseconds: policy.staleToleranceMilliseconds)
            let isTolerated = end > instant
            return make(
                .stale, by: isTolerated ? .statusActive : .statusActiveTooOld, isEntitled: isTolerated,
                until: isTolerated ? end : nil, needsStatusQuery: true)
        }
        return make(
            .expired, by: Self.endRule(told), isEntitled: false, needsStatusQuery: told.isGraceWithoutDate)
    }

    /// Returns the reason why a subscription expired, according to the statements about its last period.
    private static func endRule(_ told: PeriodRenewal) -> StateRule {
        if told.isInBillingRetry { return .retryOver }
        if told.mayBeRenewing { return .renewalMissing }
        return told.willRenew == false ? .renewalOff : .periodOver
    }

    /// Returns the time when access ends: the end of the current period or, if periods for the same product follow
    /// without a gap, of the last of them. A revocation or a product change ends access sooner.
    private func endOfAccess(
        in current: SubscriptionPeriod, _ expiresDate: AppStoreInstant, at instant: AppStoreInstant
    ) -> AppStoreInstant {
        var end = expiresDate
        for next in periods where next.start > instant && next.start <= end {
            guard next.productId == current.productId, next.revocationDate == nil else {
                // The next period is for a different product or is revoked.
                end = next.start
                break
            }
            end = max(end, next.expiresDate(at: instant) ?? end)
        }
        if let revocation = current.revocationDate, revocation > instant { end = min(end, revocation) }
        return end
    }

    /// Returns the status, or nil if it belongs to a different period whose revocation explains it.
    private func status(of period: SubscriptionPeriod?) -> StatusFacts? {
        let isRevoked = period?.transactions.contains { $0.revocationDate != nil } ?? false
        return status?.status == .revoked && isStatusExplained && !isRevoked ? nil : status
    }

    /// Returns whether Apple reported the subscription as revoked and has signed nothing about the period since, and no
    /// other revocation explains the status.
    private func isRevokedByStatus(_ current: SubscriptionPeriod?) -> Bool {
        guard let status, status.status == .revoked, !isStatusExplained else { return false }
        return current?.transactions.allSatisfy {
            $0.revocationDate == nil && status.version.signedDate >= $0.version.signedDate
        } ?? true
    }

    private func make(
        _ phase: SubscriptionState.Phase, by rule: StateRule, of current: SubscriptionPeriod?,
        at instant: AppStoreInstant, isEntitled: Bool, until: AppStoreInstant?, needsStatusQuery: Bool
    ) -> SubscriptionState {
        let told = PeriodRenewal(of: current?.first, renewal: renewal, status: status(of: current))
        let pending = told.nextProductId.flatMap { $0 == current?.productId ? nil : $0 }
        // A refund of the current period ends a commitment.
        let hasEnded = phase == .revoked && current?.first.isCommitted == true
        let isOver = phase == .expired || phase == .revoked
        return SubscriptionState(
            phase: phase, rule: rule, isEntitled: isEntitled, until: until,
            transaction: current?.first ?? replaced,
            willRenew: hasEnded ? false : told.willRenew,
            commitmentWillRenew: hasEnded ? false : told.commitmentWillRenew,
            pendingProductId: isOver ? nil : pending,
            priceIncreaseStatus: isOver ? nil : told.renewal?.priceIncreaseStatus,
            expirationIntent: phase == .expired ? told.failure?.expirationIntent : nil,
            seats: isEntitled ? current?.seats(at: instant) ?? 0 : 0, needsStatusQuery: needsStatusQuery)
    }
}

extension SubscriptionEvidence {
    /// - Parameter now: the state at `instant`.
    func nextChange(
        after instant: AppStoreInstant, from now: SubscriptionState, policy: SubscriptionPolicy
    ) -> AppStoreInstant? {
        var moments: [AppStoreInstant] = []
        moments.reserveCapacity(10)
        func consider(_ moment: AppStoreInstant?) {
            if let moment, moment > instant { moments.append(moment) }
        }
        func consider(_ transaction: TransactionFacts) {
            consider(transaction.start)
            consider(transaction.expiresDate)
            consider(transaction.revocationDate)
            for item in transaction.items { consider(item.revocationDate) }
            guard let expiresDate = transaction.expiresDate else { return }
            consider(policy.endOfGraceWithoutDate(after: expiresDate))
            consider(expiresDate.advanced(byMilliseconds: policy.renewalLeewayMilliseconds))
            if policy.receivedUntil != nil {
                consider(expiresDate.advanced(byMilliseconds: policy.outageLeewayMilliseconds))
            }
            consider(policy.endOfRetry(after: expiresDate, isCommitted: transaction.isCommitted))
        }
        for period in periods {
            consider(period.first)
            for addition in period.additions { consider(addition) }
        }
        consider(renewal?.gracePeriodExpiresDate)
        consider(status?.version.signedDate.advanced(byMilliseconds: policy.staleToleranceMilliseconds))
        guard !moments.isEmpty else { return nil }
        moments.sort()
        return moments.first { moment in
            let then = state(at: moment, policy: policy)
            return then.phase != now.phase || then.isEntitled != now.isEntitled || then.seats != now.seats
                || then.isUnknown != now.isUnknown
                || then.transaction?.key != now.transaction?.key
                || now.transaction.map { $0.skus(at: moment) != $0.skus(at: instant) } ?? false
        }
    }
}
