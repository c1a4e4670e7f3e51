/// The `notification_type` in both unsigned formats.
struct LegacyType: RawRepresentable, Hashable, Sendable {
    let rawValue: String
    init(rawValue: String) { self.rawValue = rawValue }
    private init(_ rawValue: String) { self.rawValue = rawValue }

    static let initialBuy = LegacyType("INITIAL_BUY")
    static let didRenew = LegacyType("DID_RENEW")
    static let didRecover = LegacyType("DID_RECOVER")
    /// The former name of `DID_RECOVER`.
    static let renewal = LegacyType("RENEWAL")
    static let interactiveRenewal = LegacyType("INTERACTIVE_RENEWAL")
    static let didChangeRenewalPref = LegacyType("DID_CHANGE_RENEWAL_PREF")
    static let didChangeRenewalStatus = LegacyType("DID_CHANGE_RENEWAL_STATUS")
    static let didFailToRenew = LegacyType("DID_FAIL_TO_RENEW")
    static let priceIncreaseConsent = LegacyType("PRICE_INCREASE_CONSENT")
    static let cancel = LegacyType("CANCEL")
    static let refund = LegacyType("REFUND")
    static let revoke = LegacyType("REVOKE")
    static let consumptionRequest = LegacyType("CONSUMPTION_REQUEST")

    static let documented: [LegacyType] = [
        .initialBuy, .didRenew, .didRecover, .renewal, .interactiveRenewal, .didChangeRenewalPref,
        .didChangeRenewalStatus, .didFailToRenew, .priceIncreaseConsent, .cancel, .refund, .revoke, .consumptionRequest,
    ]

    /// Whether the type is about a cancelled transaction rather than the newest one.
    var isAboutCancellation: Bool { self == .cancel || self == .refund || self == .revoke }
}
