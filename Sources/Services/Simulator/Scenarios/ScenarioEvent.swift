package import AppStoreModel

/// The events in a customer's purchase history. Each comment names the notification that the App Store sends for the
/// event.
package enum ScenarioEvent: Sendable, Equatable {
    /// Sends SUBSCRIBED / INITIAL_BUY.
    case subscribes(offer: Offer? = nil)
    /// Sends SUBSCRIBED / RESUBSCRIBE, for the same product unless a different one is specified.
    case resubscribes(to: Product? = nil, offer: Offer? = nil)
    /// Sends DID_RENEW. A pending product change takes effect.
    case renews
    /// Sends DID_FAIL_TO_RENEW, with the subtype GRACE_PERIOD if there is a grace period. If `isDateSent` is false, the
    /// renewal information does not contain the end of the grace period; Apple has sent such notifications.
    case renewalFails(grace: Duration? = nil, isDateSent: Bool = true)
    /// Sends GRACE_PERIOD_EXPIRED.
    case graceEnds
    /// Sends DID_RENEW / BILLING_RECOVERY.
    case billingRecovers
    /// Sends EXPIRED, with the subtype for the reason.
    case expires(ExpirationIntent)
    /// Sends DID_CHANGE_RENEWAL_STATUS / AUTO_RENEW_DISABLED.
    case turnsRenewalOff
    /// Sends DID_CHANGE_RENEWAL_STATUS without a subtype: the customer cancels after a price increase notice.
    case cancelsAfterPriceIncrease
    /// Sends DID_CHANGE_RENEWAL_STATUS / AUTO_RENEW_ENABLED.
    case turnsRenewalOn
    /// Sends DID_CHANGE_RENEWAL_PREF / UPGRADE.
    case upgrades(to: Product)
    /// Sends DID_CHANGE_RENEWAL_PREF / DOWNGRADE.
    case downgrades(to: Product)
    /// Sends DID_CHANGE_RENEWAL_PREF without a subtype.
    case staysWithCurrentProduct
    /// Sends OFFER_REDEEMED without a subtype.
    case redeems(Offer)
    /// Sends OFFER_REDEEMED / UPGRADE.
    case redeemsUpgrading(Offer, to: Product)
    /// Sends OFFER_REDEEMED / DOWNGRADE.
    case redeemsDowngrading(Offer, to: Product)
    /// Sends PRICE_INCREASE / PENDING. The value is the new price as a percentage of the current one.
    case priceIncreaseAnnounced(percent: Int64)
    /// Sends PRICE_INCREASE / ACCEPTED.
    case acceptsPriceIncrease
    /// Sends RENEWAL_EXTENDED.
    case renewalExtended(by: Duration)
    /// Sends RENEWAL_EXTENSION / FAILURE.
    case massExtensionFails
    /// Sends RENEWAL_EXTENSION / SUMMARY.
    case massExtensionFinished(succeeded: Int64, failed: Int64)
    /// Sends ONE_TIME_CHARGE.
    case buys(quantity: Int64 = 1, offer: Offer? = nil)
    /// Sends CONSUMPTION_REQUEST.
    case asksForRefund(ConsumptionRequestReason)
    /// Sends REFUND for the current transaction, in full or in part.
    case refunded(percent: Int64 = 100)
    /// Sends REFUND for the transaction before the current one.
    case formerPeriodRefunded(percent: Int64 = 100)
    /// Sends REFUND / SEATS. The value is the number of refunded seats.
    case seatsRefunded(Int64)
    /// Sends REFUND_DECLINED.
    case refundDeclined
    /// Sends REFUND_REVERSED.
    case refundReversed
    /// Sends REVOKE: the family member's access ends.
    case losesFamilyAccess
    /// Sends DID_CHANGE_RENEWAL_PREF / INCREASE_QUANTITY: seats are added in the middle of a period.
    case addsSeats(Int64)
    /// Sends DID_CHANGE_RENEWAL_PREF / DECREASE_QUANTITY: fewer seats starting with the next renewal.
    case dropsSeats(Int64)
    /// Sends UNCLAIM_SEATS: the App Store withdraws seats from their holders.
    case seatsUnclaimed(Int)
    /// Sends METADATA_UPDATE.
    case metadataUpdated
    /// Sends MIGRATION: the subscription moves to the Advanced Commerce API, under a new originalTransactionId.
    case migrates(to: Product)
    /// Sends PRICE_CHANGE. The value is the new price as a percentage of the current one.
    case priceChanged(percent: Int64)
    /// Sends EXTERNAL_PURCHASE_TOKEN.
    case externalPurchaseToken(ExternalPurchaseTokenEvent)
    /// Sends RESCIND_CONSENT.
    case consentRescinded
    /// Sends TEST.
    case testRequested
}

/// The events of an external purchase token. The raw value is the subtype.
package enum ExternalPurchaseTokenEvent: String, Sendable {
    case created = "CREATED"
    case activeReminder = "ACTIVE_TOKEN_REMINDER"
    case unreported = "UNREPORTED"
}
