import AppStoreModel
import EntitlementRules
import JSON

/// The rules' answers about a story. Statements are written as Apple's JSON and parsed the way a consumer does.
struct StoryAnswers {
    let story: AccessStory
    /// The policy for version 1 facts.
    var trust = LegacyTrust.confirm
    /// The facts of statements, parsed once and merged at many times.
    let facts = StatementFacts()

    var rules: ProductRules {
        var policy = SubscriptionPolicy()
        policy.renewalLeewayMilliseconds = story.settings.renewalLeeway
        policy.graceFallbackMilliseconds = story.settings.graceFallback
        policy.staleToleranceMilliseconds = story.settings.staleTolerance
        let item = ProductRule(entitlements: ["item"], units: 1, lengthDays: story.settings.passDays)
        return ProductRules(
            products: [ProductId("item"): item], subscriptions: policy,
            legacyTrust: LegacyTrustRules(others: trust))
    }

    /// Returns the final state after all arrivals, parsed from its stored form.
    func purchase() throws -> PurchaseFacts {
        var purchase = try purchase(story.statements)
        for body in story.version1 {
            if let facts = try body.facts(isSigned: false) { purchase.merge(facts) }
        }
        add(story.claim, to: &purchase)
        return try PurchaseFacts(json: purchase.jsonText)
    }

    private func add(_ claim: StatedClaim?, to purchase: inout PurchaseFacts) {
        guard let claim else { return }
        let former = claim.former.map { AppAccountToken(Self.token($0)) }
        purchase.insert(
            OwnerClaim(
                appAccountToken: AppAccountToken(Self.token(claim.account)), claimedAt: at(claim.claimed),
                transferredFrom: former))
    }

    /// Returns the appAccountToken of the purchase's owner.
    static func owner(of purchase: PurchaseFacts, at instant: Int64) -> String? {
        purchase.owner(at: at(instant))?.rawValue
    }

    /// Returns the appAccountToken of an account.
    static func token(_ account: String) -> String {
        "7e3fb204-2d5b-4a5c-8f1e-00000000000\(account.lowercased())"
    }

    /// Merges statements in the given order.
    func purchase(_ statements: [AppleStatement]) throws -> PurchaseFacts {
        var purchase = PurchaseFacts(
            environment: .production, bundleId: BundleId("com.example"),
            originalTransactionId: OriginalTransactionId("1"))
        for statement in statements {
            if let facts = try facts.facts(of: statement) { purchase.merge(facts) }
        }
        return purchase
    }

    /// Returns the read API's answer about one purchase, and the time from which the past is completely known.
    func answer(
        _ purchase: PurchaseFacts, at instant: Int64, view: EntitlementAnswer.View
    ) -> (answer: AccessAnswer?, knownSince: Int64?) {
        let all = EntitlementAnswer(
            purchases: [purchase], environment: .production, at: at(instant), rules: rules, view: view)
        let since = all.knownSince.map { $0.millisecondsSince1970 - at(0).millisecondsSince1970 }
        guard let grant = all.grants.first else {
            return (all.balances.first.map { units($0) }, since)
        }
        var answer = AccessAnswer(
            isEntitled: grant.isEntitled, state: grant.state, product: grant.productId.rawValue)
        if ["ACTIVE", "GRACE", "OWNED", "RETRY"].contains(grant.state) {
            answer.until = grant.until.map { $0.millisecondsSince1970 - at(0).millisecondsSince1970 }
        }
        answer.items = grant.isEntitled ? grant.skus : nil
        answer.seats = grant.isEntitled && grant.state != "OWNED" ? grant.seats : nil
        return (answer, since)
    }

    private func units(_ balance: UnitBalance) -> AccessAnswer {
        var answer = AccessAnswer(isEntitled: false, state: "CREDITED", product: balance.productId.rawValue)
        answer.credited = balance.creditedUnits
        answer.debited = balance.debitedUnits
        if balance.debitedUnits > 0 { answer.state = "PARTLY_REFUNDED" }
        if balance.debitedUnits == balance.creditedUnits { answer.state = "REFUNDED" }
        return answer
    }
}

/// The facts from the statements of one story, parsed from JSON once.
final class StatementFacts {
    private var known: [AppleStatement: PurchaseFacts?] = [:]

