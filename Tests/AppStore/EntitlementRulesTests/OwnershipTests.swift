import AppStoreModel
import EntitlementRules
import JSON
import Testing

/// The owner of a purchase: the account of the current transaction, unless an app's claim overrides it.
@Suite struct OwnershipTests {
    private static let one = AppAccountToken("7e3fb204-2d5b-4a5c-8f1e-000000000001")
    private static let other = AppAccountToken("7e3fb204-2d5b-4a5c-8f1e-000000000002")
    private static let third = AppAccountToken("7e3fb204-2d5b-4a5c-8f1e-000000000003")
    private static let transferred = OwnerClaim(
        appAccountToken: other, claimedAt: at(2 * day), transferredFrom: one)

    private static func month(_ number: Int64, _ token: AppAccountToken?, _ reason: String? = nil) -> JSONObject {
        var transaction = period("\(100 + number)", from: number * 30 * day, to: (number + 1) * 30 * day)
        transaction["appAccountToken"] = token.map { .string($0.rawValue) }
        transaction["transactionReason"] = reason.map { .string($0) }
        return transaction.with("originalPurchaseDate", date: 0)
    }

    private static func bought(_ token: AppAccountToken?) -> Notification {
        AccessCase.told(.subscribed, .initialBuy, on: 0, .active, month(0, token, "PURCHASE"))
    }

    private static func renewed(_ number: Int64, _ token: AppAccountToken?) -> Notification {
        AccessCase.told(.didRenew, on: Double(number) * 30, .active, month(number, token, "RENEWAL"))
    }

    private func purchase(_ notifications: [Notification], _ claims: [OwnerClaim] = []) throws -> PurchaseFacts {
        var purchase = try EntitlementRulesTests.purchase(notifications)
        for claim in claims { purchase.insert(claim) }
        // The stored form equals the merged facts.
        let read = try PurchaseFacts(json: purchase.jsonText)
        #expect(read == purchase && read.appAccountToken == purchase.appAccountToken)
        return read
    }

