/// The kind of event that a notification reports (Apple: notificationType).
public struct NotificationType: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let subscribed = NotificationType("SUBSCRIBED")
    public static let didChangeRenewalPref = NotificationType("DID_CHANGE_RENEWAL_PREF")
    public static let didChangeRenewalStatus = NotificationType("DID_CHANGE_RENEWAL_STATUS")
    public static let offerRedeemed = NotificationType("OFFER_REDEEMED")
    public static let didRenew = NotificationType("DID_RENEW")
    public static let expired = NotificationType("EXPIRED")
    public static let didFailToRenew = NotificationType("DID_FAIL_TO_RENEW")
    public static let gracePeriodExpired = NotificationType("GRACE_PERIOD_EXPIRED")
    public static let priceIncrease = NotificationType("PRICE_INCREASE")
    public static let refund = NotificationType("REFUND")
    public static let refundDeclined = NotificationType("REFUND_DECLINED")
    public static let consumptionRequest = NotificationType("CONSUMPTION_REQUEST")
    public static let renewalExtended = NotificationType("RENEWAL_EXTENDED")
    public static let revoke = NotificationType("REVOKE")
    public static let test = NotificationType("TEST")
    public static let renewalExtension = NotificationType("RENEWAL_EXTENSION")
    public static let refundReversed = NotificationType("REFUND_REVERSED")
    public static let externalPurchaseToken = NotificationType("EXTERNAL_PURCHASE_TOKEN")
    public static let oneTimeCharge = NotificationType("ONE_TIME_CHARGE")
    public static let rescindConsent = NotificationType("RESCIND_CONSENT")
    public static let metadataUpdate = NotificationType("METADATA_UPDATE")
    public static let migration = NotificationType("MIGRATION")
    public static let priceChange = NotificationType("PRICE_CHANGE")
    public static let unclaimSeats = NotificationType("UNCLAIM_SEATS")

    public static let known: Set<NotificationType> = [
        .subscribed, .didChangeRenewalPref, .didChangeRenewalStatus, .offerRedeemed, .didRenew, .expired,
        .didFailToRenew, .gracePeriodExpired, .priceIncrease, .refund, .refundDeclined, .consumptionRequest,
        .renewalExtended, .revoke, .test, .renewalExtension, .refundReversed, .externalPurchaseToken, .oneTimeCharge,
        .rescindConsent, .metadataUpdate, .migration, .priceChange, .unclaimSeats,
    ]
}

/// A variant of a notification type (Apple: subtype). `PRICE_INCREASE` is a subtype of `EXPIRED` and also a
/// notification type.
public struct Subtype: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let initialBuy = Subtype("INITIAL_BUY")
    public static let resubscribe = Subtype("RESUBSCRIBE")
    public static let downgrade = Subtype("DOWNGRADE")
    public static let upgrade = Subtype("UPGRADE")
    public static let autoRenewEnabled = Subtype("AUTO_RENEW_ENABLED")
    public static let autoRenewDisabled = Subtype("AUTO_RENEW_DISABLED")
    public static let voluntary = Subtype("VOLUNTARY")
    public static let billingRetry = Subtype("BILLING_RETRY")
    public static let priceIncrease = Subtype("PRICE_INCREASE")
    public static let gracePeriod = Subtype("GRACE_PERIOD")
    public static let pending = Subtype("PENDING")
    public static let accepted = Subtype("ACCEPTED")
    public static let billingRecovery = Subtype("BILLING_RECOVERY")
    public static let productNotForSale = Subtype("PRODUCT_NOT_FOR_SALE")
    public static let summary = Subtype("SUMMARY")
    public static let failure = Subtype("FAILURE")
    public static let unreported = Subtype("UNREPORTED")
    public static let activeTokenReminder = Subtype("ACTIVE_TOKEN_REMINDER")
    public static let created = Subtype("CREATED")
    public static let increaseQuantity = Subtype("INCREASE_QUANTITY")
    public static let decreaseQuantity = Subtype("DECREASE_QUANTITY")
    public static let seats = Subtype("SEATS")

    public static let known: Set<Subtype> = [
        .initialBuy, .resubscribe, .downgrade, .upgrade, .autoRenewEnabled, .autoRenewDisabled, .voluntary,
        .billingRetry, .priceIncrease, .gracePeriod, .pending, .accepted, .billingRecovery, .productNotForSale,
        .summary, .failure, .unreported, .activeTokenReminder, .created, .increaseQuantity, .decreaseQuantity, .seats,
    ]
}
