/// The `notification_type` in the formats before version 2.
package enum LegacyNotificationType: String, Sendable, CaseIterable {
    case initialBuy = "INITIAL_BUY"
    case didRenew = "DID_RENEW"
    case didRecover = "DID_RECOVER"
    /// The name of `didRecover` in the oldest format.
    case renewal = "RENEWAL"
    case interactiveRenewal = "INTERACTIVE_RENEWAL"
    case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
    case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
    case didFailToRenew = "DID_FAIL_TO_RENEW"
    case priceIncreaseConsent = "PRICE_INCREASE_CONSENT"
    case cancel = "CANCEL"
    case refund = "REFUND"
    case revoke = "REVOKE"
    case consumptionRequest = "CONSUMPTION_REQUEST"

    /// Whether the App Store sends this type about a purchaser's transactions. Source (also for family members): Apple,
    /// "App Store Server Notifications version 1".
    var isSentToPurchaser: Bool { self != .revoke }

    var isSentToFamilyMember: Bool {
        switch self {
        case .didChangeRenewalPref, .didChangeRenewalStatus, .didFailToRenew, .didRecover, .didRenew,
            .interactiveRenewal, .revoke:
            true
        default: false
        }
    }

    var isSentInSandbox: Bool {
        switch self {
        case .initialBuy, .didChangeRenewalPref, .didChangeRenewalStatus, .didRenew, .interactiveRenewal, .cancel,
            .refund:
            true
        default: false
        }
    }

    /// The name in the oldest format, or `nil` if that format does not have the type.
    var inOldestForm: LegacyNotificationType? {
        switch self {
        case .initialBuy, .cancel, .renewal, .interactiveRenewal, .didChangeRenewalPref, .didChangeRenewalStatus: self
        case .didRecover: .renewal
        default: nil
        }
    }
}
