import AppStoreModel
import EntitlementRules
import JSON
import TestSupport
import Testing

/// The effect of notifications of version 1 and earlier under each policy.
@Suite("Trust of version 1 notifications") struct LegacyTrustTests {
    private static let bought = Notification(
        .subscribed, .initialBuy, signed: 0, status: .active, transaction: period("1", from: 0, to: 30 * day),
        renewalInfo: renewal())
    private static let renewed = Notification(
        .didRenew, signed: 30 * day, status: .active, transaction: period("2", from: 30 * day, to: 60 * day),
        renewalInfo: renewal())

    private func rules(_ trust: LegacyTrust) -> ProductRules {
        ProductRules(legacyTrust: LegacyTrustRules(others: trust))
    }

    private func merged(_ parts: [(Notification, isSigned: Bool)]) throws -> PurchaseFacts {
        var facts = PurchaseFacts(
            environment: .production, bundleId: BundleId("com.example"),
            originalTransactionId: OriginalTransactionId("1"))
        for (notification, isSigned) in parts {
            facts.merge(try #require(try notification.facts(isSigned: isSigned)))
        }
        return facts
    }

    private func answer(_ facts: PurchaseFacts, _ trust: LegacyTrust, at moment: Int64) -> EntitlementAnswer {
        EntitlementAnswer(purchases: [facts], environment: .production, at: at(moment), rules: rules(trust))
    }

    // MARK: Granting access

    @Test func `an unsigned renewal grants nothing until it is confirmed`() throws {
        let facts = try merged([(Self.bought, true), (Self.renewed, false)])
        let waiting = answer(facts, .confirm, at: 45 * day)
        #expect(waiting.active.isEmpty)
        #expect(waiting.grants.map(\.state) == ["EXPIRED"])
        #expect(waiting.grants.map(\.awaitsConfirmation) == [true])
        #expect(waiting.grants.map(\.trust) == [.signed])
        #expect(facts.legacyQuestion?.due == at(30 * day))

        var confirmed = facts
        confirmed.merge(try #require(try Self.renewed.facts()))
        let after = answer(confirmed, .confirm, at: 45 * day)
        #expect(after.active == ["monthly"] && after.trust == .signed)
        #expect(after.grants.map(\.awaitsConfirmation) == [false])
        #expect(!confirmed.hasUnsettledLegacy)
    }

    @Test func `an unsigned purchase is shown as unconfirmed`() throws {
        let facts = try merged([(Self.bought, false)])
        let waiting = answer(facts, .confirm, at: day)
        #expect(waiting.active.isEmpty)
        let grant = try #require(waiting.grants.first)
        #expect(grant.state == "UNCONFIRMED" && !grant.isEntitled && grant.until == nil)
        #expect(grant.trust == .sharedSecret && grant.awaitsConfirmation && grant.transactionId.rawValue == "1")
        // The unconfirmed purchase did not affect the decision.
        #expect(waiting.trust == .signed)
    }

    @Test func `with accept, an unsigned renewal applies, and the answer contains the trust`() throws {
        let facts = try merged([(Self.bought, true), (Self.renewed, false)])
        let accepted = answer(facts, .accept, at: 45 * day)
        #expect(accepted.active == ["monthly"] && accepted.trust == .sharedSecret)
        #expect(accepted.grants.map(\.transactionId.rawValue) == ["2"])
        #expect(accepted.grants.map(\.awaitsConfirmation) == [false])
        // A statement that agrees with the signed facts does not affect the decision.
        #expect(answer(try merged([(Self.bought, true), (Self.bought, false)]), .accept, at: day).trust == .signed)
    }

    @Test func `with observe, an unsigned notification changes no answer`() throws {
        let signed = try merged([(Self.bought, true)])
        let both = try merged([(Self.bought, true), (Self.renewed, false)])
        let over = Notification(.expired, signed: 10 * day, status: .revoked, renewalInfo: renewal(0))
        let lowered = try merged([(Self.bought, true), (over, false)])
        for days: Int64 in [0, 10, 29, 31, 45, 70] {
            let expected = answer(signed, .observe, at: days * day)
            #expect(answer(both, .observe, at: days * day) == expected)
            #expect(answer(lowered, .observe, at: days * day) == expected)
        }
        #expect(answer(try merged([(Self.bought, false)]), .observe, at: day).grants.isEmpty)
    }

    // MARK: Removing access

    @Test func `an unsigned revocation has no effect until Apple signs it, except with accept`()
        throws
    {
        let uploaded = Notification(.subscribed, signed: 0, transaction: period("1", from: 0, to: 30 * day))
        let revoked = Notification(
            .revoke, signed: 5 * day, status: .revoked,
            transaction: period("1", from: 0, to: 30 * day).with("revocationDate", date: 5 * day),
            renewalInfo: renewal(0))
        let facts = try merged([(uploaded, true), (revoked, false)])
        let waiting = answer(facts, .confirm, at: 6 * day)
        #expect(waiting.active == ["monthly"] && waiting.trust == .signed)
        #expect(waiting.grants.map(\.awaitsConfirmation) == [true])
        let accepted = answer(facts, .accept, at: 6 * day)
        #expect(accepted.active.isEmpty && accepted.trust == .sharedSecret)
        #expect(accepted.grants.map(\.state) == ["REVOKED"])
        // After seven days of queries without confirmation, the statement is ignored.
        var settled = facts
        settled.setLegacyAside(facts.unsettledLegacyIds)
        #expect(answer(settled, .accept, at: 6 * day).active == ["monthly"] && !settled.hasUnsettledLegacy)
        // A repetition is also ignored.
        settled.merge(facts)
        #expect(answer(settled, .accept, at: 6 * day).active == ["monthly"])
    }

    @Test func `a status computed from version 1 is not a fact`() throws {
        let revoked = Notification(.revoke, signed: 5 * day, status: .revoked, renewalInfo: renewal(0))
        let facts = try merged([(Self.bought, true), (revoked, false)])
        for trust in LegacyTrust.allCases { #expect(answer(facts, trust, at: 6 * day).active == ["monthly"]) }
    }

    @Test func `an unsigned cancellation revokes a signed transaction only with accept`() throws {
        let revoked = Notification(
            .refund, signed: 9 * day, status: .revoked,
            transaction: period("1", from: 0, to: 30 * day).with("revocationDate", date: 8 * day),
            renewalInfo: renewal(0))
        let facts = try merged([(Self.bought, true), (revoked, false)])
        for trust in [LegacyTrust.confirm, .observe] {
            let answer = answer(facts, trust, at: 10 * day)
            #expect(answer.active == ["monthly"], "\(trust)")
            #expect(answer.grants.map(\.willRenew) == [true])
        }
        let accepted = answer(facts, .accept, at: 10 * day)
        #expect(accepted.active.isEmpty && accepted.grants.map(\.willRenew) == [false])
        // Apple is still queried.
        #expect(facts.legacyQuestion?.due == at(9 * day))
    }

    /// app-store.md 12.4 rule 1a: a cancellation takes precedence, the latest end applies, and everything else is
    /// unchanged.
    @Test func `a later unsigned end does not undo a signed revocation`() throws {
        let refunded = Notification(
            .refund, signed: 10 * day, status: .revoked,
            transaction: period("1", from: 0, to: 30 * day).with("revocationDate", date: 9 * day),
            renewalInfo: renewal(0))
        let extended = Notification(
            .renewalExtended, signed: 20 * day, transaction: period("1", from: 0, to: 40 * day), renewalInfo: renewal(1)
        )
        let facts = try merged([(Self.bought, true), (refunded, true), (extended, false)])
        for days: Int64 in [21, 35, 41] {
            let answer = answer(facts, .accept, at: days * day)
            #expect(answer.active.isEmpty, "day \(days)")
            #expect(answer.grants.map(\.state) == ["REVOKED"], "day \(days)")
        }
        // A later end applies if the transaction was not refunded.
        let kept = try merged([(Self.bought, true), (extended, false)])
        #expect(answer(kept, .accept, at: 35 * day).active == ["monthly"])
    }

    /// app-store.md 12.4 rule 2a: an answer settles everything known at the time of the query, not only what differed
    /// from Apple's statement at that time.
    @Test func `an answer from Apple also settles an earlier body that agreed with the signed facts`() throws {
        let off = Notification(
            .didChangeRenewalStatus, .autoRenewDisabled, signed: day, status: .active,
            transaction: period("1", from: 0, to: 30 * day), renewalInfo: renewal(0))
        let told = Notification(
            .didChangeRenewalStatus, signed: 2 * day, transaction: period("1", from: 0, to: 30 * day),
            renewalInfo: renewal(0))
        var facts = try merged([(off, true), (told, false)])
        #expect(!facts.hasUnsettledLegacy)
        let on = Notification(
            .didChangeRenewalStatus, .autoRenewEnabled, signed: 2 * day + 60_000, status: .active,
            transaction: period("1", from: 0, to: 30 * day), renewalInfo: renewal(1))
        var answer = try #require(try on.facts())
        answer.settleLegacy(facts.answeredLegacyIds)
        facts.merge(answer)
        #expect(!facts.hasUnsettledLegacy)
        #expect(self.answer(facts, .accept, at: 30 * day + 60_000).grants.map(\.state) == ["RENEWING"])
    }

    @Test func `a version 1 notification older than the signed facts changes nothing and causes no query`() throws {
        let signed = try merged([(Self.bought, true), (Self.renewed, true)])
        var both = signed
        let old = Notification(
            .didFailToRenew, signed: 29 * day, status: .billingRetry, transaction: period("1", from: 0, to: 30 * day),
            renewalInfo: renewal().with("isInBillingRetryPeriod", true))
        var first = signed
        first.merge(try #require(try Self.bought.facts(isSigned: false)))
        both.merge(try #require(try old.facts(isSigned: false)))
        for trust in LegacyTrust.allCases {
            #expect(answer(first, trust, at: 45 * day) == answer(signed, trust, at: 45 * day))
        }
        #expect(!first.hasUnsettledLegacy)
        #expect(both.state(at: at(45 * day)) == signed.state(at: at(45 * day)))
        #expect(answer(both, .confirm, at: 45 * day).active == ["monthly"])
    }

    // MARK: One-time purchases

    @Test func `an unsigned one-time purchase is owned if accepted or confirmed`() throws {
        let bought = Notification(
            .oneTimeCharge, signed: 0,
            transaction: [
                "transactionId": "1", "originalTransactionId": "1", "type": "Non-Consumable", "productId": "thing",
                "purchaseDate": .integer(at(0).millisecondsSince1970),
            ])
        let facts = try merged([(bought, false)])
        let waiting = answer(facts, .confirm, at: day)
        #expect(waiting.active.isEmpty && waiting.grants.map(\.state) == ["UNCONFIRMED"])
        #expect(answer(facts, .accept, at: day).active == ["thing"])
        #expect(answer(facts, .accept, at: day).trust == .sharedSecret)
        #expect(answer(facts, .observe, at: day).grants.isEmpty)
        #expect(answer(try merged([(bought, false), (bought, true)]), .confirm, at: day).active == ["thing"])
    }

    @Test func `unsigned units are counted if accepted`() throws {
        let coins = Notification(
            .oneTimeCharge, signed: 0,
            transaction: [
                "transactionId": "1", "originalTransactionId": "1", "type": "Consumable", "productId": "coins",
                "purchaseDate": .integer(at(0).millisecondsSince1970), "quantity": 3,
            ])
        let facts = try merged([(coins, false)])
        #expect(answer(facts, .confirm, at: day).balances.isEmpty)
        #expect(answer(facts, .observe, at: day).balances.isEmpty)
        #expect(answer(facts, .accept, at: day).balances.map(\.creditedUnits) == [3])
        #expect(answer(facts, .accept, at: day).trust == .sharedSecret)
    }

    // MARK: Accounts

    @Test func `the account in a version 1 notification applies only without signed facts`() throws {
        let named = Notification(
            .didRenew, signed: 30 * day,
            transaction: period("2", from: 30 * day, to: 60 * day).with("appAccountToken", "x"))
        #expect(try merged([(named, false)]).appAccountToken == AppAccountToken("x"))
        #expect(try merged([(Self.bought, true), (named, false)]).appAccountToken == nil)
    }

    // MARK: Format

    @Test func `the stored JSON contains the trust in compact form`() throws {
        var facts = try merged([(Self.bought, false), (Self.renewed, false)])
        facts.settleLegacy(try #require(try merged([(Self.bought, false)]).legacyQuestion).ids)
        #expect(
            String(decoding: facts.jsonText, as: UTF8.self)
                == #"{"formatVersion":2,"environment":"Production","bundleId":"com.example","originalTransactionId":"1","#
                // The number encodes the first bytes of "SUBSCRIBED-0".
                + #""legacy":{"confirmed":[[1767225600000,6004778603547609410]],"#
                + #""renewalInfo":{"autoRenewProductId":"monthly","#
                + #""autoRenewStatus":1,"signedDate":1769817600000,"trust":"shared-secret","#
                + #""notificationUUID":"DID_RENEW-2592000000"},"renewalOrder":[1769817600000,1769817600000],"#
                + #""traits":[{"productId":"monthly","#
                + #""type":"Auto-Renewable Subscription","quantity":1}],"#
                + #""transactions":"C.A.zbttVAA.E0_ZAA.A.FNVQlNDUklC..B,C.A.E0_ZAA.=.A.ERJRF9SRU5F..B,","#
                + #""eventKinds":[["SUBSCRIBED","INITIAL_BUY"],["DID_RENEW"]],"#
                + #""events":"A.zbttVAA.*U1VCU0NSSUJFRC0w.C.C.B,B.E0_ZAA.*RElEX1JFTkVXLTI1OTIwMDAwMDA.C.C.B,"}}"#)
        #expect(try PurchaseFacts(json: facts.jsonText) == facts)
        let published = try #require(facts.published(at: at(31 * day), rules: rules(.confirm)).value)
        #expect(try PurchaseFacts(published: published) == facts)
        let object = try #require(try JSONValue(json: published).object)
        #expect(object["awaitsConfirmation"] == true && object["trust"] == nil)
        let accepted = try #require(facts.published(at: at(31 * day), rules: rules(.accept)).value)
        let other = try #require(try JSONValue(json: accepted).object)
        #expect(other["awaitsConfirmation"] == nil && other["trust"] == "shared-secret")
    }

    @Test func `an unsigned statement among the signed ones of a stored row is dropped`() throws {
        let text =
            #"{"formatVersion":2,"environment":"Production","bundleId":"com.example","originalTransactionId":"1","#
            + #""latestTransaction":{"transactionId":"1","signedDate":1,"trust":"shared-secret"},"#
            + #""status":{"status":1,"signedDate":1,"trust":"shared-secret"},"#
            + #""traits":[{"productId":"monthly"}],"transactions":"C.A.zbttVAA.E0_ZAA.A...B,","#
            + #""eventKinds":[["DID_RENEW"]],"events":"A.zbttVAA....B,"}"#
        let facts = try PurchaseFacts(json: Array(text.utf8))
        #expect(facts.transactions.isEmpty && facts.status == nil && facts.events.isEmpty)
        #expect(facts.latestTransaction == nil && !facts.hasSignedFacts)
        let reversed = text.replacing(#""status":{"#, with: #""legacy":{"status":{"#)
            .replacing(#""trust":"shared-secret"},"traits""#, with: #""trust":"signed"}},"traits""#)
        #expect(try PurchaseFacts(json: Array(reversed.utf8)).legacy == nil)
    }

    @Test func `an erasure also drops unsigned facts, and a row at all limits remains small`() throws {
        var facts = try merged([(Self.bought, false)])
        facts.settleLegacy(try #require(facts.legacyQuestion).ids)
        facts.erase(upTo: facts.latestSignedDate)
        #expect(facts.isErased && facts.legacy == nil)
        var full = try merged([(Self.bought, true)])
        for index in Int64(0)..<200 {
            let day = index * 7 * day
            let notification = Notification(
                .didRenew, signed: day, uuid: String(repeating: "\(index % 10)", count: 64), status: .active,
                transaction: period("20000000000\(index)", from: day, to: day + 7 * 86_400_000)
                    .with("appAccountToken", "7e3fb204-2d5b-4a5c-8f1e-0a1b2c3d4e5f"),
                renewalInfo: renewal())
            full.merge(try #require(try notification.facts(isSigned: index % 2 == 0)))
        }
        #expect(full.legacy?.transactions.count == 16 && full.legacy?.events.count == 8)
        #expect(full.transactions.count == 24)
        #expect(try #require(full.published(at: at(day), rules: rules(.confirm)).value).count <= 8192)
    }

    @Test func `unsigned facts evict no signed facts`() throws {
        var full = try merged([(Self.bought, true)])
        let signed = full
        for index in Int64(0)..<40 {
            let forged = Notification(
                .didRenew, signed: day + index, uuid: "f\(index)", status: .active,
                transaction: period("9\(index)", from: 1000 * day, to: 2000 * day))
            full.merge(try #require(try forged.facts(isSigned: false)))
        }
        #expect(full.transactions == signed.transactions && full.events == signed.events)
    }
}
