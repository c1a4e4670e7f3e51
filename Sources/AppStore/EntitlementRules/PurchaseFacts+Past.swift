package import AppStoreModel

/// What was known and granted at a past moment. Of most facts only the newest statement is kept; the notifications of the
/// history tell what was said before it, as far as they are kept.
extension PurchaseFacts {
    /// The state as it was at a past moment: transactions that had begun, revocations as they were known then, renewal
    /// info where it was signed by then, and the status that Apple had stated. Nil before the first transaction.
    ///
    /// Look at ``whollyKnownSince(before:)`` too: before that moment something else may have been known.
    package func state(
        asOf instant: AppStoreInstant, policy: SubscriptionPolicy = SubscriptionPolicy()
    ) -> SubscriptionState? {
        guard isSubscription, let period = period(asOf: instant) else { return nil }
        var evidence = SubscriptionEvidence()
        evidence.periods = [
            SubscriptionPeriod(
                first: asKnown(period.first, at: instant),
                additions: period.additions.map { asKnown($0, at: instant) })
        ]
        evidence.renewal = renewal.flatMap { $0.version.signedDate <= instant ? $0 : nil }
        if let status, status.version.signedDate <= instant {
            evidence.status = status
            evidence.isStatusExplained = explainsRevokedStatus
        } else if let event = events.last(where: { $0.signedDate <= instant && $0.status != nil }),
            let status = event.status
        {
            evidence.status = StatusFacts(version: event.version, status: status)
            evidence.isStatusExplained = event.key.map { $0 != period.first.key } ?? false
            evidence.hasUnknownGrace = status == .billingGracePeriod && evidence.renewal == nil
        }
        evidence.renewal = evidence.renewal ?? renewalToldByHistory(at: instant)
        return evidence.state(at: instant, policy: policy)
    }

    /// Whether the customer had turned renewal on or off, where that was the last that was told of it; nil elsewhere.
    private func renewalToldByHistory(at instant: AppStoreInstant) -> RenewalFacts? {
        let told = events.last {
            $0.signedDate <= instant
                && ($0.notificationType == .didChangeRenewalStatus || $0.notificationType == .subscribed
                    || $0.notificationType == .didRenew)
        }
        guard let told, told.notificationType == .didChangeRenewalStatus else { return nil }
        var content = RenewalContent(version: told.version)
        if told.subtype == .autoRenewDisabled { content.autoRenewStatus = .off }
        if told.subtype == .autoRenewEnabled { content.autoRenewStatus = .on }
        return RenewalFacts(content)
    }

    /// A transaction with the revocation that was known at a moment: one that was told later was not, and one that was
    /// reversed later was.
    func asKnown(_ transaction: TransactionFacts, at instant: AppStoreInstant) -> TransactionFacts {
        guard transaction.version.signedDate > instant else { return transaction }
        let told = revocationEvents(of: transaction)
        var known = transaction
        if let last = told.last(where: { $0.signedDate <= instant }) {
            known.revocationDate = last.isRevocation ? transaction.revocationDate ?? last.signedDate : nil
        } else if told.first?.isRevocation == true {
            known.revocationDate = nil
        }
        return known
    }

    /// Since when everything that was known is kept, where that is after `instant`: what is said of a moment before it may
    /// differ from what was said at the time. Nil where it is the same.
    package func whollyKnownSince(before instant: AppStoreInstant) -> AppStoreInstant? {
        var since = transactions.firstPeriodOfMany?.start ?? .earliest
        if latestSignedDate > instant {
            if let first = events.first, events.count >= FactsBounds.events { since = max(since, first.signedDate) }
            for transaction in transactions.values
            where transaction.start <= instant && transaction.version.signedDate > instant {
                // How long the period was before it was extended, and what was revoked before, is not kept.
                let extended = events.last {
                    $0.key == transaction.key && $0.signedDate > instant && $0.notificationType == .renewalExtended
                }
                if let extended, transaction.expiresDate.map({ $0 > instant }) ?? false {
                    since = max(since, extended.signedDate)
                }
                if let first = revocationEvents(of: transaction).first, !first.isRevocation {
                    since = max(since, first.signedDate)
                }
            }
        }
        return since > instant ? since : nil
    }

    private func revocationEvents(of transaction: TransactionFacts) -> [PurchaseEvent] {
        events.filter { $0.key == transaction.key && ($0.isRevocation || $0.notificationType == .refundReversed) }
    }
}

extension PurchaseEvent {
    /// Whether it tells that its transaction was revoked. A refund of seats revokes some of it only.
    fileprivate var isRevocation: Bool {
        notificationType == .revoke || notificationType == .refund && subtype != .seats
    }
}
