package import AppStoreModel

/// What was known and granted at a past moment. Of most facts only the newest statement is kept; the notifications of the
/// history tell what was said before it, as far as they are kept.
extension PurchaseFacts {
    /// The state as it was at a past moment: transactions that had been told, upgrades and revocations as they were known
    /// then, renewal info where it was signed by then, and the status that Apple had stated. Nil before the first
    /// transaction began.
    ///
    /// Look at ``whollyKnownSince(before:)`` too: before that moment something else may have been known.
    package func state(
        asOf instant: AppStoreInstant, policy: SubscriptionPolicy = SubscriptionPolicy()
    ) -> SubscriptionState? {
        guard isSubscription else { return nil }
        return evidence(asOf: instant)?.state(at: instant, policy: policy)
    }

    func evidence(asOf instant: AppStoreInstant) -> SubscriptionEvidence? {
        let past = transactionsTold(by: instant)
        guard past.transactions.values.contains(where: { $0.start <= instant }) else { return nil }
        var evidence = SubscriptionEvidence(past, from: instant)
        evidence.renewal = renewal.flatMap { $0.version.signedDate <= instant ? $0 : nil }
        let current = evidence.current(at: instant)
        if let status, status.version.signedDate <= instant {
            evidence.status = status
            evidence.isStatusExplained = explainsRevokedStatus
        } else if let event = events.last(where: { $0.signedDate <= instant && $0.status != nil }),
            let status = event.status
        {
            evidence.status = StatusFacts(version: event.version, status: status)
            evidence.isStatusExplained =
                event.key.map { key in
                    !(current?.transactions.contains { $0.key == key } ?? false)
                } ?? false
        }
        evidence.renewal =
            evidence.renewal ?? unknownGrace(until: current?.expiresDate(at: instant), evidence.status)
            ?? renewalToldByHistory(at: instant)
        return evidence
    }

    /// The purchase with the transactions that had been told by then, as they were known.
    private func transactionsTold(by instant: AppStoreInstant) -> PurchaseFacts {
        var past = PurchaseFacts(
            environment: environment, bundleId: bundleId, originalTransactionId: originalTransactionId)
        let known = transactions.values.filter { telling(of: $0, by: instant) != .later }
            .map { asKnown($0, at: instant) }
        for transaction in known { past.overlay(transaction) }
        for (key, signedDate) in upgrades where signedDate <= instant {
            past.insertUpgrade(to: key.id, signedDate: signedDate)
        }
        return past
    }

    // MARK: Transactions

    enum Telling {
        case told, later
        /// It is not known whether it had been told: it had begun.
        case unknown
    }

    /// Whether a transaction had been told by then: of its statements the newest is known, and the notifications that
    /// are kept.
    func telling(of transaction: TransactionFacts, by instant: AppStoreInstant) -> Telling {
        if transaction.version.signedDate <= instant { return .told }
        let own = events.filter { $0.key == transaction.key }
        if own.contains(where: { $0.signedDate <= instant }) { return .told }
        guard transaction.start <= instant else { return .later }
        // A transaction is told a day before it begins at the earliest.
        let earliest = transaction.start.advanced(byMilliseconds: -86_400_000)
        let isComplete = events.count < FactsBounds.events || events.first.map { $0.signedDate < earliest } ?? true
        // A transaction that is first named by its refund, say, was told before by what is not kept.
        return own.first?.tellsPurchase == true && isComplete ? .later : .unknown
    }

    /// Whether a transaction counts at a past moment: it had been told, or had begun where that is not known.
    func isKnown(_ transaction: TransactionFacts, at instant: AppStoreInstant) -> Bool {
        telling(of: transaction, by: instant) != .later
    }

    /// A transaction with the revocation that was known at a moment: one that was told later was not, and one that was
    /// reversed later was.
    func asKnown(_ transaction: TransactionFacts, at instant: AppStoreInstant) -> TransactionFacts {
        guard transaction.version.signedDate > instant else { return transaction }
        let told = revocationEvents(of: transaction)
        var known = transaction
        if !transaction.items.isEmpty {
            // A refund may be of some items, and need not revoke any.
            let isTold = told.contains { $0.isRevocation && $0.signedDate <= instant }
            if !isTold { known.revocationDate = nil }
        } else if let last = told.last(where: { $0.signedDate <= instant }) {
            // A date of a later revocation says nothing of this one.
            let date = transaction.revocationDate.map { min($0, last.signedDate) } ?? last.signedDate
            known.revocationDate = last.isRevocation ? date : nil
        } else if told.first?.isRevocation == true {
            known.revocationDate = nil
        }
        if known.isUpgraded, !wasUpgraded(transaction, by: instant) { known.traits = known.traits.withoutUpgrade }
        return known
    }

    /// Whether a transaction that Apple calls upgraded now was so then: an upgrade had been told, or where none is kept, a
    /// later transaction of its period.
    private func wasUpgraded(_ transaction: TransactionFacts, by instant: AppStoreInstant) -> Bool {
        transactions.values.contains { successor in
            guard successor.key != transaction.key, !successor.hasAddedSeats,
                successor.start < transaction.expiresDate ?? .latest
            else { return false }
            if let signedDate = upgrades[successor.key] {
                // It replaces what was made before it, a renewal that was made a day ahead included.
                return signedDate <= instant
                    && transaction.start.advanced(byMilliseconds: -86_400_000) <= signedDate
            }
            return successor.start > transaction.start && successor.start <= instant
                && telling(of: successor, by: instant) != .later
        }
    }

    func revocationEvents(of transaction: TransactionFacts) -> [PurchaseEvent] {
        events.filter { $0.key == transaction.key && ($0.isRevocation || $0.notificationType == .refundReversed) }
    }

    // MARK: Renewal

    /// A grace period whose end is not kept: Apple's longest, 28 days from the end of the period, then retry.
    private func unknownGrace(until expiresDate: AppStoreInstant?, _ status: StatusFacts?) -> RenewalFacts? {
        guard let status, status.status == .billingGracePeriod, let expiresDate else { return nil }
        var content = RenewalContent(version: status.version)
        content.isInBillingRetryPeriod = true
        content.gracePeriodExpiresDate = expiresDate.advanced(byMilliseconds: 28 * 86_400_000)
        content.renewalDate = expiresDate
        return RenewalFacts(content)
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
}

extension PurchaseEvent {
    /// Whether it tells that its transaction was revoked. A refund of seats revokes some of it only.
    var isRevocation: Bool {
        notificationType == .revoke || notificationType == .refund && subtype != .seats
    }

    /// Whether it is how Apple tells of a new transaction.
    var tellsPurchase: Bool {
        switch notificationType {
        case .subscribed, .didRenew, .didChangeRenewalPref, .offerRedeemed, .oneTimeCharge: true
        default: false
        }
    }

    var isRefundOfSeats: Bool { notificationType == .refund && subtype == .seats }
}
