import AppStoreModel
import EntitlementRules
import JSON
import Testing

private typealias Phase = SubscriptionState.Phase

@Suite("State of a subscription") struct SubscriptionStateTests {
    private let bought = Notification(
        .subscribed, .initialBuy, signed: 0, status: .active, transaction: period("1", from: 0, to: 30 * day),
        renewalInfo: renewal())

    // MARK: The table, row by row

    @Test func `an effective revocation takes precedence`() throws {
        let refund = Notification(
            .refund, signed: 5 * day, status: .revoked,
            transaction: period("1", from: 0, to: 30 * day).with("revocationDate", date: 4 * day),
            renewalInfo: renewal(0).with("gracePeriodExpiresDate", date: 60 * day))
        let purchase = try purchase(bought, refund)
        #expect(purchase.state(at: at(4 * day))?.phase == .revoked)
        #expect(purchase.state(at: at(4 * day))?.isEntitled == false)
        #expect(purchase.state(at: at(4 * day - 1))?.phase == .active)
        #expect(purchase.state(at: at(4 * day - 1))?.until == at(4 * day))
        #expect(purchase.nextChange(after: at(1)) == at(4 * day))
    }

    @Test func `a subscription is active before its expiry`() throws {
        let purchase = try purchase(bought)
        let state = try #require(purchase.state(at: at(30 * day - 1)))
        #expect(state.phase == .active && state.isEntitled)
        #expect(state.willRenew == true)
        #expect(state.until == at(30 * day))
        #expect(state.productId == ProductId("monthly"))
        #expect(purchase.state(at: at(30 * day))?.phase == .renewing)
        #expect(purchase.nextChange(after: at(0)) == at(30 * day))
        #expect(purchase.nextChange(after: at(30 * day)) == at(30 * day + 3 * hour))
        #expect(purchase.state(at: at(30 * day + 3 * hour))?.phase == .expired)
        #expect(purchase.nextChange(after: at(30 * day + 3 * hour)) == nil)
    }

    @Test func `a refund of an earlier period does not affect the leeway of a late renewal`() throws {
        let renewed = Notification(
            .didRenew, signed: 30 * day, status: .active, transaction: period("2", from: 30 * day, to: 60 * day),
            renewalInfo: renewal())
        let refund = Notification(
            .refund, signed: 40 * day, status: .revoked,
            transaction: period("1", from: 0, to: 30 * day).with("revocationDate", date: 40 * day),
            renewalInfo: renewal())
        let purchase = try purchase(bought, renewed, refund)
        #expect(purchase.state(at: at(59 * day))?.phase == .active)
        #expect(purchase.state(at: at(60 * day + hour))?.phase == .renewing)
        #expect(purchase.state(at: at(60 * day + 3 * hour))?.phase == .expired)
    }

    @Test func `the grace period continues service`() throws {
        let purchase = try purchase(
            bought,
            Notification(
                .didFailToRenew, .gracePeriod, signed: 30 * day, status: .billingGracePeriod,
                transaction: period("1", from: 0, to: 30 * day),
                renewalInfo: renewal().with("gracePeriodExpiresDate", date: 46 * day)
                    .with("isInBillingRetryPeriod", true)))
        let state = try #require(purchase.state(at: at(45 * day)))
        #expect(state.phase == .grace && state.isEntitled && state.until == at(46 * day))
        #expect(purchase.state(at: at(46 * day))?.phase == .retry)
        #expect(purchase.nextChange(after: at(31 * day)) == at(46 * day))
        #expect(!purchase.statusDisagrees)
    }

