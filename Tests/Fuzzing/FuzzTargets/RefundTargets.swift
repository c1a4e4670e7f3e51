import AppStoreModel
import JSON
import RefundRules

extension FuzzTarget {
    /// Parses a rules file. It is accepted, or rejected with a line number. Accepted rules decide every case
    /// deterministically, and Apple would accept the resulting request.
    static let refundRules = FuzzTarget(
        "refund-rules", seeds: RefundSeeds.rules, tokens: RefundSeeds.tokens, maximumBytes: 1024
    ) { bytes throws(Violation) in
        let rules: RefundRules
        do throws(RefundInputError) {
            rules = try RefundRules(json: bytes, name: "file")
        } catch {
            return try holdIsPlain(error, bytes)
        }
        try hold(rules == (try? RefundRules(json: bytes, name: "file")), "read again other rules")
        try hold(rules.fingerprint.utf8.count == 16, "a fingerprint of \(rules.fingerprint)")
        try hold(Set(rules.names).count == rules.names.count, "two rules of one name")
        for facts in RefundSeeds.cases {
            for consumption in RefundSeeds.consumptions {
                let words = CompanyWords(service: consumption)
                let decision = rules.decide(facts, words)
                try hold(decision == rules.decide(facts, words), "decided again otherwise")
                try hold(decision.rule.map(rules.names.contains) ?? true, "decided by an unknown rule")
                if let consumption { try hold(isKept(consumption, in: decision), "the company is not asked first") }
                try AppleConsumptionReader.check(facts, decision)
            }
        }
    }

    /// Parses the response of a company's service. If it is accepted, the decision preserves its values, and Apple
    /// would accept the resulting request in every case.
    static let refundAnswer = FuzzTarget(
        "refund-answer", seeds: RefundSeeds.answers, tokens: RefundSeeds.tokens, maximumBytes: 512
    ) { bytes throws(Violation) in
        let answer: ConsumptionFacts
        do throws(RefundInputError) {
            answer = try ConsumptionFacts.answer(bytes, name: "answer").facts
        } catch {
            return try holdIsPlain(error, bytes)
        }
        try hold(answer == (try? ConsumptionFacts.answer(answer.json, name: "kept").facts), "kept as another answer")
        for facts in RefundSeeds.cases {
            try AppleConsumptionReader.check(facts, RefundRules.none.decide(facts, CompanyWords(service: answer)))
        }
    }

    /// Checks that an error is one short line with a valid line number.
    private static func holdIsPlain(_ error: RefundInputError, _ bytes: [UInt8]) throws(Violation) {
        let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
        try hold((1...lines).contains(error.line), "line \(error.line) of \(lines)")
        let text = error.description
        try hold(!text.isEmpty && text.utf8.count < 2000, "an error of \(text.utf8.count) bytes")
        try hold(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "an error with control characters")
    }

    private static func isKept(_ company: ConsumptionFacts, in decision: RefundDecision) -> Bool {
        let decided = decision.consumption
        // If the company refuses consent, the refusal is kept. A rule may overrule its consent.
        return (company.customerConsented != false || decided.customerConsented == false)
            && (company.deliveryStatus == nil || decided.deliveryStatus == company.deliveryStatus)
            && (company.outcome == nil || decision.outcome == company.outcome)
    }
}

/// Validates a consumption body against Apple's documentation, independently of the code that built it.
enum AppleConsumptionReader {
    private static let version2 = [
        "customerConsented", "deliveryStatus", "sampleContentProvided", "consumptionPercentage", "refundPreference",
    ]
    /// The members, each with its maximum number; nil for other types.
    private static let version1: [(name: String, greatest: Int64?)] = [
        ("customerConsented", nil), ("consumptionStatus", 3), ("platform", 2), ("sampleContentProvided", nil),
        ("deliveryStatus", 5), ("appAccountToken", nil), ("accountTenure", 7), ("playTime", 7),
        ("lifetimeDollarsRefunded", 7), ("lifetimeDollarsPurchased", 7), ("userStatus", 4), ("refundPreference", 3),
    ]

