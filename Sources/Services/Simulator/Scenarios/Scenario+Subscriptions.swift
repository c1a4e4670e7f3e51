internal import AppStoreModel

extension Scenario {
    /// Scenarios with subscriptions from the first purchase to their end.
    static let subscriptions = [
        Scenario(
            "subscription-renewing", "Buys a monthly subscription and keeps it for four periods", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .atExpiry(.renews),
                .atExpiry(.renews),
                .atExpiry(.renews),
            ]),
        Scenario(
            "subscription-renewed-late", "The renewal notification arrives 40 minutes after the old period ended",
            .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(expiry: .minutes(40), .renews),
                .atExpiry(.renews),
            ]),
        Scenario(
            "subscription-life",
            "Subscribes, renews, fails to pay and recovers, upgrades, is refunded and reinstated, lapses and returns",
            .basicMonthly,
            steps: [
                .first(.subscribes()),
                .atExpiry(.renews),
                .atExpiry(.renewalFails(grace: .days(16))),
                .atGraceEnd(.graceEnds),
                .after(.days(4), .billingRecovers),
                .after(.days(3), .upgrades(to: .premiumMonthly)),
                .after(.days(1), .refunded()),
                .after(.days(2), .refundReversed),
                .after(.days(1), .turnsRenewalOn),
                .atExpiry(.renews),
                .after(.days(9), .turnsRenewalOff),
                .atExpiry(.expires(.customerCancelled)),
                .after(.days(12), .resubscribes()),
            ]),
        Scenario(
            "subscription-cancelled", "Turns renewal off, on and off again, and the subscription ends", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(2), .turnsRenewalOff),
                .after(.days(3), .turnsRenewalOn),
                .atExpiry(.renews),
                .after(.days(20), .turnsRenewalOff),
                .atExpiry(.expires(.customerCancelled)),
            ]),
        Scenario(
            "subscription-resubscribed", "Lapses for a month and returns to a different product in the group",
            .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(10), .turnsRenewalOff),
                .atExpiry(.expires(.customerCancelled)),
                .after(.month, .resubscribes(to: .basicMonthly)),
                .atExpiry(.renews),
            ]),
        Scenario(
            "subscription-withdrawn", "The product is no longer on sale when the subscription would renew",
            .basicMonthly,
            steps: [
                .first(.subscribes()),
                .atExpiry(.expires(.productNotAvailable)),
            ]),
        Scenario(
            "subscription-ended-otherwise", "Ends for a reason that Apple does not state", .basicMonthly,
            steps: [
                .first(.subscribes()),
                .atExpiry(.expires(.other)),
            ]),
        Scenario(
            "subscription-extended", "The developer grants ten more days after an outage", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(5), .renewalExtended(by: .days(10))),
                .atExpiry(.renews),
            ]),
        Scenario(
            "subscription-extension-failed", "A mass extension fails for this subscription", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(5), .massExtensionFails),
                .atExpiry(.renews),
            ]),
        Scenario(
            "subscription-committed", "Pays monthly under a twelve-month commitment", .premiumCommitted,
            steps: [
                .first(.subscribes()),
                .atExpiry(.renews),
                .atExpiry(.renews),
            ]),
        Scenario(
            "subscription-committed-cancelled", "Cancels during a commitment; the remaining months continue",
            .premiumCommitted,
            steps: [
                .first(.subscribes()),
                .atExpiry(.renews),
                .after(.days(10), .turnsRenewalOff),
                .atExpiry(.renews),
            ]),
    ]

    /// Scenarios with failed charges.
    static let billing = [
        Scenario(
            "billing-grace-recovered",
            "A renewal fails, access continues in the grace period, and the charge succeeds on day 6",
            .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .atExpiry(.renewalFails(grace: .days(16))),
                .after(.days(6), .billingRecovers),
                .atExpiry(.renews),
            ]),
        Scenario(
            "billing-grace-undated",
            "Access continues during a grace period for which the renewal information has no end date",
            .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .atExpiry(.renewalFails(grace: .days(16), isDateSent: false)),
                .after(.days(1), .billingRecovers),
                .atExpiry(.renews),
            ]),
        Scenario(
            "billing-grace-exhausted", "The grace period ends, Apple retries for 60 days, and the subscription ends",
            .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .atExpiry(.renewalFails(grace: .days(16))),
                .atGraceEnd(.graceEnds),
                .atRetryEnd(.expires(.billingError)),
            ]),
        Scenario(
            "billing-grace-cancelled", "The customer cancels during the grace period, and access ends immediately",
            .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .atExpiry(.renewalFails(grace: .days(16))),
                .after(.days(3), .expires(.customerCancelled)),
            ]),
        Scenario(
            "billing-retry-recovered", "Without a grace period, access stops until the charge succeeds on day 20",
            .basicMonthly,
            steps: [
                .first(.subscribes()),
                .atExpiry(.renewalFails()),
                .after(.days(20), .billingRecovers),
            ]),
        Scenario(
            "billing-retry-cancelled", "The customer cancels while Apple is still trying to charge", .basicMonthly,
            steps: [
                .first(.subscribes()),
                .atExpiry(.renewalFails()),
                .after(.days(4), .turnsRenewalOff),
                .after(.hours(1), .expires(.customerCancelled)),
            ]),
    ]

    /// Scenarios with changes between products.
    static let plans = [
        Scenario(
            "plan-upgraded", "Moves to a higher level immediately", .basicMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(9), .upgrades(to: .premiumMonthly)),
                .atExpiry(.renews),
            ]),
        Scenario(
            "plan-downgraded", "Requests a downgrade to a lower level, which takes effect with the next period",
            .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(9), .downgrades(to: .basicMonthly)),
                .atExpiry(.renews),
            ]),
        Scenario(
            "plan-kept", "Requests a downgrade to a lower level, then changes their mind", .premiumMonthly,
            steps: [
                .first(.subscribes()),
                .after(.days(9), .downgrades(to: .basicMonthly)),
                .after(.hours(2), .staysWithCurrentProduct),
                .atExpiry(.renews),
            ]),
    ]
}
