internal import AppStoreModel

/// The newest renewal info and status as far as they are about one period. Statements about a former period do not count,
/// whenever it was signed. Source: Apple, `isInBillingRetryPeriod` and "Testing failing subscription renewals".
struct PeriodRenewal {
    /// The renewal info; nil where it was signed before the period began.
    let renewal: RenewalFacts?
    /// The renewal info as far as it is about retry, grace and intent; nil where those are of a former period.
    let failure: RenewalFacts?
    /// The status; nil where it is of a former period.
    let status: StatusFacts?
    /// The period belongs to a commitment: no grace period applies to it. Source: Apple, "Managing the life cycle of monthly
    /// subscriptions with a 12-month commitment".
    private let isCommitted: Bool
    /// It is the last period of a commitment.
    private let isLastOfCommitment: Bool

    init(of period: TransactionFacts?, renewal: RenewalFacts?, status: StatusFacts?) {
        isCommitted = period?.isCommitted ?? false
        isLastOfCommitment =
            isCommitted && period?.commitmentExpiresDate.map { $0 <= period?.expiresDate ?? .earliest } ?? false
        func isBefore(_ version: FactVersion) -> Bool {
            guard let period else { return false }
            // Apple renews ahead: what is signed with the transaction or after it is about it.
            return version.signedDate < min(period.start, period.version.signedDate)
        }
        let isOfFormer = renewal?.renewalDate.map { $0 < period?.expiresDate ?? .earliest } ?? false
        // Its renewalDate says so where Apple signed the transaction again later.
        self.renewal = renewal.flatMap { isBefore($0.version) && (isOfFormer || $0.renewalDate == nil) ? nil : $0 }
        failure = isOfFormer ? nil : self.renewal
        guard let status, !isBefore(status.version) else {
            self.status = nil
            return
        }
        let isToldWithFormer = isOfFormer && renewal.map { !Self.isLater(status.version, than: $0.version) } ?? false
        self.status = isToldWithFormer ? nil : status
    }

    /// When the grace period ends, as Apple states it. Nil unless Apple still retries: a status that ends the period, or
    /// the end of the retries, leaves the date in the renewal info.
    var gracePeriodEnd: AppStoreInstant? {
        guard !isCommitted, let failure, let end = failure.gracePeriodExpiresDate else { return nil }
        let since = status.flatMap { Self.isEarlier($0.version, than: failure.version) ? nil : $0.status }
        if since == .billingGracePeriod { return end }
        let isOver = since == .expired || since == .billingRetry || since == .revoked
        return isOver || failure.isInBillingRetryPeriod == false ? nil : end
    }

    /// Apple asks to continue service, and does not say until when.
    var isGraceWithoutDate: Bool {
        !isCommitted && status?.status == .billingGracePeriod && failure?.gracePeriodExpiresDate == nil
    }

    /// Apple retries the charge, and service has ended. The expiry ends the retries, also where it is told later without
    /// renewal info.
    var isInBillingRetry: Bool {
        if isCommitted && status?.status == .billingGracePeriod { return true }
        if status?.status == .billingRetry { return true }
        guard let failure, failure.isInBillingRetryPeriod == true else { return false }
        return !(status.map { $0.status == .expired && Self.isLater($0.version, than: failure.version) } ?? false)
    }

    /// Whether it renews at the end of the period; nil while unknown.
    var willRenew: Bool? { renewal?.autoRenewStatus.map { $0 == .on } }

    /// Whether the commitment renews at its end; nil where there is none or while unknown.
    var commitmentWillRenew: Bool? {
        isCommitted ? renewal?.commitmentAutoRenewStatus.map { $0 == .on } : nil
    }

    /// The product that it renews as; of a commitment the one after its end.
    var nextProductId: ProductId? {
        isCommitted ? renewal?.commitmentAutoRenewProductId ?? renewal?.autoRenewProductId : renewal?.autoRenewProductId
    }

    /// Nothing says that the period was not renewed.
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

    /// The parts of one notification are signed one after the other.
    private static func isOfOneNotification(_ one: FactVersion, _ other: FactVersion) -> Bool {
        one.uuid != nil && one.uuid == other.uuid
    }
}