    @Test(arguments: [(Int64(3), false), (2, true)])
    func `billing retry grants no service and lasts 60 days`(status: Int64, flag: Bool) throws {
        let purchase = try purchase(
            bought,
            Notification(
                .didFailToRenew, signed: 30 * day, status: SubscriptionStatus(Int32(status)),
                transaction: period("1", from: 0, to: 30 * day),
                renewalInfo: renewal().with("isInBillingRetryPeriod", .bool(flag)).with("expirationIntent", 2)))
        #expect(purchase.state(at: at(31 * day))?.phase == .retry)
        #expect(purchase.state(at: at(31 * day))?.isEntitled == false)
        #expect(purchase.state(at: at(90 * day - 1))?.phase == .retry)
        #expect(purchase.state(at: at(90 * day))?.phase == .expired)
        #expect(purchase.state(at: at(90 * day))?.expirationIntent == .billingError)
        #expect(purchase.nextChange(after: at(31 * day)) == at(90 * day))
    }

    @Test func `Apple's status active after the known expiry is stale and tolerated for an hour`() throws {
        let purchase = try purchase(
            bought,
            Notification(.priceIncrease, .pending, signed: 31 * day, status: .active, renewalInfo: renewal()))
        let state = try #require(purchase.state(at: at(31 * day + hour - 1)))
        #expect(state.phase == .stale && state.isEntitled && state.needsStatusQuery)
        #expect(state.until == at(31 * day + hour))
        let later = try #require(purchase.state(at: at(31 * day + hour)))
        #expect(later.phase == .stale && !later.isEntitled && later.needsStatusQuery)
        var policy = SubscriptionPolicy()
        policy.staleToleranceMilliseconds = 0
        #expect(purchase.state(at: at(31 * day), policy: policy)?.isEntitled == false)
        #expect(purchase.nextChange(after: at(31 * day)) == at(31 * day + hour))
    }

    @Test func `an expired subscription has the reason reported by Apple`() throws {
        let purchase = try purchase(
            bought,
            Notification(
                .expired, .voluntary, signed: 30 * day + 1, status: .expired,
                transaction: period("1", from: 0, to: 30 * day),
                renewalInfo: renewal(0, product: "yearly").with("expirationIntent", 1)))
        let state = try #require(purchase.state(at: at(31 * day)))
        #expect(state.phase == .expired && !state.isEntitled)
        #expect(state.expirationIntent == .customerCancelled)
        #expect(state.willRenew == false)
        #expect(state.pendingProductId == nil)
        #expect(state.until == nil)
    }

    @Test func `status revoked without a revocation revokes and queries Apple`() throws {
        let revoke = Notification(
            .revoke, signed: 5 * day, status: .revoked,
            transaction: period("1", from: 0, to: 30 * day).with("inAppOwnershipType", "FAMILY_SHARED"),
            renewalInfo: renewal())
        let state = try #require(try purchase(bought, revoke).state(at: at(6 * day)))
        #expect(state.phase == .revoked && !state.isEntitled && state.needsStatusQuery)
        #expect(state.transaction?.inAppOwnershipType == .familyShared)
        let again = Notification(
            .subscribed, .resubscribe, signed: 7 * day, transaction: period("2", from: 7 * day, to: 37 * day))
        #expect(try purchase(bought, revoke, again).state(at: at(8 * day))?.phase == .active)
    }

    // MARK: Transitions by notification

    @Test func `a renewal signed before the period ends is active throughout`() throws {
        let renewed = Notification(
            .didRenew, signed: 29 * day, status: .active, transaction: period("2", from: 30 * day, to: 60 * day),
            renewalInfo: renewal())
        let purchase = try purchase(bought, renewed)
        #expect(purchase.state(at: at(29 * day))?.transaction?.transactionId == TransactionId("1"))
        #expect(purchase.nextChange(after: at(29 * day)) == at(30 * day))
        #expect(purchase.state(at: at(45 * day))?.phase == .active)
        #expect(purchase.state(at: at(29 * day))?.until == at(60 * day))
    }

