import AppStoreModel
import Testing

@testable import Simulator

@Suite struct `Scenarios` {
    /// Apple's list of the 24 notification types.
    static let types: Set<String> = [
        "SUBSCRIBED", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "OFFER_REDEEMED", "DID_RENEW", "EXPIRED",
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED",
        "CONSUMPTION_REQUEST", "RENEWAL_EXTENDED", "REVOKE", "TEST", "RENEWAL_EXTENSION", "REFUND_REVERSED",
        "EXTERNAL_PURCHASE_TOKEN", "ONE_TIME_CHARGE", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION", "PRICE_CHANGE",
        "UNCLAIM_SEATS",
    ]

    /// Every row of Apple's table of meanings. The part after the slash is the subtype.
    static let combinations: Set<String> = [
        "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE", "DID_RENEW/", "DID_RENEW/BILLING_RECOVERY",
        "DID_FAIL_TO_RENEW/GRACE_PERIOD", "DID_FAIL_TO_RENEW/", "GRACE_PERIOD_EXPIRED/", "EXPIRED/VOLUNTARY",
        "EXPIRED/BILLING_RETRY", "EXPIRED/PRICE_INCREASE", "EXPIRED/PRODUCT_NOT_FOR_SALE", "EXPIRED/",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
        "DID_CHANGE_RENEWAL_STATUS/", "DID_CHANGE_RENEWAL_PREF/UPGRADE", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE",
        "DID_CHANGE_RENEWAL_PREF/", "OFFER_REDEEMED/UPGRADE", "OFFER_REDEEMED/DOWNGRADE", "OFFER_REDEEMED/",
        "PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED", "RENEWAL_EXTENDED/", "RENEWAL_EXTENSION/SUMMARY",
        "RENEWAL_EXTENSION/FAILURE", "REFUND/", "REFUND/SEATS", "REFUND_REVERSED/", "REFUND_DECLINED/",
        "CONSUMPTION_REQUEST/", "REVOKE/", "ONE_TIME_CHARGE/", "EXTERNAL_PURCHASE_TOKEN/UNREPORTED",
        "EXTERNAL_PURCHASE_TOKEN/CREATED", "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER", "RESCIND_CONSENT/",
        "METADATA_UPDATE/", "MIGRATION/", "PRICE_CHANGE/", "TEST/", "DID_CHANGE_RENEWAL_PREF/INCREASE_QUANTITY",
        "DID_CHANGE_RENEWAL_PREF/DECREASE_QUANTITY", "UNCLAIM_SEATS/",
    ]

    static let subtypes: Set<String> = [
        "INITIAL_BUY", "RESUBSCRIBE", "DOWNGRADE", "UPGRADE", "AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED", "VOLUNTARY",
        "BILLING_RETRY", "PRICE_INCREASE", "GRACE_PERIOD", "PENDING", "ACCEPTED", "BILLING_RECOVERY",
        "PRODUCT_NOT_FOR_SALE", "SUMMARY", "FAILURE", "UNREPORTED", "ACTIVE_TOKEN_REMINDER", "CREATED",
        "INCREASE_QUANTITY", "DECREASE_QUANTITY", "SEATS",
    ]

    var events: [ScenarioEvent] { Scenario.all.flatMap { $0.steps.map(\.event) } }

    @Test func `every notification type is played`() {
        #expect(Self.types.count == 24)
        #expect(Set(events.map(\.notificationType.rawValue)) == Self.types)
    }

    @Test func `every subtype is played`() {
        #expect(Self.subtypes.count == 22)
        #expect(Set(events.compactMap(\.subtype?.rawValue)) == Self.subtypes)
    }

    @Test func `exactly the combinations documented by Apple are played`() {
        let played = Set(events.map { "\($0.notificationType)/\($0.subtype?.rawValue ?? "")" })
        #expect(played == Self.combinations)
    }

    @Test func `every scenario has a unique name, a summary and a step`() {
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
        for scenario in Scenario.all {
            #expect(Scenario.named(scenario.name)?.summary == scenario.summary)
            #expect(!scenario.summary.isEmpty && !scenario.steps.isEmpty)
        }
        #expect(Scenario.named("no such scenario") == nil)
    }
}
