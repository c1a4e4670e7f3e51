internal import AppStoreModel

/// Maps an event to the notification types that the App Store sends in the formats before version 2.
///
/// Source: Apple, "App Store Server Notifications version 1", which lists the events for each type.
struct LegacyEventTable {
    /// The kind of product that the event concerns.
    let kind: Product.Kind
    let ownership: Scenario.Ownership
    let environment: AppStoreEnvironment
    /// Whether the event turned renewal on or off.
    let changedRenewalStatus: Bool
    /// Whether the event changed the product.
    let changedProduct: Bool

    /// Returns the types in sending order, or none for version 2 and for events that the format does not report.
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
        // Version 1 does not report the expiry itself. If the expiry ended automatic renewal, version 1 reports that
        // change.
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

    /// Returns the types in the oldest format. They are the version 1 types that also exist in this format, plus CANCEL
    /// for an upgrade and INTERACTIVE_RENEWAL for every resubscription.
    private func oldestForm(_ event: ScenarioEvent) -> [LegacyNotificationType] {
        let types = version1(event).compactMap(\.inOldestForm)
        switch event {
        case .upgrades, .redeemsUpgrading: return [.cancel] + types
        case .resubscribes: return [.interactiveRenewal, .didChangeRenewalStatus]
        default: return types
        }
    }
}