    @Test func `billing recovery ends grace`() throws {
        let purchase = try purchase(
            bought,
            Notification(
                .didFailToRenew, .gracePeriod, signed: 30 * day, status: .billingGracePeriod,
                transaction: period("1", from: 0, to: 30 * day),
                renewalInfo: renewal().with("gracePeriodExpiresDate", date: 46 * day)),
            Notification(
                .didRenew, .billingRecovery, signed: 35 * day, status: .active,
                transaction: period("2", from: 35 * day, to: 65 * day), renewalInfo: renewal()))
        #expect(purchase.state(at: at(36 * day))?.phase == .active)
        #expect(purchase.state(at: at(65 * day))?.phase == .renewing)
        #expect(purchase.state(at: at(65 * day + 3 * hour))?.phase == .expired)
    }

    @Test(arguments: [NotificationType.didChangeRenewalPref, .offerRedeemed])
    func `an upgrade switches the product immediately and ends the previous period`(type: NotificationType) throws {
        let upgrade = Notification(
            type, .upgrade, signed: 10 * day, status: .active,
            transaction: period("2", from: 10 * day, to: 375 * day, product: "yearly"), renewalInfo: renewal())
        let purchase = try purchase(bought, upgrade)
        #expect(purchase.state(at: at(11 * day))?.productId == ProductId("yearly"))
        let former = try #require(purchase.transactions[TransactionId("1")])
        #expect(!former.isUpgraded && purchase.isUpgraded(former))
        #expect(!purchase.isUpgraded(try #require(purchase.transactions[TransactionId("2")])))
    }

    @Test func `an upgrade ends a renewal that was signed before it and starts after it`() throws {
        let renewed = Notification(
            .didRenew, signed: 29 * day, status: .active, transaction: period("2", from: 30 * day, to: 60 * day))
        let upgrade = Notification(
            .didChangeRenewalPref, .upgrade, signed: 29 * day + hour, status: .active,
            transaction: period("3", from: 29 * day + hour, to: 400 * day, product: "yearly"))
        for purchase in [try purchase(bought, renewed, upgrade), try purchase(upgrade, renewed, bought)] {
            #expect(purchase.currentTransaction(at: at(30 * day))?.transactionId == TransactionId("3"))
        }
    }

    @Test func `a refund of the upgraded transaction is part of the upgrade`() throws {
        let upgrade = Notification(
            .didChangeRenewalPref, .upgrade, signed: 10 * day, status: .active,
            transaction: period("2", from: 10 * day, to: 375 * day, product: "yearly"))
        let refund = Notification(
            .refund, signed: 11 * day, status: .active,
            transaction: period("1", from: 0, to: 30 * day).with("isUpgraded", true)
                .with("revocationDate", date: 10 * day))
        #expect(try purchase(bought, upgrade, refund).state(at: at(12 * day))?.phase == .active)
    }

    @Test func `a downgrade is pending until the renewal`() throws {
        let pending = Notification(
            .didChangeRenewalPref, .downgrade, signed: 10 * day, status: .active,
            transaction: period("1", from: 0, to: 30 * day), renewalInfo: renewal(product: "basic"))
        let state = try purchase(bought, pending).state(at: at(11 * day))
        #expect(state?.productId == ProductId("monthly") && state?.pendingProductId == ProductId("basic"))
        let back = Notification(
            .didChangeRenewalPref, signed: 11 * day, status: .active, transaction: period("1", from: 0, to: 30 * day),
            renewalInfo: renewal())
        #expect(try purchase(bought, pending, back).state(at: at(12 * day))?.pendingProductId == nil)
        let renewed = Notification(
            .didRenew, signed: 30 * day, status: .active,
            transaction: period("2", from: 30 * day, to: 60 * day, product: "basic"),
            renewalInfo: renewal(product: "basic"))
        let after = try purchase(bought, pending, renewed).state(at: at(31 * day))
        #expect(after?.productId == ProductId("basic") && after?.pendingProductId == nil)
    }

    @Test func `turning renewal off changes nothing but the flag`() throws {
        let off = Notification(
            .didChangeRenewalStatus, .autoRenewDisabled, signed: 10 * day, status: .active,
            transaction: period("1", from: 0, to: 30 * day), renewalInfo: renewal(0))
        let state = try purchase(bought, off).state(at: at(11 * day))
        #expect(state?.phase == .active && state?.willRenew == false && state?.until == at(30 * day))
    }

