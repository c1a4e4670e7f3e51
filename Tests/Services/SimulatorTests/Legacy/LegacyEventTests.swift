import AppStoreModel
import Testing

@testable import Simulator

/// The types of an event in the formats before version 2, row by row as documented by Apple.
@Suite struct `Events before version 2` {
    typealias Row = (event: String, kind: Product.Kind, changes: Bool, otherProduct: Bool, v1: String, v0: String)

    private static let events: [String: ScenarioEvent] = [
        "first purchase": .subscribes(), "upgraded": .upgrades(to: .premiumMonthly),
        "upgraded by an offer": .redeemsUpgrading(.code, to: .premiumMonthly),
        "downgraded": .downgrades(to: .basicMonthly),
        "downgraded by an offer": .redeemsDowngrading(.summerSale, to: .basicMonthly),
        "stays with the product": .staysWithCurrentProduct, "resubscribed": .resubscribes(),
        "cancelled in the settings": .turnsRenewalOff, "renewal on again": .turnsRenewalOn,
        "refunded": .refunded(), "former period refunded": .formerPeriodRefunded(),
        "renewal failed": .renewalFails(), "renewal failed with grace": .renewalFails(grace: .days(16)),
        "grace ended": .graceEnds, "recovered": .billingRecovers, "lost after retries": .expires(.billingError),
        "plain expiry": .expires(.customerCancelled), "price increase": .priceIncreaseAnnounced(percent: 150),
        "price increase accepted": .acceptsPriceIncrease, "renewed": .renews, "bought": .buys(),
        "refund asked": .asksForRefund(.legal), "refund refused": .refundDeclined, "refund reversed": .refundReversed,
        "renewal extended": .renewalExtended(by: .days(3)), "offer for the same product": .redeems(.summerSale),
        "test": .testRequested,
    ]

    static let rows: [Row] = [
        ("first purchase", .autoRenewable, false, false, "INITIAL_BUY", "INITIAL_BUY"),
        (
            "upgraded", .autoRenewable, true, true, "DID_CHANGE_RENEWAL_STATUS INTERACTIVE_RENEWAL",
            "CANCEL DID_CHANGE_RENEWAL_STATUS INTERACTIVE_RENEWAL"
        ),
        (
            "upgraded by an offer", .autoRenewable, true, true, "DID_CHANGE_RENEWAL_STATUS INTERACTIVE_RENEWAL",
            "CANCEL DID_CHANGE_RENEWAL_STATUS INTERACTIVE_RENEWAL"
        ),
        ("downgraded", .autoRenewable, false, false, "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_PREF"),
        ("downgraded by an offer", .autoRenewable, false, false, "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_PREF"),
        ("stays with the product", .autoRenewable, false, false, "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_PREF"),
        (
            "resubscribed", .autoRenewable, true, false, "DID_CHANGE_RENEWAL_STATUS",
            "INTERACTIVE_RENEWAL DID_CHANGE_RENEWAL_STATUS"
        ),
        (
            "resubscribed", .autoRenewable, true, true, "INTERACTIVE_RENEWAL DID_CHANGE_RENEWAL_STATUS",
            "INTERACTIVE_RENEWAL DID_CHANGE_RENEWAL_STATUS"
        ),
        (
            "cancelled in the settings", .autoRenewable, true, false, "DID_CHANGE_RENEWAL_STATUS",
            "DID_CHANGE_RENEWAL_STATUS"
        ),
        ("renewal on again", .autoRenewable, true, false, "DID_CHANGE_RENEWAL_STATUS", "DID_CHANGE_RENEWAL_STATUS"),
        (
            "refunded", .autoRenewable, true, false, "CANCEL DID_CHANGE_RENEWAL_STATUS",
            "CANCEL DID_CHANGE_RENEWAL_STATUS"
        ),
        ("former period refunded", .autoRenewable, false, false, "CANCEL", "CANCEL"),
        ("renewal failed", .autoRenewable, false, false, "DID_FAIL_TO_RENEW", ""),
        ("renewal failed with grace", .autoRenewable, false, false, "DID_FAIL_TO_RENEW", ""),
        ("grace ended", .autoRenewable, false, false, "", ""),
        ("recovered", .autoRenewable, false, false, "DID_RECOVER", "RENEWAL"),
        ("lost after retries", .autoRenewable, true, false, "DID_CHANGE_RENEWAL_STATUS", "DID_CHANGE_RENEWAL_STATUS"),
        ("plain expiry", .autoRenewable, false, false, "", ""),
        ("refunded", .consumable, false, false, "REFUND", ""),
        ("refunded", .nonConsumable, false, false, "REFUND", ""),
        ("refunded", .nonRenewing, false, false, "REFUND", ""),
        ("price increase", .autoRenewable, false, false, "PRICE_INCREASE_CONSENT", ""),
        ("price increase accepted", .autoRenewable, false, false, "", ""),
        ("renewed", .autoRenewable, false, false, "DID_RENEW", ""),
        ("refund asked", .consumable, false, false, "CONSUMPTION_REQUEST", ""),
        ("refund asked", .autoRenewable, false, false, "", ""),
        ("bought", .consumable, false, false, "", ""),
        ("refund refused", .consumable, false, false, "", ""),
        ("refund reversed", .nonConsumable, false, false, "", ""),
        ("renewal extended", .autoRenewable, false, false, "", ""),
        ("offer for the same product", .autoRenewable, false, false, "", ""),
        ("test", .autoRenewable, false, false, "", ""),
    ]