    func facts(of statement: AppleStatement) throws -> PurchaseFacts? {
        if let facts = known[statement] { return facts }
        let facts = try statement.facts()
        known[statement] = .some(facts)
        return facts
    }
}

extension AppleStatement {
    func facts(isSigned: Bool = true) throws -> PurchaseFacts? {
        guard let type else {
            return PurchaseFacts(
                environment: .production, bundleId: BundleId("com.example"),
                transaction: try transaction.map { try TransactionPayload(json: JSONValue.object($0.json).json) },
                renewalInfo: try renewal.map { try RenewalInfoPayload(json: JSONValue.object($0.json).json) },
                status: status.map { SubscriptionStatus(rawValue: Int32($0)) })
        }
        return try Notification(
            NotificationType(rawValue: type), subtype.map { Subtype(rawValue: $0) }, signed: signed,
            uuid: "\(type)-\(signed)", status: status.map { SubscriptionStatus(rawValue: Int32($0)) },
            transaction: transaction?.json, renewalInfo: renewal?.json
        ).facts(isSigned: isSigned)
    }
}

extension JSONObject {
    fileprivate mutating func set(_ name: String, date: Int64?) {
        if let date { self[name] = .integer(at(date).millisecondsSince1970) }
    }

    fileprivate mutating func set(_ name: String, _ number: Int64?) {
        if let number { self[name] = .integer(number) }
    }
}

extension StatedTransaction {
    /// The statement as Apple's JSON.
    var json: JSONObject {
        var object: JSONObject = [
            "transactionId": .string(id), "originalTransactionId": "1", "type": .string(type),
            "productId": .string(product), "inAppOwnershipType": .string(ownership), "quantity": .integer(quantity),
        ]
        object.set("purchaseDate", date: start)
        object.set("expiresDate", date: expires)
        object.set("signedDate", date: signed)
        object.set("revocationDate", date: revoked)
        object["revocationType"] = revocationType.map { .string($0) }
        object.set("revocationPercentage", revocationPercentage)
        object["transactionReason"] =
            type == Self.subscription ? .string(isRenewal ? "RENEWAL" : "PURCHASE") : nil
        object["appAccountToken"] = account.map { .string(StoryAnswers.token($0)) }
        if isUpgraded { object["isUpgraded"] = true }
        if isSeatAddition { object["additionalTransactionReason"] = "SEAT_ADDITION" }
        if revokedSeats > 0 { object["multiSeatInfo"] = .object(["revokedSeatQuantity": .integer(revokedSeats)]) }
        if !items.isEmpty {
            object["advancedCommerceInfo"] = .object(["items": .array(items.map { .object($0.json) })])
        }
        if let commitment {
            object["billingPlanType"] = "MONTHLY"
            var info: JSONObject = [
                "billingPeriodNumber": .integer(commitment.number), "totalBillingPeriods": .integer(commitment.total),
            ]
            info.set("commitmentExpiresDate", date: commitment.expires)
            object["commitmentInfo"] = .object(info)
        }
        return object
    }
}

extension StatedItem {
    /// The statement as Apple's JSON.
    var json: JSONObject {
        var object: JSONObject = ["SKU": .string(sku)]
        object.set("revocationDate", date: revoked)
        if isRefunded { object["refunds"] = [["refundType": "FULL", "refundReason": "OTHER", "refundAmount": 990]] }
        return object
    }
}

extension StatedRenewal {
    /// The statement as Apple's JSON.
    var json: JSONObject {
        var object: JSONObject = [
            "originalTransactionId": "1", "productId": .string(product), "autoRenewProductId": .string(nextProduct),
            "autoRenewStatus": .integer(autoRenews ? 1 : 0),
        ]
        object.set("renewalDate", date: renewalDate)
        object.set("signedDate", date: signed)
        object.set("gracePeriodExpiresDate", date: graceExpires)
        object.set("expirationIntent", intent)
        object["isInBillingRetryPeriod"] = isInRetry.map { .bool($0) }
        if let commitmentAutoRenews {
            object["renewalBillingPlanType"] = "MONTHLY"
            object["commitmentInfo"] = .object(["commitmentAutoRenewStatus": .integer(commitmentAutoRenews ? 1 : 0)])
        }
        return object
    }
}
