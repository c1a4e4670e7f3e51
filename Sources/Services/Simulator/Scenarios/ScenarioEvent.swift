package import AppStoreModel

/// The events in a customer's purchase history. Each comment states the notification that the App Store sends for the
/// event.
package enum ScenarioEvent: Sendable, Equatable {
    /// SUBSCRIBED / INITIAL_BUY.
    case subscribes(offer: Offer? = nil)
    /// SUBSCRIBED / RESUBSCRIBE, to the same product unless another one is specified.
    case resubscribes(to: Product? = nil, offer: Offer? = nil)
    /// DID_RENEW. A pending change of product takes effect.
    case renews
    /// DID_FAIL_TO_RENEW / GRACE_PERIOD with a grace period, otherwise without a subtype. Apple has sent notifications
    /// about grace periods whose renewal information did not contain the end of the grace period.
    case renewalFails(grace: Duration? = nil, isDateSent: Bool = true)
    /// GRACE_PERIOD_EXPIRED.
    case graceEnds
    /// DID_RENEW / BILLING_RECOVERY.
    case billingRecovers
    /// EXPIRED, with the subtype for the reason.
    case expires(ExpirationIntent)
    /// DID_CHANGE_RENEWAL_STATUS / AUTO_RENEW_DISABLED.
    case turnsRenewalOff
    /// DID_CHANGE_RENEWAL_STATUS without a subtype: the customer cancels after the notice of a price increase.
    case cancelsAfterPriceIncrease
    /// DID_CHANGE_RENEWAL_STATUS / AUTO_RENEW_ENABLED.
    case turnsRenewalOn
    /// DID_CHANGE_RENEWAL_PREF / UPGRADE.
    case upgrades(to: Product)
    /// DID_CHANGE_RENEWAL_PREF / DOWNGRADE.
    case downgrades(to: Product)
    /// DID_CHANGE_RENEWAL_PREF without a subtype.
    case staysWithCurrentProduct
    /// OFFER_REDEEMED without a subtype.
    case redeems(Offer)
    /// OFFER_REDEEMED / UPGRADE.
    case redeemsUpgrading(Offer, to: Product)
    /// OFFER_REDEEMED / DOWNGRADE.
    case redeemsDowngrading(Offer, to: Product)
    /// PRICE_INCREASE / PENDING. The value is the new price as a percentage of the current one.
    case priceIncreaseAnnounced(percent: Int64)
    /// PRICE_INCREASE / ACCEPTED.
    case acceptsPriceIncrease
    /// RENEWAL_EXTENDED.
    case renewalExtended(by: Duration)
    /// RENEWAL_EXTENSION / FAILURE.
    case massExtensionFails
    /// RENEWAL_EXTENSION / SUMMARY.
    case massExtensionFinished(succeeded: Int64, failed: Int64)
    /// ONE_TIME_CHARGE.
    case buys(quantity: Int64 = 1, offer: Offer? = nil)
    /// CONSUMPTION_REQUEST.
    case asksForRefund(ConsumptionRequestReason)
    /// REFUND of the current transaction, in full or in part.
    case refunded(percent: Int64 = 100)
    /// REFUND of the transaction before the current one.
    case formerPeriodRefunded(percent: Int64 = 100)
    /// REFUND / SEATS. The value is the number of refunded seats.
    case seatsRefunded(Int64)
    /// REFUND_DECLINED.
    case refundDeclined
    /// REFUND_REVERSED.
    case refundReversed
    /// REVOKE: the family member's access ends.
    case losesFamilyAccess
    /// DID_CHANGE_RENEWAL_PREF / INCREASE_QUANTITY: seats are added in the middle of a period.
    case addsSeats(Int64)
    /// DID_CHANGE_RENEWAL_PREF / DECREASE_QUANTITY: fewer seats from the next renewal on.
    case dropsSeats(Int64)
    /// UNCLAIM_SEATS: the App Store withdraws seats from their holders.
    case seatsUnclaimed(Int)
    /// METADATA_UPDATE.
    case metadataUpdated
    /// MIGRATION to the Advanced Commerce API, under a new originalTransactionId.
    case migrates(to: Product)
    /// PRICE_CHANGE. The value is the new price as a percentage of the current one.
    case priceChanged(percent: Int64)
    /// EXTERNAL_PURCHASE_TOKEN.
    case externalPurchaseToken(ExternalPurchaseTokenEvent)
    /// RESCIND_CONSENT.
    case consentRescinded
    /// TEST.
    case testRequested
}

/// The events of an external purchase token. The raw value is the subtype.
package enum ExternalPurchaseTokenEvent: String, Sendable {
    case created = "CREATED"
    case activeReminder = "ACTIVE_TOKEN_REMINDER"
    case unreported = "UNREPORTED"
}