    static func check(_ facts: RefundFacts, _ decision: RefundDecision) throws(Violation) {
        let isAllowed =
            decision.consumption.customerConsented == true && decision.outcome != .doNotAnswer
            && decision.outcome != .hold && facts.inAppOwnershipType != .familyShared
            && facts.inAppOwnershipType != .assigned
        guard let answer = try? ConsumptionAnswer(facts, decision) else {
            return try hold(
                !isAllowed || decision.consumption.deliveryStatus == nil
                    || decision.consumption.sampleContentProvided == nil, "no body where one is due")
        }
        try hold(isAllowed, "a body although none is allowed")
        guard let body = try? JSONValue(json: answer.body).object else { throw Violation("a body that is no object") }
        try hold(body["customerConsented"] == true, "a body without consent")
        try hold(body["sampleContentProvided"]?.bool != nil, "no sampleContentProvided")
        switch answer.form {
        case .version1: try checkVersion1(body, facts)
        case .version2: try checkVersion2(body, facts)
        }
    }

    private static func checkVersion1(_ body: JSONObject, _ facts: RefundFacts) throws(Violation) {
        try hold(facts.isAdvancedCommerce, "version 1 without Advanced Commerce")
        try hold(body.names == version1.map(\.name).filter { body[$0] != nil }, "unknown members, or another order")
        for (name, greatest) in version1 where name != "refundPreference" || body[name] != nil {
            guard let greatest else { continue }
            try hold(body[name]?.integer.map { (0...greatest).contains($0) } ?? false, "\(name) has an invalid number")
        }
        let token = body["appAccountToken"]?.string
        try hold(token.map { $0.isEmpty || AppAccountToken($0).isWellFormed } ?? false, "appAccountToken is not a UUID")
    }

    private static func checkVersion2(_ body: JSONObject, _ facts: RefundFacts) throws(Violation) {
        try hold(!facts.isAdvancedCommerce, "version 2 with Advanced Commerce")
        try hold(body.names == version2.filter { body[$0] != nil }, "unknown members, or another order")
        let isSubscription = facts.productType == .autoRenewableSubscription
        let percentage = body["consumptionPercentage"]
        try hold(!isSubscription || percentage == nil, "a percentage of a subscription (4000209)")
        if let percentage {
            let range: ClosedRange<Int64> = body["deliveryStatus"] == "DELIVERED" ? 0...100_000 : 0...0
            try hold(percentage.integer.map(range.contains) ?? false, "a percentage out of range")
        }
        guard let preference = body["refundPreference"]?.string else { return }
        try hold(["DECLINE", "GRANT_FULL", "GRANT_PRORATED"].contains(preference), "preference \(preference)")
        if preference == "GRANT_PRORATED", !isSubscription {
            try hold(percentage?.integer.map { (1...99_999).contains($0) } ?? false, "prorated without a percentage")
        }
    }
}

enum RefundSeeds {
    static let rules: [[UInt8]] = [
        #"{"default":"noPreference"}"#,
        """
        {"$schema":"s","default":"decline","consumption":{"customerConsented":true,"deliveryStatus":"DELIVERED",
         "sampleContentProvided":true,"consumptionPercentage":50000},
         "rules":[{"name":"a","when":{"product":["com.example.coins.*","b"],"productType":["Consumable"],
          "price":{"currency":"EUR","from":"0.99","to":"20"},"reason":["UNINTENDED_PURCHASE","OTHER"],
          "age":{"from":"1h","to":"14d"}},"outcome":"grantFull"},
          {"name":"b","when":{"earlierRefunds":{"from":1,"to":9},"consumptionPercentage":{"from":"10%","to":"99.5%"},
          "environment":["Production"],"bundleId":["com.example.app"]},"outcome":"grantProrated",
          "consumption":{"platform":"APPLE","userStatus":"ACTIVE","consumptionStatus":"NOT_CONSUMED"}}]}
        """,
        """
        {"default":"grantProrated","consumption":{"customerConsented":true,"deliveryStatus":"UNDELIVERED_OTHER",
         "sampleContentProvided":false,"consumptionPercentage":1,"accountTenureDays":3,"playTimeMinutes":5,
         "lifetimePurchasedCents":4999,"lifetimeRefundedCents":0},"rules":[{"name":"all","outcome":"doNotAnswer"}]}
        """,
    ].map { Array($0.utf8) }

