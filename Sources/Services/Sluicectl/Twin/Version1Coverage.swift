internal import AppStoreModel

/// Determines which version 2 notifications have a counterpart in version 1. Source: Apple's page on the version 1
/// notification_type, with its tables for purchasers, family members and the sandbox (app-store.md 6.4 to 6.7).
enum Version1Coverage {
    /// A kind of notification that version 1 does not send. A nil member matches every value.
    struct Row: Sendable {
        let type: NotificationType
        var subtype: Subtype?
        var environment: AppStoreEnvironment?
        var ownership: InAppOwnershipType?
        var productType: ProductType?

        func covers(_ notification: TwinNotification, in environment: AppStoreEnvironment) -> Bool {
            type == notification.event.type && (subtype ?? notification.subtype) == notification.subtype
                && (self.environment ?? environment) == environment
                && (ownership ?? notification.ownership) == notification.ownership
                && (productType ?? notification.productType) == notification.productType
        }
    }

    static func isSilent(about notification: TwinNotification, in environment: AppStoreEnvironment) -> Bool {
        // Version 1 has a closed set of types, without any newer ones.
        let type = notification.event.type
        guard type.isKnown, !neverSent.contains(type) else { return true }
        if environment == .sandbox, notification.ownership == .familyShared { return true }
        // Version 1 reports an expiry only when it follows failed renewals.
        if type == .expired, notification.subtype != .billingRetry { return true }
        // Version 1 requests consumption data only for consumables.
        if type == .consumptionRequest, let product = notification.productType, product != .consumable { return true }
        return rows.contains { $0.covers(notification, in: environment) }
    }

    private static let rows: [Row] = inTheSandbox + toFamilyMembers + bySubtype + ofFinishedConsumables

    private static let neverSent: Set<NotificationType> = [
        .offerRedeemed, .gracePeriodExpired, .refundDeclined, .refundReversed, .renewalExtended, .renewalExtension,
        .oneTimeCharge, .test, .externalPurchaseToken, .rescindConsent, .metadataUpdate, .migration, .priceChange,
        .unclaimSeats,
    ]

    /// Types that are not among the seven types that version 1 sends in the sandbox.
    private static let inTheSandbox: [Row] = [
        Row(type: .didFailToRenew, environment: .sandbox),
        Row(type: .didRenew, subtype: .billingRecovery, environment: .sandbox),
        Row(type: .priceIncrease, environment: .sandbox),
        Row(type: .revoke, environment: .sandbox),
        Row(type: .consumptionRequest, environment: .sandbox),
    ]

    private static let toFamilyMembers: [Row] = [
        Row(type: .subscribed, subtype: .initialBuy, ownership: .familyShared),
        Row(type: .refund, ownership: .familyShared),
        Row(type: .priceIncrease, ownership: .familyShared),
        Row(type: .consumptionRequest, ownership: .familyShared),
        Row(type: .revoke, ownership: .purchased),
    ]

    /// Version 1 sends one request for consent to a price increase, but nothing if consent was given or is not
    /// required.
    private static let bySubtype: [Row] = [Row(type: .priceIncrease, subtype: .accepted)]

    /// Types sent about finished consumables. A finished consumable is not in the receipt, so the body contains no
    /// transaction and matches nothing.
    private static let ofFinishedConsumables: [Row] = [
        Row(type: .refund, productType: .consumable), Row(type: .consumptionRequest, productType: .consumable),
    ]
}
