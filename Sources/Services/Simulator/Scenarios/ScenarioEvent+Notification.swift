package import AppStoreModel

extension ScenarioEvent {
    /// The `notificationType` that the App Store sends for this event.
    package var notificationType: NotificationType {
        switch self {
        case .subscribes, .resubscribes: .subscribed
        case .renews, .billingRecovers: .didRenew
        case .renewalFails: .didFailToRenew
        case .graceEnds: .gracePeriodExpired
        case .expires: .expired
        case .turnsRenewalOff, .cancelsAfterPriceIncrease, .turnsRenewalOn: .didChangeRenewalStatus
        case .upgrades, .downgrades, .staysWithCurrentProduct, .addsSeats, .dropsSeats: .didChangeRenewalPref
        case .redeems, .redeemsUpgrading, .redeemsDowngrading: .offerRedeemed
        case .priceIncreaseAnnounced, .acceptsPriceIncrease: .priceIncrease
        case .renewalExtended: .renewalExtended
        case .massExtensionFails, .massExtensionFinished: .renewalExtension
        case .buys: .oneTimeCharge
        case .asksForRefund: .consumptionRequest
        case .refunded, .formerPeriodRefunded, .seatsRefunded: .refund
        case .refundDeclined: .refundDeclined
        case .refundReversed: .refundReversed
        case .losesFamilyAccess: .revoke
        case .seatsUnclaimed: .unclaimSeats
        case .metadataUpdated: .metadataUpdate
        case .migrates: .migration
        case .priceChanged: .priceChange
        case .externalPurchaseToken: .externalPurchaseToken
        case .consentRescinded: .rescindConsent
        case .testRequested: .test
        }
    }

    /// The `subtype` of the notification, or `nil` if Apple sends none.
    package var subtype: Subtype? {
        switch self {
        case .subscribes: .initialBuy
        case .resubscribes: .resubscribe
        case .renewalFails(let grace, _): grace == nil ? nil : .gracePeriod
        case .billingRecovers: .billingRecovery
        case .expires(.customerCancelled): .voluntary
        case .expires(.billingError): .billingRetry
        case .expires(.noConsentToPriceIncrease): .priceIncrease
        case .expires(.productNotAvailable): .productNotForSale
        case .expires: nil
        case .turnsRenewalOff: .autoRenewDisabled
        case .turnsRenewalOn: .autoRenewEnabled
        case .upgrades, .redeemsUpgrading: .upgrade
        case .downgrades, .redeemsDowngrading: .downgrade
        case .priceIncreaseAnnounced: .pending
        case .acceptsPriceIncrease: .accepted
        case .massExtensionFinished: .summary
        case .massExtensionFails: .failure
        case .seatsRefunded: .seats
        case .addsSeats: .increaseQuantity
        case .dropsSeats: .decreaseQuantity
        case .externalPurchaseToken(let event): Subtype(event.rawValue)
        default: nil
        }
    }

    /// The object in the payload that describes the subject.
    enum Container: Sendable {
        /// `data` with the transaction and, for a subscription, its renewal information.
        case purchase
        /// `data` with neither a transaction nor renewal information.
        case app
        case summary, externalPurchaseToken, appData, unclaimInfo
    }

    var container: Container {
        switch self {
        case .testRequested: .app
        case .massExtensionFinished: .summary
        case .externalPurchaseToken: .externalPurchaseToken
        case .consentRescinded: .appData
        case .seatsUnclaimed: .unclaimInfo
        default: .purchase
        }
    }
}