    @Test func `an extension moves the expiry of the same transaction`() throws {
        let extended = Notification(
            .renewalExtended, signed: 20 * day, status: .active, transaction: period("1", from: 0, to: 40 * day))
        #expect(try purchase(bought, extended).state(at: at(35 * day))?.phase == .active)
        #expect(try purchase(extended, bought).state(at: at(35 * day))?.phase == .active)
    }

    @Test func `an unknown type changes the state only by its facts`() throws {
        let unknown = Notification(
            NotificationType("BRAND_NEW"), Subtype("X"), signed: 30 * day, status: SubscriptionStatus(9),
            transaction: period("2", from: 30 * day, to: 60 * day).with("offerType", 77))
        #expect(try purchase(bought, unknown).state(at: at(31 * day))?.phase == .active)
    }

    // MARK: Refunds

    @Test func `a prorated refund of the current period ends access`() throws {
        let refund = Notification(
            .refund, signed: 5 * day, status: .revoked,
            transaction: period("1", from: 0, to: 30 * day).with("revocationDate", date: 5 * day)
                .with("revocationType", "REFUND_PRORATED").with("revocationPercentage", 40000))
        #expect(try purchase(bought, refund).state(at: at(6 * day))?.phase == .revoked)
    }

    @Test func `a refund of an older period has no effect`() throws {
        let renewed = Notification(
            .didRenew, signed: 30 * day, status: .active, transaction: period("2", from: 30 * day, to: 60 * day))
        let refund = Notification(
            .refund, signed: 35 * day, status: .active,
            transaction: period("1", from: 0, to: 30 * day).with("revocationDate", date: 34 * day))
        let purchase = try purchase(bought, renewed, refund)
        #expect(purchase.state(at: at(36 * day))?.phase == .active)
        #expect(purchase.transactions[TransactionId("1")]?.isRevoked(at: at(36 * day)) == true)
    }

    @Test func `a reversed refund restores access to the same expiry`() throws {
        let refund = Notification(
            .refund, signed: 5 * day, status: .revoked,
            transaction: period("1", from: 0, to: 30 * day).with("revocationDate", date: 5 * day))
        let reversed = Notification(
            .refundReversed, signed: 9 * day, status: .active, transaction: period("1", from: 0, to: 30 * day),
            renewalInfo: renewal())
        for purchase in [try purchase(bought, refund, reversed), try purchase(reversed, refund, bought)] {
            #expect(purchase.state(at: at(10 * day))?.phase == .active)
            #expect(purchase.state(at: at(10 * day))?.until == at(30 * day))
            #expect(purchase.state(at: at(30 * day + 3 * hour))?.phase == .expired)
        }
    }

    @Test func `a transaction after the refund starts again`() throws {
        let refund = Notification(
            .refund, signed: 5 * day, status: .revoked,
            transaction: period("1", from: 0, to: 30 * day).with("revocationDate", date: 5 * day))
        let again = Notification(
            .subscribed, .resubscribe, signed: 6 * day, status: .active,
            transaction: period("2", from: 6 * day, to: 36 * day))
        #expect(try purchase(bought, refund, again).state(at: at(7 * day))?.phase == .active)
    }

    // MARK: Order

