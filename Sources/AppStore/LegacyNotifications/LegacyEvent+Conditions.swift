internal import AppStoreModel

/// The conditions for the mapping to version 2, with the field names of the receipt. Source: app-store.md 8.2.
extension LegacyEvent {
    /// Whether the subject replaced a running period: either another transaction of the purchase has is_upgraded and
    /// was cancelled within the subject's period, or the previous transaction had not ended at the subject's
    /// purchase_date and the product changed.
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

    /// Whether Apple is retrying billing and grace_period_expires_date is later than the event time.
    var isInGracePeriod: Bool { gracePeriodExpiresDate.map { $0 > time } ?? false }

    /// Whether auto_renew_product_id differs from the subject's product_id. False if either is absent or there is no
    /// subject.
    var renewsAsOtherProduct: Bool {
        guard let autoRenewProductId, let productId else { return false }
        return autoRenewProductId != productId
    }

    /// Whether renewal is off, the computed status is 2, and expiration_intent is one of the given values. A
    /// subscription in a grace period or in billing retry has a different status.
    func hasExpired(_ intents: ExpirationIntent...) -> Bool {
        hasExpired && intents.contains { $0 == expirationIntent }
    }

    /// Whether renewal is off, the computed status is 2, and expiration_intent is present.
    var hasExpired: Bool {
        autoRenewStatus == false && expirationIntent != nil && status == .expired
    }

    /// Whether the subject is a resubscription: renewal is on, the receipt shows no billing retry, and the subject was
    /// purchased after the previous transaction ended.
    ///
    /// The exact condition also requires that the stored state of the purchase is expired and that the stored facts
    /// show no billing retry in the gap, but stored data is not available here. Instead, the subject must have turned
    /// renewal on: auto_renew_status_change_date must be absent or within ``purchaseWindow`` of the purchase. If the
    /// change came later, an earlier notification has already reported the purchase or recovery.
    var isResubscribed: Bool {
        guard autoRenewStatus == true, renewal?.isInBillingRetryPeriod != true, let subject,
            let start = subject.transaction.purchaseDate, let previousEnd = subject.previous?.end, start > previousEnd
        else { return false }
        guard statement.autoRenewStatusChangeDate != nil else { return true }
        return start.milliseconds(to: time) <= Self.purchaseWindow
    }

    /// Whether the cancelled transaction has is_upgraded, or a newer uncancelled transaction in the same purchase or
    /// group starts within one minute of the cancellation.
    var isCancelledByUpgrade: Bool { isUpgraded }

    /// Whether price_consent_status or, if absent, price_increase_status is 1.
    var hasConsentedToPrice: Bool { renewal?.priceIncreaseStatus == PriceIncreaseStatus.consented.rawValue }
}
