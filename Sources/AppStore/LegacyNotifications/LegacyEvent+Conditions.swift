internal import AppStoreModel

/// The conditions for the mapping to version 2, with the names used in its table.
extension LegacyEvent {
    /// "another transaction of the chain has is_upgraded with cancellation within the subject's period, or the previous
    /// transaction had not expired at subject.purchase_date and the product changed"
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

    /// "grace_period_expires_date later than the event time"
    var isInGracePeriod: Bool { gracePeriodExpiresDate.map { $0 > time } ?? false }

    /// Whether none of these conditions is true: "auto_renew_product_id absent, subject unresolved, or equal to the
    /// current product".
    var renewsAsOtherProduct: Bool {
        guard let autoRenewProductId, let productId else { return false }
        return autoRenewProductId != productId
    }

    /// "status off, computed status 2, expiration_intent present; not inside grace or retry"
    func hasExpired(_ intents: ExpirationIntent...) -> Bool {
        hasExpired && intents.contains { $0 == expirationIntent }
    }

    /// Whether ``hasExpired(_:)`` is true for any intent.
    var hasExpired: Bool {
        autoRenewStatus == false && expirationIntent != nil && status == .expired
    }

    /// "status on, and subject.purchase_date lies after the expiry of the transaction before it in the chain, our state
    /// of the chain is expired, and neither the receipt nor our facts tell of a billing retry in the gap". The state
    /// and the facts are not available here. Instead, the body must show that this purchase turned renewal on. If the
    /// date of the change is later in the period, an earlier notification has already reported the purchase or
    /// recovery.
    var isResubscribed: Bool {
        guard autoRenewStatus == true, renewal?.isInBillingRetryPeriod != true, let subject,
            let start = subject.transaction.purchaseDate, let previousEnd = subject.previous?.end, start > previousEnd
        else { return false }
        guard statement.autoRenewStatusChangeDate != nil else { return true }
        return start.milliseconds(to: time) <= Self.purchaseWindow
    }

    /// "the cancelled transaction has is_upgraded, or a newer uncancelled transaction of the same group starts within 1
    /// minute of the cancellation"
    var isCancelledByUpgrade: Bool { isUpgraded }

    /// "price_consent_status "1""
    var hasConsentedToPrice: Bool { renewal?.priceIncreaseStatus == PriceIncreaseStatus.consented.rawValue }
}
