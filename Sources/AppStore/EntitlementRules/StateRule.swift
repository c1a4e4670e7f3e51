/// The rule that determined a state. Raw values are a contract, because `sluicectl explain` prints them.
package enum StateRule: String, Sendable, CaseIterable {
    // Rules for subscriptions, in the order in which they are tried.

    /// Apple revoked the current transaction or, if the period has several transactions, all of them.
    case transactionRevoked = "revoked"
    /// Apple's status is "revoked", and nothing else explains it.
    case statusRevoked = "revoked_by_status"
    /// The period has not ended.
    case periodRunning = "period"
    /// Billing failed, and Apple specifies how long service continues.
    case graceUntil = "grace"
    /// Billing failed, and Apple asks the developer to continue service but specifies no end.
    case graceWithoutEnd = "grace_without_end"
    /// The period has ended, nothing rules out a renewal, and the renewal notification may be late.
    case renewalAwaited = "renewal_awaited"
    /// The period has ended, and the input that would contain the renewal has not been read.
    case renewalUnread = "renewal_unread"
    /// Billing failed and service has ended, but Apple is still trying to charge.
    case billingRetry = "billing_retry"
    /// Apple reported the subscription as active after the end of the period.
    case statusActive = "active_by_status"
    /// Apple reported the subscription as active after the end of the period, but longer ago than
    /// ``SubscriptionPolicy/staleToleranceMilliseconds``.
    case statusActiveTooOld = "active_by_status_too_old"
    /// Apple has stopped trying to charge.
    case retryOver = "retry_over"
    /// The period has ended, and the customer had turned renewal off.
    case renewalOff = "renewal_off"
    /// The period has ended, and no renewal was reported in time.
    case renewalMissing = "renewal_missing"
    /// The period has ended, and Apple reported the expiry.
    case periodOver = "period_over"
    /// Every item that grants the entitlement was revoked.
    case itemsRevoked = "items_revoked"
    /// Only version 1 notifications name the purchase, and Apple has not confirmed them.
    case unconfirmed = "unconfirmed"

    // Rules for purchases that do not renew.

    case bought
    case notBegun = "not_begun"
    case lengthOver = "length_over"
    case lengthUnknown = "length_unknown"
    case oneTimeRevoked = "purchase_revoked"
    case credited
    case partlyDebited = "partly_debited"
    case debited
    /// A consumable with a quantity, refunded percentage or units out of range.
    case notCredited = "not_credited"
    case unknownType = "unknown_type"

    /// Returns an explanation of the rule: one sentence without a period.
    ///
    /// - Parameter until: the time when the state ends without a notification, or nil.
    package func explanation(until: String?) -> String {
        let end = until.map { " until \($0)" } ?? ""
        switch self {
        case .transactionRevoked: return "Apple revoked the transaction for the current period"
        case .statusRevoked: return "Apple's status is revoked, and no known transaction explains it"
        case .periodRunning: return "the paid period runs\(end)"
        case .graceUntil: return "grace period\(end): billing failed, and Apple requests that service continue"
        case .graceWithoutEnd:
            return "grace period\(end): billing failed, and Apple gives no end, so entitlements.grace.fallback applies"
        case .renewalAwaited:
            return "the period has ended, and its renewal is pending\(end) (entitlements.renewal.leeway)"
        case .renewalUnread:
            return "the period has ended, and unread input may contain its renewal; access continues\(end)"
        case .billingRetry: return "billing failed, and Apple is retrying the charge\(end); service has ended"
        case .statusActive:
            return "Apple reported the subscription as active after the end of the known period; access continues\(end)"
        case .statusActiveTooOld:
            return """
                Apple reported the subscription as active after the end of the known period, but longer ago than \
                entitlements.stale.tolerance
                """
        case .retryOver: return "billing failed, and Apple has stopped trying to charge"
        case .renewalOff: return "the paid period has ended, and renewal was turned off"
        case .renewalMissing:
            return "the paid period has ended, and no renewal was received within entitlements.renewal.leeway"
        case .periodOver: return "the paid period has ended, and Apple reported the expiry"
        case .itemsRevoked: return "Apple revoked every item that grants the entitlement"
        case .unconfirmed: return "only version 1 notifications name the purchase, and Apple has not confirmed them"
        case .bought: return "purchased and not revoked" + (until.map { "; access lasts until \($0)" } ?? "")
        case .notBegun: return "purchased, but the period has not begun\(end)"
        case .lengthOver: return "the product's configured duration has elapsed"
        case .lengthUnknown: return "the product has no lengthDays in the products file"
        case .oneTimeRevoked: return "Apple revoked the purchase"
        case .credited: return "consumable purchased: its units are credited"
        case .partlyDebited: return "Apple refunded part of the purchase: the units of that part are debited"
        case .debited: return "Apple refunded the consumable: its units are debited"
        case .notCredited:
            return "nothing is credited: the consumable's quantity, refunded percentage or units are out of range"
        case .unknownType: return "the product type is unknown, so the purchase grants nothing"
        }
    }
}

extension OneTimeState {
    /// The rule that determined the state.
    package var rule: StateRule {
        switch phase {
        case .credited: problems.isEmpty ? .credited : .notCredited
        case .partlyRefunded: .partlyDebited
        case .refunded: problems.isEmpty ? .debited : .notCredited
        case .owned: isEntitled ? .bought : .notBegun
        case .ended: problems.contains(.lengthNotConfigured) ? .lengthUnknown : .lengthOver
        case .revoked: .oneTimeRevoked
        case .unknown: .unknownType
        }
    }
}