    @Test func `a subscription bought again after a transfer belongs to the account that bought it`() throws {
        let again = AccessCase.told(
            .subscribed, .resubscribe, on: 90, .active, Self.month(3, Self.one, "PURCHASE"))
        for told in [[Self.bought(Self.one), again], [again, Self.bought(Self.one)]] {
            #expect(try purchase(told, [Self.transferred]).appAccountToken == Self.one)
        }
        // Its renewals repeat the account, even if only the renewals are known.
        let renewals = (4..<40).map { Self.renewed($0, Self.one) }
        #expect(
            try purchase([Self.bought(Self.one), again] + renewals, [Self.transferred]).appAccountToken == Self.one)
    }

    @Test func `an upgrade under another account keeps the purchase after the start of the renewal that it replaced`()
        throws
    {
        var upgrade = period("200", from: 29 * day + 12 * hour, to: 59 * day, product: "pro")
        upgrade["appAccountToken"] = .string(Self.other.rawValue)
        let early = AccessCase.told(.didRenew, on: 29.1, .active, Self.month(1, Self.one, "RENEWAL"))
        let told = [
            Self.bought(Self.one), early, AccessCase.told(.didChangeRenewalPref, .upgrade, on: 29.5, .active, upgrade),
        ]
        for order in [told, told.reversed()] {
            let purchase = try purchase(order)
            #expect(purchase.owner(at: at(29 * day + 10 * hour)) == Self.one)
            #expect(purchase.owner(at: at(30 * day)) == Self.other)
        }
    }

    @Test func `renewals that repeat the first account do not undo a transfer`() throws {
        let renewals = (1..<40).map { Self.renewed($0, Self.one) }
        #expect(
            try purchase([Self.bought(Self.one)] + renewals, [Self.transferred]).appAccountToken == Self.other)
    }

    @Test func `a renewal that names a third account overrides earlier claims`() throws {
        let told = [Self.bought(Self.one), Self.renewed(1, Self.third)]
        #expect(try purchase(told, [Self.transferred]).appAccountToken == Self.third)
    }

    @Test(arguments: [
        (NotificationType.subscribed, Subtype?.some(.resubscribe), true), (.offerRedeemed, .resubscribe, true),
        (.offerRedeemed, .upgrade, true), (.didChangeRenewalPref, .upgrade, true), (.didRenew, nil, false),
        (.didRenew, .billingRecovery, false), (.offerRedeemed, .downgrade, false),
    ]) func `the notification's type indicates a purchase if the transaction has no reason`(
        _ type: NotificationType, _ subtype: Subtype?, _ isPurchase: Bool
    ) throws {
        let later = AccessCase.told(type, subtype, on: 90, .active, Self.month(3, Self.one))
        let purchase = try purchase([Self.bought(Self.one), later], [Self.transferred])
        #expect(purchase.appAccountToken == (isPurchase ? Self.one : Self.other))
        // The reason in the transaction itself takes precedence.
        let renewed = AccessCase.told(type, subtype, on: 90, .active, Self.month(3, Self.one, "RENEWAL"))
        #expect(
            try self.purchase([Self.bought(Self.one), renewed], [Self.transferred]).appAccountToken == Self.other)
    }

    @Test func `a claim made before the purchase does not apply to it`() throws {
        let guess = OwnerClaim(appAccountToken: Self.other, claimedAt: at(-day))
        #expect(try purchase([Self.bought(nil)], [guess]).appAccountToken == nil)
        #expect(try purchase([Self.bought(nil), Self.renewed(1, nil)], [guess]).appAccountToken == nil)
        // The claim is visible until the purchase is known.
        #expect(try purchase([], [guess]).appAccountToken == Self.other)
        // The clocks of two machines may differ by a few seconds.
        let atOnce = OwnerClaim(appAccountToken: Self.other, claimedAt: at(-minute))
        #expect(try purchase([Self.bought(nil)], [atOnce]).appAccountToken == Self.other)
        // The first known transaction is a renewal of an earlier purchase.
        let early = OwnerClaim(appAccountToken: Self.other, claimedAt: at(20 * day))
        let renewals = (1..<40).map { Self.renewed($0, nil) }
        #expect(try purchase(renewals, [early]).appAccountToken == Self.other)
    }

    // MARK: The upcoming renewal

    private static let yearly = renewal(product: "yearly").with("appAccountToken", .string(other.rawValue))

    @Test func `the account in renewal info applies to the upcoming renewal, not to the current period`() throws {
        let downgraded = AccessCase.told(
            .didChangeRenewalPref, .downgrade, on: 4, .active, Self.month(0, Self.one, "PURCHASE"), Self.yearly)
        for told in [[Self.bought(Self.one), downgraded], [downgraded, Self.bought(Self.one)]] {
            #expect(try purchase(told).appAccountToken == Self.one)
        }
        let alone = AccessCase.told(.didChangeRenewalPref, .downgrade, on: 4, .active, nil, Self.yearly)
        #expect(try purchase([Self.bought(Self.one), alone]).appAccountToken == Self.one)
        // Without a token in the transaction, the account of this period is unknown.
        #expect(try purchase([Self.bought(nil), alone]).appAccountToken == nil)
        #expect(try purchase([alone]).appAccountToken == nil)
        let without = AccessCase.told(.didChangeRenewalPref, on: 4, .active, Self.month(0, Self.one))
        #expect(try purchase([without]).appAccountToken == Self.one)
    }

    @Test func `a renewal with another account assigns the purchase when it begins and leaves the past unchanged`()
        throws
    {
        let early = AccessCase.told(
            .didRenew, on: 29.5, .active, Self.month(1, Self.other, "RENEWAL"), Self.yearly)
        let purchase = try purchase([Self.bought(Self.one), early])
        for (moment, owner) in [
            (day, Self.one), (29 * day, Self.one), (30 * day - 1, Self.one), (30 * day, Self.other),
        ] { #expect(purchase.owner(at: at(moment)) == owner) }
        #expect(Set(purchase.accounts) == [Self.one, Self.other])
    }

    @Test func `a time before a transfer belongs to the previous account`() throws {
        for named in [Self.one, nil] {
            let purchase = try purchase([Self.bought(named)], [Self.transferred])
            #expect(purchase.owner(at: at(day)) == Self.one)
            #expect(purchase.owner(at: at(2 * day)) == Self.other)
        }
        // A claim that does not replace another one also applies to the past.
        let first = OwnerClaim(appAccountToken: Self.other, claimedAt: at(2 * day))
        #expect(try purchase([Self.bought(nil)], [first]).owner(at: at(day)) == Self.other)
    }

    @Test func `an account set later applies from the newest statement about the transaction`() throws {
        let set = AccessCase.told(
            .didChangeRenewalStatus, .autoRenewDisabled, on: 5, .active, Self.month(0, Self.third, "PURCHASE"))
        #expect(try purchase([Self.bought(Self.one), set]).appAccountToken == Self.third)
        #expect(try purchase([set, Self.bought(Self.one)]).appAccountToken == Self.third)
    }
}