    @Test func `a failure that arrives after the later recovery changes nothing`() throws {
        let base = 30 * day
        let recovery = Notification(
            .didRenew, .billingRecovery, signed: base + 5 * minute, status: .active,
            transaction: period("2", from: base + 5 * minute, to: 60 * day), renewalInfo: renewal())
        let failure = Notification(
            .didFailToRenew, signed: base, status: .billingRetry, transaction: period("1", from: 0, to: base),
            renewalInfo: renewal().with("isInBillingRetryPeriod", true))
        var known = try purchase(bought, recovery)
        let outcome = known.merge(try #require(try failure.facts()))
        #expect(outcome.isStale)
        #expect(known.state(at: at(base + hour))?.phase == .active)
        #expect(known.status?.status == .active)
    }

    @Test func `equal dates are ordered by the notificationUUID`() throws {
        let one = Notification(
            .didChangeRenewalStatus, signed: day, uuid: "b", status: .active, renewalInfo: renewal(0))
        let other = Notification(
            .didChangeRenewalStatus, signed: day, uuid: "a", status: .expired, renewalInfo: renewal(1))
        #expect(try purchase(one, other).renewal?.autoRenewStatus == .off)
        #expect(try purchase(one, other) == purchase(other, one))
    }

    @Test func `trust takes precedence over date, and date over the notificationUUID`() {
        func version(_ date: Int64, _ isSigned: Bool, _ uuid: String) -> FactVersion {
            FactVersion(signedDate: at(date), isSigned: isSigned, notificationUUID: NotificationUUID(uuid))
        }
        let ordered = [
            version(5, false, "a"), version(9, false, "a"), version(9, false, "b"), version(1, true, "a"),
            version(2, true, "a"), version(2, true, "b"),
        ]
        #expect(ordered.shuffled().sorted() == ordered)
    }

    @Test func `Apple's stated status is compared with the facts`() throws {
        #expect(try !purchase(bought).statusDisagrees)
        let odd = Notification(
            .didRenew, signed: day, status: .expired, transaction: period("1", from: 0, to: 30 * day))
        #expect(try purchase(odd).statusDisagrees)
        let early = Notification(
            .didFailToRenew, signed: 29 * day, status: .billingRetry, transaction: period("1", from: 0, to: 30 * day))
        #expect(try !purchase(early).statusDisagrees)
    }

    @Test func `an active status disagrees with a revoked period`() throws {
        let refund = Notification(
            .refund, signed: 5 * day, transaction: period("1", from: 0, to: 31 * day).with("revocationDate", date: day))
        let active = Notification(.didChangeRenewalStatus, signed: 10 * day, status: .active, renewalInfo: renewal())
        #expect(try purchase(refund, active).statusDisagrees)
        // The later end decides between two periods with the same start, even if its transactionId is smaller.
        let shorter = Notification(
            .didRenew, signed: 10 * day, status: .active, transaction: period("2", from: 0, to: 30 * day))
        #expect(try purchase(refund, shorter).statusDisagrees)
    }

    // MARK: Seats

    @Test func `added seats are counted and do not replace the period`() throws {
        let team = Notification(
            .subscribed, .initialBuy, signed: 0, status: .active,
            transaction: period("1", from: 0, to: 30 * day).with("quantity", 5))
        let added = Notification(
            .didChangeRenewalPref, .increaseQuantity, signed: 10 * day, status: .active,
            transaction: period("2", from: 10 * day, to: 30 * day).with("quantity", 3)
                .with("additionalTransactionReason", "SEAT_ADDITION"))
        let seats = Notification(
            .refund, .seats, signed: 12 * day, status: .active,
            transaction: period("1", from: 0, to: 30 * day).with("quantity", 5)
                .with("multiSeatInfo", ["revokedSeatQuantity": 2]))
        let purchase = try purchase(team, added, seats)
        #expect(purchase.currentTransaction(at: at(13 * day))?.transactionId == TransactionId("1"))
        #expect(purchase.state(at: at(13 * day))?.seats == 6)
        #expect(purchase.state(at: at(13 * day))?.phase == .active)
    }

    @Test func `with added seats, access ends when the last transaction of the period is revoked`() throws {
        let refunded = Notification(
            .refund, signed: 12 * day, status: .active,
            transaction: period("1", from: 0, to: 30 * day).with("revocationDate", date: 12 * day))
        let added = period("2", from: 10 * day, to: 30 * day).with("additionalTransactionReason", "SEAT_ADDITION")
        let kept = Notification(.didChangeRenewalPref, .increaseQuantity, signed: 10 * day, transaction: added)
        let revoked = Notification(
            .refund, signed: 20 * day, transaction: added.with("revocationDate", date: 20 * day))
        #expect(try purchase(refunded, kept).state(at: at(13 * day))?.phase == .active)
        #expect(try purchase(refunded, kept, revoked).state(at: at(19 * day))?.phase == .active)
        #expect(try purchase(refunded, kept, revoked).state(at: at(20 * day))?.phase == .revoked)
    }

    // MARK: Past and owner

    @Test func `the past is computed from the transactions made and facts signed by then`() throws {
        let upgrade = Notification(
            .didChangeRenewalPref, .upgrade, signed: 10 * day, status: .active,
            transaction: period("2", from: 10 * day, to: 375 * day, product: "yearly"))
        let purchase = try purchase(bought, upgrade)
        #expect(purchase.state(asOf: at(-1)) == nil)
        #expect(purchase.state(asOf: at(5 * day))?.productId == ProductId("monthly"))
        #expect(purchase.state(asOf: at(5 * day))?.phase == .active)
        #expect(purchase.state(asOf: at(11 * day))?.productId == ProductId("yearly"))
        #expect(
            purchase.transitions(ProductRules()).map { "\($0.from ?? "-") \($0.to) \($0.cause.notificationType)" }
                == ["- ACTIVE SUBSCRIBED"])
    }