    private func types(
        _ row: Row, _ format: NotificationFormat, _ ownership: Scenario.Ownership = .purchased,
        _ environment: AppStoreEnvironment = .production
    ) throws -> [LegacyNotificationType] {
        LegacyEventTable(
            kind: row.kind, ownership: ownership, environment: environment, changedRenewalStatus: row.changes,
            changedProduct: row.otherProduct
        ).types(of: try #require(Self.events[row.event]), format)
    }

    @Test(arguments: rows) func `an event has the types of its row`(row: Row) throws {
        #expect(try types(row, .v1).map(\.rawValue).joined(separator: " ") == row.v1)
        #expect(try types(row, .v0).map(\.rawValue).joined(separator: " ") == row.v0)
        #expect(try types(row, .v2).isEmpty)
    }

    @Test(arguments: rows) func `family members get the types of their column, and none in the oldest format`(
        row: Row
    ) throws {
        let toFamily: Set = [
            "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW", "DID_RECOVER", "DID_RENEW",
            "INTERACTIVE_RENEWAL",
        ]
        let expected = row.v1.split(separator: " ").map(String.init).filter { toFamily.contains($0) }
        #expect(try types(row, .v1, .familyShared).map(\.rawValue) == expected)
        #expect(try types(row, .v0, .familyShared).isEmpty)
    }

    @Test func `the end of access through Family Sharing is sent for the family member only`() {
        func types(_ ownership: Scenario.Ownership) -> [LegacyNotificationType] {
            LegacyEventTable(
                kind: .autoRenewable, ownership: ownership, environment: .production, changedRenewalStatus: true,
                changedProduct: false
            ).types(of: .losesFamilyAccess, .v1)
        }
        #expect(types(.familyShared) == [.revoke] && types(.purchased) == [])
    }

    @Test(arguments: rows) func `the sandbox has seven types, for purchasers only`(row: Row) throws {
        let inSandbox: Set = [
            "INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_RENEW", "INTERACTIVE_RENEWAL",
            "CANCEL", "REFUND",
        ]
        let expected = row.v1.split(separator: " ").map(String.init).filter { inSandbox.contains($0) }
        #expect(try types(row, .v1, .purchased, .sandbox).map(\.rawValue) == expected)
        #expect(try types(row, .v1, .familyShared, .sandbox).isEmpty)
    }

    @Test func `the scenarios cover every type of both formats`() throws {
        let v1 = try makeSeries(formats: [.v1])
        let sent = Set(v1.scenarios.indices.flatMap { v1.legacyBodies(of: $0, .v1).map(\.type) })
        #expect(sent == Set(LegacyNotificationType.allCases).subtracting([.renewal]))
        let v0 = try makeSeries(formats: [.v0])
        let oldest = Set(v0.scenarios.indices.flatMap { v0.legacyBodies(of: $0, .v0).map(\.type) })
        #expect(
            oldest.map(\.rawValue).sorted() == [
                "CANCEL", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "INITIAL_BUY", "INTERACTIVE_RENEWAL",
                "RENEWAL",
            ])
    }
}