    static let answers: [[UInt8]] = [
        #"{"customerConsented":false}"#,
        #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true,"outcome":"decline"}"#,
        """
        {"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,
         "consumptionPercentage":33333,"consumptionStatus":"PARTIALLY_CONSUMED","platform":"NON_APPLE",
         "accountTenureDays":400,"playTimeMinutes":23040,"lifetimePurchasedCents":200000,"lifetimeRefundedCents":1,
         "userStatus":"SUSPENDED","outcome":"grantProrated"}
        """,
        """
        {"customerConsented":true,"deliveryStatus":"UNDELIVERED_WRONG_ITEM","sampleContentProvided":false,
         "consumptionPercentage":100000,"outcome":"grantProrated"}
        """,
    ].map { Array($0.utf8) }

    static let tokens = [
        "{", "}", "[", "]", ":", ",", "\"", "null", "true", "false", "0", "1", "100000", "100001", "-1", "1e5", "0.5",
        "\"customerConsented\"", "\"deliveryStatus\"", "\"DELIVERED\"", "\"UNDELIVERED_OTHER\"",
        "\"sampleContentProvided\"", "\"consumptionPercentage\"", "\"outcome\"", "\"grantProrated\"", "\"decline\"",
        "\"noPreference\"", "\"doNotAnswer\"", "\"name\"", "\"when\"", "\"default\"", "\"rules\"", "\"from\"", "\"to\"",
        "\"14d\"", "\"50%\"", "\"4.99\"", "9223372036854775808", "*", "\\u0000", "\\u202e", "é", "\n",
    ]

    static let consumptions: [ConsumptionFacts?] = {
        var refused = ConsumptionFacts()
        refused.customerConsented = false
        var consented = ConsumptionFacts()
        consented.customerConsented = true
        consented.deliveryStatus = .delivered
        consented.consumptionPercentage = 40_000
        var beyond = consented
        beyond.consumptionPercentage = .max
        beyond.outcome = .grantProrated
        beyond.playTimeMinutes = .min
        return [nil, refused, consented, beyond]
    }()

    /// One case of every kind, and one case with as few facts as possible.
    static let cases: [RefundFacts] = {
        let least = RefundFacts(
            environment: .production, bundleId: BundleId("com.example.app"), transactionId: TransactionId("1"),
            requestedAt: AppStoreInstant(clampingMillisecondsSince1970: 1_767_225_600_000))
        var consumable = least
        consumable.productId = ProductId("com.example.coins.100")
        consumable.productType = .consumable
        consumable.price = 4990
        consumable.currency = "EUR"
        consumable.purchaseDate = least.requestedAt.advanced(byMilliseconds: -86_400_000)
        consumable.consumptionRequestReason = .unintendedPurchase
        consumable.earlierRefunds = 2
        var subscription = consumable
        subscription.productType = .autoRenewableSubscription
        subscription.price = .max
        subscription.purchaseDate = .latest
        var advanced = subscription
        advanced.isAdvancedCommerce = true
        advanced.appAccountToken = AppAccountToken("7389a31a-fb6d-4569-a2a6-db7d85d84813")
        var nameless = advanced
        nameless.appAccountToken = AppAccountToken("customer \"7\"\n")
        nameless.purchaseDate = .earliest
        nameless.requestedAt = .latest
        var family = consumable
        family.inAppOwnershipType = .familyShared
        return [least, consumable, subscription, advanced, nameless, family]
    }()
}
