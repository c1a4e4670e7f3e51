internal import AppStoreModel

/// Maps each type in the unsigned formats to the nearest version 2 type. The first row for the type whose condition is
/// true applies. The original type is also kept (`rawType`).
///
/// The unsigned formats have no equivalents of OFFER_REDEEMED, GRACE_PERIOD_EXPIRED, REFUND_DECLINED, REFUND_REVERSED,
/// RENEWAL_EXTENDED, RENEWAL_EXTENSION, ONE_TIME_CHARGE, TEST, EXTERNAL_PURCHASE_TOKEN, RESCIND_CONSENT,
/// METADATA_UPDATE, MIGRATION and PRICE_CHANGE.
enum LegacyMapping {
    struct Row: Sendable {
        let sent: LegacyType
        let condition: @Sendable (LegacyEvent) -> Bool
        let type: NotificationType
        let subtype: Subtype?
    }

    static let rows: [Row] = [
        row(.initialBuy, .subscribed, .initialBuy),
        row(.interactiveRenewal, if: { $0.replacesRunningPeriod }, .didChangeRenewalPref, .upgrade),
        row(.interactiveRenewal, .subscribed, .resubscribe),
        row(.didRenew, .didRenew),
        row(.didRecover, .didRenew, .billingRecovery),
        row(.renewal, .didRenew, .billingRecovery),
        row(.didFailToRenew, if: { $0.isInGracePeriod }, .didFailToRenew, .gracePeriod),
        row(.didFailToRenew, .didFailToRenew),
        row(.didChangeRenewalPref, if: { $0.renewsAsOtherProduct }, .didChangeRenewalPref, .downgrade),
        row(.didChangeRenewalPref, .didChangeRenewalPref),
        row(.didChangeRenewalStatus, if: { $0.hasExpired(.customerCancelled) }, .expired, .voluntary),
        row(.didChangeRenewalStatus, if: { $0.hasExpired(.billingError) }, .expired, .billingRetry),
        row(.didChangeRenewalStatus, if: { $0.hasExpired(.noConsentToPriceIncrease) }, .expired, .priceIncrease),
        row(.didChangeRenewalStatus, if: { $0.hasExpired(.productNotAvailable) }, .expired, .productNotForSale),
        row(.didChangeRenewalStatus, if: { $0.hasExpired }, .expired),
        row(.didChangeRenewalStatus, if: { $0.isResubscribed }, .subscribed, .resubscribe),
        row(.didChangeRenewalStatus, if: { $0.autoRenewStatus == true }, .didChangeRenewalStatus, .autoRenewEnabled),
        row(.didChangeRenewalStatus, if: { $0.autoRenewStatus == false }, .didChangeRenewalStatus, .autoRenewDisabled),
        // This row is for a status that is absent or neither on nor off.
        row(.didChangeRenewalStatus, .didChangeRenewalStatus),
        row(.cancel, if: { $0.isCancelledByUpgrade }, .didChangeRenewalPref, .upgrade),
        row(.cancel, .refund),
        row(.refund, .refund),
        row(.revoke, .revoke),
        row(.priceIncreaseConsent, if: { $0.hasConsentedToPrice }, .priceIncrease, .accepted),
        row(.priceIncreaseConsent, .priceIncrease, .pending),
        row(.consumptionRequest, .consumptionRequest),
    ]

    /// The type for a notification that matches no row. The original type is not used: an unsigned body must not be
    /// able to produce an arbitrary version 2 type.
    static let unknown = NotificationType("UNKNOWN")

    static func type(of event: LegacyEvent) -> (NotificationType, Subtype?) {
        let row = rows.first { $0.sent == event.statement.type && $0.condition(event) }
        return row.map { ($0.type, $0.subtype) } ?? (unknown, nil)
    }

    private static func row(
        _ sent: LegacyType, if condition: @escaping @Sendable (LegacyEvent) -> Bool = { _ in true },
        _ type: NotificationType, _ subtype: Subtype? = nil
    ) -> Row {
        Row(sent: sent, condition: condition, type: type, subtype: subtype)
    }
}
