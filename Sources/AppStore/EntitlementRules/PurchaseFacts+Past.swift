package import AppStoreModel

/// Known facts and access at a time in the past. For most facts, only the newest statement is stored; the notifications
/// in the history supply earlier statements if they are still stored.
extension PurchaseFacts {
    /// Returns the state at a time in the past, based on the transactions, upgrades and revocations reported by then,
    /// the renewal info if signed by then, and Apple's status at the time. Returns nil if the purchase is not a
    /// subscription or no transaction had begun.
    ///
    /// Also check ``whollyKnownSince(before:)``: before the time that it returns, the facts may be incomplete.
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

    /// Returns the purchase as it was known at a given time, without the transactions and upgrades reported later.
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
        /// The transaction had begun, but the facts do not show whether it had been reported.
        case unknown
    }

    /// Returns whether a transaction had been reported by a given time, according to the newest statement about it and
    /// the stored notifications.
    func telling(of transaction: TransactionFacts, by instant: AppStoreInstant) -> Telling {
        if transaction.version.signedDate <= instant { return .told }
        let own = events.filter { $0.key == transaction.key }
        if own.contains(where: { $0.signedDate <= instant }) { return .told }
        guard transaction.start <= instant else { return .later }
        // Apple reports a transaction at most a day before it begins.
        let earliest = transaction.start.advanced(byMilliseconds: -86_400_000)
        let isComplete = events.count < FactsBounds.events || events.first.map { $0.signedDate < earliest } ?? true
        // The transaction was certainly reported later if its first stored notification reports it as new and no
        // earlier notification can be missing. If the first stored notification is a refund, an earlier one was
        // dropped.
        return own.first?.tellsPurchase == true && isComplete ? .later : .unknown
    }

    /// Returns whether a transaction is taken into account at a time in the past: it had been reported by then, or it
    /// had begun and the facts do not show whether it had been reported.
    func isKnown(_ transaction: TransactionFacts, at instant: AppStoreInstant) -> Bool {
        telling(of: transaction, by: instant) != .later
    }

    /// Returns a transaction as it was known at a given time. A revocation or an upgrade reported later is removed, and
    /// a revocation reversed later is restored.
    func asKnown(_ transaction: TransactionFacts, at instant: AppStoreInstant) -> TransactionFacts {
        guard transaction.version.signedDate > instant else { return transaction }
        let told = revocationEvents(of: transaction)
        var known = transaction
        if !transaction.items.isEmpty {
            // A reported refund may cover only some of the items, so it does not show whether the transaction itself
            // was revoked. If no revocation had been reported, the date is removed; otherwise, it is kept.
            let isTold = told.contains { $0.isRevocation && $0.signedDate <= instant }
            if !isTold { known.revocationDate = nil }
        } else if let last = told.last(where: { $0.signedDate <= instant }) {
            // The date may belong to a later revocation, so it is limited to the date of this statement.
            let date = transaction.revocationDate.map { min($0, last.signedDate) } ?? last.signedDate
            known.revocationDate = last.isRevocation ? date : nil
        } else if told.first?.isRevocation == true {
            known.revocationDate = nil
        }
        if known.isUpgraded, !wasUpgraded(transaction, by: instant) { known.traits = known.traits.withoutUpgrade }
        return known
    }

    /// Returns whether a transaction now marked as upgraded had been upgraded by a given time. That is the case if an
    /// upgrade had been reported. If no upgrade is stored, it is the case if there was a later transaction in its
    /// period.
    private func wasUpgraded(_ transaction: TransactionFacts, by instant: AppStoreInstant) -> Bool {
        transactions.values.contains { successor in
            guard successor.key != transaction.key, !successor.hasAddedSeats,
                successor.start < transaction.expiresDate ?? .latest
            else { return false }
            if let signedDate = upgrades[successor.key] {
                // An upgrade replaces earlier transactions, including a renewal made a day early.
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

    /// Returns renewal info for a grace period whose end is not stored, or nil if the status is not a grace period. The
    /// result assumes Apple's maximum of 28 days from the end of the period, followed by retries.
    private func unknownGrace(until expiresDate: AppStoreInstant?, _ status: StatusFacts?) -> RenewalFacts? {
        guard let status, status.status == .billingGracePeriod, let expiresDate else { return nil }
        var content = RenewalContent(version: status.version)
        content.isInBillingRetryPeriod = true
        content.gracePeriodExpiresDate = expiresDate.advanced(byMilliseconds: 28 * 86_400_000)
        content.renewalDate = expiresDate
        return RenewalFacts(content)
    }

    /// If the most recent information about renewal is the customer's own choice, returns renewal info with the chosen
    /// status. Otherwise, returns nil.
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
    /// Whether the event reports the revocation of its transaction. A seat refund revokes only part of a transaction.
    var isRevocation: Bool {
        notificationType == .revoke || notificationType == .refund && subtype != .seats
    }

    /// Whether Apple reports new transactions with this notification type.
    var tellsPurchase: Bool {
        switch notificationType {
        case .subscribed, .didRenew, .didChangeRenewalPref, .offerRedeemed, .oneTimeCharge: true
        default: false
        }
    }

    var isRefundOfSeats: Bool { notificationType == .refund && subtype == .seats }
}
