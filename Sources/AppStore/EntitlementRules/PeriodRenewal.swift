internal import AppStoreModel

/// The newest renewal info and status, restricted to statements about one period. Statements about an earlier period
/// are ignored, no matter when they were signed. Source: Apple, `isInBillingRetryPeriod` and "Testing failing
/// subscription renewals".
struct PeriodRenewal {
    /// The renewal info, or nil if it was signed before the period, unless its renewalDate shows that it concerns the
    /// period.
    let renewal: RenewalFacts?
    /// The renewal info that provides the retry, grace and intent fields, or nil if they belong to an earlier period.
    let failure: RenewalFacts?
    /// The status, or nil if it belongs to an earlier period.
    let status: StatusFacts?
    /// Whether the period belongs to a commitment. A commitment has no grace period. Source: Apple, "Managing the life
    /// cycle of monthly subscriptions with a 12-month commitment".
    private let isCommitted: Bool
    /// Whether this is the last period of a commitment.
    private let isLastOfCommitment: Bool

    init(of period: TransactionFacts?, renewal: RenewalFacts?, status: StatusFacts?) {
        isCommitted = period?.isCommitted ?? false
        isLastOfCommitment =
            isCommitted && period?.commitmentExpiresDate.map { $0 <= period?.expiresDate ?? .earliest } ?? false
        func isBefore(_ version: FactVersion) -> Bool {
            guard let period else { return false }
            // Apple renews ahead of time. Statements signed with or after the transaction concern this period.
            return version.signedDate < min(period.start, period.version.signedDate)
        }
        let isOfFormer = renewal?.renewalDate.map { $0 < period?.expiresDate ?? .earliest } ?? false
        // If Apple signed the transaction again later, the renewalDate still shows which period the renewal info
        // concerns.
        self.renewal = renewal.flatMap { isBefore($0.version) && (isOfFormer || $0.renewalDate == nil) ? nil : $0 }
        failure = isOfFormer ? nil : self.renewal
        guard let status, !isBefore(status.version) else {
            self.status = nil
            return
        }
        let isToldWithFormer = isOfFormer && renewal.map { !Self.isLater(status.version, than: $0.version) } ?? false
        self.status = isToldWithFormer ? nil : status
    }

    /// The end of the grace period according to Apple, or nil if there is no grace period or Apple has ended it.
    /// Renewal info still contains the date after a status that ends the grace period and after the last retry.
    var gracePeriodEnd: AppStoreInstant? {
        guard !isCommitted, let failure, let end = failure.gracePeriodExpiresDate else { return nil }
        let since = status.flatMap { Self.isEarlier($0.version, than: failure.version) ? nil : $0.status }
        if since == .billingGracePeriod { return end }
        let isOver = since == .expired || since == .billingRetry || since == .revoked
        return isOver || failure.isInBillingRetryPeriod == false ? nil : end
    }

    /// Whether Apple asks the developer to continue service but specifies no end.
    var isGraceWithoutDate: Bool {
        !isCommitted && status?.status == .billingGracePeriod && failure?.gracePeriodExpiresDate == nil
    }

    /// Whether Apple is still retrying the charge after service has ended. An expiry ends the retries, even if it is
    /// reported later without renewal info.
    var isInBillingRetry: Bool {
        if isCommitted && status?.status == .billingGracePeriod { return true }
        if status?.status == .billingRetry { return true }
        guard let failure, failure.isInBillingRetryPeriod == true else { return false }
        return !(status.map { $0.status == .expired && Self.isLater($0.version, than: failure.version) } ?? false)
    }

    /// Whether the subscription renews at the end of the period, or nil if unknown.
    var willRenew: Bool? { renewal?.autoRenewStatus.map { $0 == .on } }

    /// Whether the commitment renews at its end, or nil if this is unknown or there is no commitment.
    var commitmentWillRenew: Bool? {
        isCommitted ? renewal?.commitmentAutoRenewStatus.map { $0 == .on } : nil
    }

    /// The product after the next renewal. For a commitment, this is the product after the commitment ends.
    var nextProductId: ProductId? {
        isCommitted ? renewal?.commitmentAutoRenewProductId ?? renewal?.autoRenewProductId : renewal?.autoRenewProductId
    }

    /// Whether the period may have been renewed: true unless a statement rules it out.
    var mayBeRenewing: Bool {
        switch status?.status {
        case .some(.expired), .some(.billingRetry), .some(.billingGracePeriod), .some(.revoked): return false
        default: break
        }
        guard renewal?.autoRenewStatus != .off else { return false }
        if isLastOfCommitment, commitmentWillRenew == false { return false }
        guard let failure else { return true }
        return failure.isInBillingRetryPeriod != true && failure.expirationIntent == nil
            && failure.gracePeriodExpiresDate == nil
    }

    private static func isEarlier(_ one: FactVersion, than other: FactVersion) -> Bool {
        one.signedDate < other.signedDate && !isOfOneNotification(one, other)
    }

    private static func isLater(_ one: FactVersion, than other: FactVersion) -> Bool {
        one.signedDate > other.signedDate && !isOfOneNotification(one, other)
    }

    /// Returns whether both statements come from the same notification. The parts of a notification are signed one
    /// after another, so their dates differ slightly.
    private static func isOfOneNotification(_ one: FactVersion, _ other: FactVersion) -> Bool {
        one.uuid != nil && one.uuid == other.uuid
    }
}
