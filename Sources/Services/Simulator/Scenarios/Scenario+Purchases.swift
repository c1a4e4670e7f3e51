internal import AppStoreModel

extension Scenario {
    /// Scenarios with purchases that do not renew.
    static let oneTime = [
        Scenario(
            "consumable", "Buys three packs of coins with an offer code", .coins,
            steps: [.first(.buys(quantity: 3, offer: .oneTimeCode))]),
        Scenario(
            "refund-request", "Requests a refund of coins bought by accident, and receives it", .coins,
            steps: [
                .first(.buys()),
                .after(.hours(5), .asksForRefund(.unintendedPurchase)),
                .after(.hours(9), .refunded()),
            ]),
        Scenario(
            "refund-requests-repeated",
            "Is denied a refund, asks again on Apple's site, is denied without notification, and asks once more",
            .coins,
            steps: [
                .first(.buys()),
                .after(.hours(5), .asksForRefund(.unintendedPurchase)),
                .after(.hours(9), .refundDeclined),
                .after(.days(2), .asksForRefund(.fulfillmentIssue)),
                .after(.days(20), .asksForRefund(.unsatisfiedWithPurchase)),
            ]),
        Scenario(
            "consumable-refunded", "A coin purchase is partially refunded after the consumption answer", .coins,
            steps: [
                .first(.buys(quantity: 2)),
                .after(.hours(5), .asksForRefund(.legal)),
                .after(.hours(9), .refunded(percent: 50)),
            ]),
        Scenario(
            "non-consumable", "Buys the lifetime unlock and is refunded, then the refund is reversed", .lifetime,
            steps: [
                .first(.buys()),
                .after(.days(3), .refunded()),
                .after(.days(9), .refundReversed),
            ]),
        Scenario(
            "non-renewing", "Buys the season pass; a refund request is declined", .seasonPass,
            steps: [
                .first(.buys()),
                .after(.days(1), .asksForRefund(.fulfillmentIssue)),
                .after(.hours(20), .refundDeclined),
            ]),
    ]

    /// Scenarios with access through Family Sharing, in which the customer is the family member.
    static let family = [
        Scenario(
            "family-subscription", "Has a subscription through Family Sharing, leaves the family, and joins it again",
            .premiumMonthly,
            ownership: .familyShared,
            steps: [
                .first(.subscribes()),
                .atExpiry(.renews),
                .after(.days(11), .losesFamilyAccess),
                .after(.days(30), .resubscribes()),
            ]),
        Scenario(
            "family-non-consumable", "Has the lifetime unlock through Family Sharing until the purchaser is refunded",
            .lifetime,
            ownership: .familyShared,
            steps: [
                .first(.buys()),
                .after(.days(6), .losesFamilyAccess),
            ]),
    ]

    /// Scenarios with subscriptions sold in seats.
    static let seats = [
        Scenario(
            "seats", "A team adds seats, drops some for the next period, and has some refunded", .teamMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(4), .addsSeats(3)),
                .after(.days(10), .dropsSeats(2)),
                .after(.days(1), .seatsRefunded(1)),
                .atExpiry(.renews),
            ]),
        Scenario(
            "seats-unclaimed", "The App Store revokes the seats of two users whom the developer invited",
            .teamMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(12), .seatsUnclaimed(2)),
                .atExpiry(.renews),
            ]),
    ]

    /// Scenarios with subscriptions managed through the Advanced Commerce API.
    static let advancedCommerce = [
        Scenario(
            "advanced-commerce", "A subscription migrates to Advanced Commerce, then its metadata and price change",
            .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(8), .migrates(to: .bundleMonthly)),
                .after(.days(1), .metadataUpdated),
                .after(.days(1), .priceChanged(percent: 120)),
                .atExpiry(.renews),
            ])
    ]

    /// Scenarios for events that concern the app or its developer rather than a purchase.
    static let appLevel = [
        Scenario(
            "test", "The developer requests a test notification", .premiumMonthly, steps: [.first(.testRequested)]),
        Scenario(
            "mass-extension", "The summary of an extension for all subscribers", .premiumMonthly,
            steps: [.first(.massExtensionFinished(succeeded: 12_840, failed: 7))]),
        Scenario(
            "external-purchase", "An external purchase token is created and, despite a reminder, not reported",
            .premiumMonthly,
            steps: [
                .first(.externalPurchaseToken(.created)),
                .after(.month, .externalPurchaseToken(.activeReminder)),
                .after(.days(15), .externalPurchaseToken(.unreported)),
            ]),
        Scenario(
            "consent-rescinded", "A parent withdraws consent for a minor's use of the app", .premiumMonthly,
            steps: [.first(.consentRescinded)]),
    ]
}