    @Test func `an upgrade replaces a past renewal from the time when Apple reported it`() throws {
        let day29 = 29 * day
        let renewed = Notification(
            .didRenew, signed: day29, status: .active, transaction: period("2", from: 30 * day, to: 60 * day))
        let yearly = period("3", from: day29 + 12 * hour, to: day29 + 365 * day, product: "yearly")
        let named = Notification(
            .didChangeRenewalStatus, .autoRenewEnabled, signed: day29 + 13 * hour, status: .active,
            transaction: yearly)
        let upgrade = Notification(
            .didChangeRenewalPref, .upgrade, signed: 31 * day, status: .active, transaction: yearly)
        let purchase = try purchase(bought, renewed, named, upgrade)
        #expect(purchase.state(asOf: at(30 * day + 12 * hour))?.productId == ProductId("monthly"))
        #expect(purchase.state(asOf: at(32 * day))?.productId == ProductId("yearly"))
        #expect(purchase.state(at: at(32 * day))?.productId == ProductId("yearly"))
    }

    @Test func `the owner is Apple's token or, without one, the claim`() throws {
        var unclaimed = try purchase(bought)
        #expect(unclaimed.appAccountToken == nil)
        unclaimed.insert(OwnerClaim(appAccountToken: AppAccountToken("A"), claimedAt: at(1)))
        unclaimed.insert(OwnerClaim(appAccountToken: AppAccountToken("B"), claimedAt: at(0)))
        #expect(unclaimed.appAccountToken == AppAccountToken("a"))
        unclaimed.merge(
            try #require(
                try Notification(
                    .didRenew, signed: 1, transaction: period("2", from: 1, to: day).with("appAccountToken", "C")
                ).facts()))
        #expect(unclaimed.appAccountToken == AppAccountToken("c"))
    }

    @Test func `a notification without a purchase has no facts`() throws {
        #expect(try Notification(.test, signed: 0).facts() == nil)
    }

    @Test func `facts of another purchase, app or environment are not merged`() throws {
        var known = try purchase(bought)
        let before = known
        for (environment, bundleId, id) in [
            (AppStoreEnvironment.sandbox, "com.example", "1"), (.production, "other", "1"),
            (.production, "com.example", "2"),
        ] {
            var other = PurchaseFacts(
                environment: environment, bundleId: BundleId(bundleId), originalTransactionId: OriginalTransactionId(id)
            )
            other.insert(StatusFacts(version: FactVersion(signedDate: .latest), status: .revoked))
            #expect(known.merge(other) == PurchaseFacts.MergeOutcome())
        }
        #expect(known == before)
    }
}
