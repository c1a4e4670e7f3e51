internal import AppStoreModel

/// Which types an event makes the App Store send in the forms before version 2.
///
/// Source: Apple, "App Store Server Notifications version 1", the events beside the types.
struct LegacyEventTable {
    /// What the event was about.
    let kind: Product.Kind
    let ownership: Scenario.Ownership
    let environment: AppStoreEnvironment
    /// Whether renewal was turned on or off with it.
    let changedRenewalStatus: Bool
    /// Whether the product is another than before it.
    let changedProduct: Bool

    /// In the order of sending; none where no form before version 2 tells of the event.
    func types(of event: ScenarioEvent, _ format: NotificationFormat) -> [LegacyNotificationType] {
        switch format {
        case .v2: []
        case .v1: version1(event).filter(isSent)
        case .v0: isPurchaser && kind == .autoRenewable ? oldestForm(event).filter(isSent) : []
        }
    }

    private var isPurchaser: Bool { ownership == .purchased }

    private func isSent(_ type: LegacyNotificationType) -> Bool {
        guard environment != .sandbox else { return isPurchaser && type.isSentInSandbox }
        return isPurchaser ? type.isSentToPurchaser : type.isSentToFamilyMember
    }

    private func version1(_ event: ScenarioEvent) -> [LegacyNotificationType] {
        switch event {
        case .subscribes: [.initialBuy]
        case .upgrades, .redeemsUpgrading: [.didChangeRenewalStatus, .interactiveRenewal]
        case .downgrades, .redeemsDowngrading, .staysWithCurrentProduct: [.didChangeRenewalPref]
        case .resubscribes: changedProduct ? [.interactiveRenewal, .didChangeRenewalStatus] : [.didChangeRenewalStatus]
        case .turnsRenewalOff, .turnsRenewalOn, .cancelsAfterPriceIncrease: [.didChangeRenewalStatus]
        case .renewalFails: [.didFailToRenew]
        case .billingRecovers: [.didRecover]
        // Nothing tells of a plain expiry; what is told is that renewal has ended with it.
        case .expires: changedRenewalStatus ? [.didChangeRenewalStatus] : []
        case .priceIncreaseAnnounced: [.priceIncreaseConsent]
        case .renews: [.didRenew]
        case .refunded, .formerPeriodRefunded: refund
        case .asksForRefund: kind == .consumable ? [.consumptionRequest] : []
        case .losesFamilyAccess: [.revoke]
        case .graceEnds, .redeems, .acceptsPriceIncrease, .priceChanged, .renewalExtended, .massExtensionFails,
            .massExtensionFinished, .buys, .seatsRefunded, .refundDeclined, .refundReversed, .addsSeats, .dropsSeats,
            .seatsUnclaimed, .metadataUpdated, .migrates, .externalPurchaseToken, .consentRescinded, .testRequested:
            []
        }
    }

    private var refund: [LegacyNotificationType] {
        guard kind == .autoRenewable else { return [.refund] }
        return changedRenewalStatus ? [.cancel, .didChangeRenewalStatus] : [.cancel]
    }

    /// As version 1 where it has the type, but for what the types meant: CANCEL also told of an upgrade, and
    /// INTERACTIVE_RENEWAL of every return after a lapse.
    private func oldestForm(_ event: ScenarioEvent) -> [LegacyNotificationType] {
        let types = version1(event).compactMap(\.inOldestForm)
        switch event {
        case .upgrades, .redeemsUpgrading: return [.cancel] + types
        case .resubscribes: return [.interactiveRenewal, .didChangeRenewalStatus]
        default: return types
        }
    }
}
