import AppStoreModel
import Testing

@testable import RefundRules

extension AppStoreInstant {
    /// 2026-01-01T00:00:00Z.
    static let requested = AppStoreInstant(clampingMillisecondsSince1970: 1_767_225_600_000)

    func earlier(days: Int64) -> AppStoreInstant { advanced(byMilliseconds: -days * 86_400_000) }
}

extension RefundFacts {
    /// Returns a consumable for 4.99 EUR, bought ten days before the request.
    static func consumable(_ change: (inout RefundFacts) -> Void = { _ in }) -> RefundFacts {
        var facts = RefundFacts(
            environment: .production, bundleId: BundleId("com.example.app"), transactionId: TransactionId("49571273"),
            requestedAt: .requested)
        facts.originalTransactionId = OriginalTransactionId("49571273")
        facts.productId = ProductId("com.example.coins.100")
        facts.productType = .consumable
        facts.price = 4990
        facts.currency = "EUR"
        facts.quantity = 1
        facts.purchaseDate = AppStoreInstant.requested.earlier(days: 10)
        facts.inAppOwnershipType = .purchased
        facts.consumptionRequestReason = .unintendedPurchase
        change(&facts)
        return facts
    }

    static func subscription(_ change: (inout RefundFacts) -> Void = { _ in }) -> RefundFacts {
        consumable {
            $0.productId = ProductId("com.example.pro.monthly")
            $0.productType = .autoRenewableSubscription
            $0.expiresDate = AppStoreInstant.requested.earlier(days: -20)
            change(&$0)
        }
    }
}

extension ConsumptionFacts {
    /// Returns the facts that every answer requires, with consent.
    static func consented(_ change: (inout ConsumptionFacts) -> Void = { _ in }) -> ConsumptionFacts {
        var facts = ConsumptionFacts()
        facts.customerConsented = true
        facts.deliveryStatus = .delivered
        facts.sampleContentProvided = false
        change(&facts)
        return facts
    }
}

extension RefundRules {
    /// Decides by the rules, and by the response of the company's service if given.
    func decide(_ facts: RefundFacts, _ service: ConsumptionFacts?) -> RefundDecision {
        decide(facts, CompanyWords(service: service))
    }
}

extension RefundDecision {
    static func of(_ outcome: RefundOutcome, _ consumption: ConsumptionFacts = .consented()) -> RefundDecision {
        RefundDecision(source: .rule, rule: "test", outcome: outcome, consumption: consumption, rulesFingerprint: "")
    }
}

/// Parses rules from a text, like the file `rules.json`.
func rules(_ text: String) throws(RefundInputError) -> RefundRules {
    try RefundRules(json: Array(text.utf8), name: "rules.json")
}

/// Returns rules that consist of one rule with these conditions and a different default outcome.
func rules(when conditions: String) throws(RefundInputError) -> RefundRules {
    try rules(
        #"{"default":"noPreference","rules":[{"name":"one","when":{\#(conditions)},"outcome":"decline"}]}"#)
}
