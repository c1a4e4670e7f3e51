internal import AppStoreModel

extension Scenario {
    /// Scenarios with offers of every type.
    static let offers = [
        Scenario(
            "offer-free-trial", "A free week, then the full price", .premiumMonthly,
            steps: [
                .first(.subscribes(offer: .freeTrial)),
                .atExpiry(.renews),
            ]),
        Scenario(
            "offer-redeemed", "An active subscriber redeems a promotional offer for the same product", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(12), .redeems(.summerSale)),
                .atExpiry(.renews),
            ]),
        Scenario(
            "offer-upgrade", "An offer code moves the subscriber to a higher level", .basicMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(12), .redeemsUpgrading(.code, to: .premiumMonthly)),
                .atExpiry(.renews),
            ]),
        Scenario(
            "offer-downgrade", "An offer moves the subscriber to a lower level when the next period begins",
            .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(12), .redeemsDowngrading(.summerSale, to: .basicMonthly)),
                .atExpiry(.renews),
            ]),
        Scenario(
            "offer-win-back", "A lapsed customer returns with a win-back offer", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(2), .turnsRenewalOff),
                .atExpiry(.expires(.customerCancelled)),
                .after(.days(45), .resubscribes(offer: .winBack)),
            ]),
    ]

    /// Scenarios with price increases.
    static let prices = [
        Scenario(
            "price-increase-accepted", "Consents to a higher price, which takes effect at the next renewal",
            .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(3), .priceIncreaseAnnounced(percent: 150)),
                .after(.days(5), .acceptsPriceIncrease),
                .atExpiry(.renews),
            ]),
        Scenario(
            "price-increase-unanswered", "The customer never responds, and the subscription ends", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(3), .priceIncreaseAnnounced(percent: 150)),
                .atExpiry(.expires(.noConsentToPriceIncrease)),
            ]),
        Scenario(
            "price-increase-cancelled", "Cancels because of the price increase", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(3), .priceIncreaseAnnounced(percent: 150)),
                .after(.days(1), .cancelsAfterPriceIncrease),
                .atExpiry(.expires(.customerCancelled)),
            ]),
    ]

    /// Scenarios with refunds of subscriptions. Refunds of one-time purchases are in `oneTime`.
    static let refunds = [
        Scenario(
            "refund-granted", "Requests a refund in the app and receives it", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(4), .turnsRenewalOff),
                .after(.minutes(1), .asksForRefund(.unsatisfiedWithPurchase)),
                .after(.hours(30), .refunded()),
            ]),
        Scenario(
            "refund-prorated", "The unused part of the period is refunded", .premiumYearly,
            steps: [
                .first(.subscribes()),
                .after(.days(100), .turnsRenewalOff),
                .after(.minutes(1), .asksForRefund(.fulfillmentIssue)),
                .after(.hours(20), .refunded(percent: 72)),
            ]),
        Scenario(
            "refund-declined", "Requests a refund twice and is denied both times", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(4), .turnsRenewalOff),
                .after(.minutes(1), .asksForRefund(.unintendedPurchase)),
                .after(.hours(8), .asksForRefund(.unintendedPurchase)),
                .after(.hours(30), .refundDeclined),
                .atExpiry(.expires(.customerCancelled)),
            ]),
        Scenario(
            "refund-request-assigned",
            "A member of a group requests a refund of an assigned subscription, about which Apple accepts no data",
            .premiumMonthly, ownership: .assigned,
            steps: [
                .first(.subscribes()),
                .after(.days(2), .asksForRefund(.unintendedPurchase)),
            ]),
        Scenario(
            "refund-reversed", "The refund is reversed after a dispute", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(4), .refunded()),
                .after(.days(6), .refundReversed),
            ]),
        Scenario(
            "refund-of-past-period", "A past period is refunded; the current one is not affected", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .atExpiry(.renews),
                .after(.days(2), .asksForRefund(.other)),
                .after(.hours(10), .formerPeriodRefunded()),
            ]),
        Scenario(
            "refund-of-coming-period", "An early renewal is refunded before its period begins",
            .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .before(expiry: .hours(20), .renews),
                .after(.hours(2), .refunded()),
                .atExpiry(.expires(.customerCancelled)),
            ]),
        Scenario(
            "refund-of-upgraded-period", "The unused part of the former product is refunded with the upgrade",
            .basicMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(9), .upgrades(to: .premiumMonthly)),
                .after(.hours(1), .formerPeriodRefunded(percent: 70)),
            ]),
    ]
}
