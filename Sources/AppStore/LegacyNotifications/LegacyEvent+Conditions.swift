internal import AppStoreModel

/// The conditions for the mapping to version 2, with the field names of the receipt. Source: app-store.md 8.2.
extension LegacyEvent {
    /// Whether another transaction in the chain has is_upgraded and was cancelled within the subject's period, or the
    /// previous transaction had not expired at subject.purchase_date and the product changed.
    var replacesRunningPeriod: Bool {
        guard let subject, let start = subject.transaction.purchaseDate else { return false }
        let end = subject.transaction.expiresDate ?? .latest
        let upgraded = subject.purchase.contains { other in
            guard other.isUpgraded, other.transactionId != subject.transaction.transactionId,
                let cancellation = other.cancellationDate
            else { return false }
            return start <= cancellation && cancellation < end
        }
        if upgraded { return true }
        guard let previous = subject.previous, let previousEnd = previous.end else { return false }
        return previousEnd > start && previousProductId != productId
    }

    /// Whether grace_period_expires_date is later than the event time.
    var isInGracePeriod: Bool { gracePeriodExpiresDate.map { $0 > time } ?? false }

    /// Whether auto_renew_product_id is present and differs from the current product. False if the subject is
    /// unresolved.
    var renewsAsOtherProduct: Bool {
        guard let autoRenewProductId, let productId else { return false }
        return autoRenewProductId != productId
    }

    /// Whether renewal is off, the computed status is 2, and expiration_intent is one of the given values. A
    /// subscription in a grace period or in billing retry has a different status.
    func hasExpired(_ intents: ExpirationIntent...) -> Bool {
        hasExpired && intents.contains { $0 == expirationIntent }
    }

    /// Whether ``hasExpired(_:)`` is true for any intent.
    var hasExpired: Bool {
        autoRenewStatus == false && expirationIntent != nil && status == .expired
    }

    /// Whether renewal is on, subject.purchase_date is after the expiry of the previous transaction in the chain, and
    /// the receipt shows no billing retry. The exact condition also requires that the stored state of the chain is
    /// expired and that the stored facts show no billing retry in the gap. Neither is available here. Instead, the body
    /// must show that this purchase turned renewal on. If the date of the change is later in the period, an earlier
    /// notification has already reported the purchase or recovery.
    var isResubscribed: Bool {
        guard autoRenewStatus == true, renewal?.isInBillingRetryPeriod != true, let subject,
            let start = subject.transaction.purchaseDate, let previousEnd = subject.previous?.end, start > previousEnd
        else { return false }
        guard statement.autoRenewStatusChangeDate != nil else { return true }
        return start.milliseconds(to: time) <= Self.purchaseWindow
    }

    /// Whether the cancelled transaction has is_upgraded, or a newer uncancelled transaction in the same group starts
    /// within one minute of the cancellation.
    var isCancelledByUpgrade: Bool { isUpgraded }

    /// Whether price_consent_status is "1".
    var hasConsentedToPrice: Bool { renewal?.priceIncreaseStatus == PriceIncreaseStatus.consented.rawValue }
}
