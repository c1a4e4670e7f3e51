// Refund rules: the rule that decides a case, the data sent to Apple, and the validation of responses of the company's
// service.

private let module = "AppStore/RefundRules/"
private let provider = "Services/Refunds/Provider/"
private let bounds = MutatedFile(
    .refund, "rules", module + "Rules/HalfOpenBounds.swift", suites: "RefundDecisionTests")
private let patterns = MutatedFile(
    .refund, "rules", module + "Rules/ProductPattern.swift", suites: "RefundDecisionTests|RefundRulesFileTests")
private let conditions = MutatedFile(
    .refund, "rules", module + "Rules/RefundConditions.swift", suites: "RefundDecisionTests")
private let rules = MutatedFile(
    .refund, "rules", module + "Rules/RefundRules.swift", suites: "RefundDecisionTests")
private let file = MutatedFile(
    .refund, "rules file", module + "Reading/RefundRules+File.swift", suites: "RefundRulesFileTests")
private let covering = MutatedFile(
    .refund, "rules file", module + "Rules/RefundConditions+Covering.swift", suites: "RefundConditionTests")
private let words = MutatedFile(
    .refund, "consent", module + "Facts/CompanyWords.swift", suites: "CompanyWordsTests")
private let preference = MutatedFile(
    .refund, "consent", module + "Facts/RefundPreference.swift", suites: "RefundPreferenceTests|CompanyWordsTests")
private let reading = MutatedFile(
    .refund, "rules file", module + "Reading/RefundConditions+Reading.swift", suites: "RefundRulesFileTests")
private let input = MutatedFile(
    .refund, "rules file", module + "Reading/RefundInput.swift", suites: "RefundRulesFileTests|ConsumptionFactsTests")
private let amounts = MutatedFile(
    .refund, "rules file", module + "Reading/AmountText.swift", suites: "RefundRulesFileTests|RefundDecisionTests")
private let answers = MutatedFile(
    .refund, "provider", module + "Reading/ConsumptionFacts+Reading.swift", suites: "ConsumptionFactsTests")
private let statement = MutatedFile(
    .refund, "consent", module + "Answer/ConsumptionStatement.swift",
    suites: "ConsumptionAnswerTests|CompanyWordsTests")
private let answer = MutatedFile(
    .refund, "body", module + "Answer/ConsumptionAnswer.swift", suites: "ConsumptionAnswerTests|CompanyWordsTests")
private let version2 = MutatedFile(
    .refund, "body", module + "Answer/ConsumptionBodyVersion2.swift", suites: "ConsumptionAnswerTests")
private let version1 = MutatedFile(
    .refund, "body", module + "Answer/ConsumptionBodyVersion1.swift", suites: "ConsumptionAnswerTests")
private let classes = MutatedFile(
    .refund, "body", module + "Answer/ConsumptionClass.swift", suites: "ConsumptionClassTests")
private let failures = MutatedFile(
    .refund, "provider", provider + "ProviderError.swift", suites: "ProviderTests")
private let settings = MutatedFile(
    .refund, "provider", provider + "ConsumptionProvider+Configuration.swift", suites: "ProviderTests")
private let request = MutatedFile(
    .refund, "provider", provider + "ProviderRequest.swift", suites: "ProviderTests")
private let reloaded = MutatedFile(
    .refund, "provider", "Platform/Configuration/ReloadedFile.swift", suites: "ProviderTests")
private let asking = MutatedFile(
    .refund, "provider", provider + "ConsumptionProvider.swift", suites: "ProviderTests")

enum RefundMutants {
    static let all: [Mutant] = [
        bounds.mutant("refund-from-inclusive", "number < from", "number <= from"),
        bounds.mutant("refund-to-exclusive", "number >= to", "number > to"),
        bounds.mutant("refund-unknown-number", "false", after: "guard let number else { return ", "true"),
        patterns.mutant("refund-product-star", #"!self.text.contains("*")"#, "true"),
        patterns.mutant(
            "refund-product-whole", "productId.rawValue.utf8.elementsEqual(text.utf8)",
            "productId.rawValue.utf8.starts(with: text.utf8)"),
        patterns.mutant(
            "refund-product-beginning", "productId.rawValue.utf8.starts(with: text.utf8)",
            "productId.rawValue.utf8.elementsEqual(text.utf8)"),
        patterns.mutant("refund-unknown-product", "false", after: "guard let productId else { return ", "true"),
        conditions.mutant(
            "refund-when-product", "!products.contains(where: { $0.matches(facts.productId) })", "false"),
        conditions.mutant("refund-when-type", "!Self.contains(productTypes, facts.productType)", "false"),
        conditions.mutant("refund-when-currency", "facts.currency != price.currency", "false"),
        conditions.mutant("refund-when-price", "!price.bounds.contains(facts.price)", "false"),
        conditions.mutant("refund-when-reason", "!Self.contains(reasons, facts.consumptionRequestReason)", "false"),
        conditions.mutant("refund-when-age", "!age.contains(facts.ageMilliseconds)", "false"),
        conditions.mutant("refund-when-earlier", "!earlierRefunds.contains(facts.earlierRefunds)", "false"),
        conditions.mutant(
            "refund-when-consumed", "!bounds.contains(consumption.consumptionPercentage)", "false"),
        conditions.mutant("refund-when-environment", "!environments.contains(facts.environment)", "false"),
        conditions.mutant("refund-when-app", "!bundleIds.contains(facts.bundleId)", "false"),
        conditions.mutant(
            "refund-unknown-value", "value.map(values.contains) ?? false", "value.map(values.contains) ?? true"),
        rules.mutant(
            "refund-first-rule", "rules.first { $0.conditions.hold(facts, company.merging(self.consumption)) }",
            "rules.last { $0.conditions.hold(facts, company.merging(self.consumption)) }"),
        rules.mutant("refund-consumption-of-file", "company.merging(self.consumption)", "company"),
        rules.mutant(
            "refund-consumption-order", "company.merging(rule?.consumption).merging(self.consumption)",
            "company.merging(self.consumption).merging(rule?.consumption)"),
        rules.mutant(
            "refund-outcome-of-company", "company.outcome ?? rule?.outcome ?? fallback",
            "rule?.outcome ?? company.outcome ?? fallback"),

        file.mutant("refund-names-differ", "!rules.contains(where: { $0.name == rule.name })", "true"),
        file.mutant(
            "refund-unreachable-rule", "rules.first(where: { $0.conditions.cover(rule.conditions) })",
            "rules.first(where: { _ in false })"),
        covering.mutant("refund-bounds-cover", "other.from.map({ $0 < from }) ?? true", "false"),
        covering.mutant("refund-contradiction", "ownerships.isSubset(of: [.familyShared, .assigned])", "false"),
        file.mutant("refund-name-default", "text != Member.fallback", "true"),
        reading.mutant("refund-empty-bounds", "from >= to", "false"),
        reading.mutant("refund-no-bounds", "bounds.from != nil || bounds.to != nil", "true"),
        reading.mutant("refund-known-values", "value.isKnown ? value : nil", "value"),
        input.mutant(
            "refund-unknown-member", "known.contains(found.name)", after: "let value = RefundInput(", "true"),
        input.mutant("refund-number-range", "range.contains(value)", "true"),
        input.mutant(
            "refund-line", #"1 + bytes.prefix(max(0, offset)).count { $0 == UInt8(ascii: "\n") }"#, "1"),
        amounts.mutant("refund-percent-limit", "value <= 100_000", "true"),
        amounts.mutant("refund-amount-decimals", "digits(parts[1], 1...3)", "digits(parts[1], 1...4)"),

        words.mutant("consent-any-no", "!all.contains(false)", "true"),
        words.mutant("consent-rescinded", "facts.consentRescindedAt", "nil"),
        words.mutant(
            "consent-later", "words.preference?.isConsent(after: moment) == true", "words.preference?.consent == true"),
        preference.mutant("consent-withdrawn", "isWithdrawn ? false : consent", "consent"),
        preference.mutant(
            "consent-merged-no",
            "[first.consent, second.consent].contains(false) ? false : first.consent ?? second.consent",
            "first.consent ?? second.consent"),
        statement.mutant("consent-required", "consumption.customerConsented == true", "true"),
        statement.mutant(
            "consent-unknown", "consumption.customerConsented == true", "consumption.customerConsented != false"),
        statement.mutant("refund-not-answered", "decision.outcome != .doNotAnswer", "true"),
        statement.mutant("refund-held", "decision.outcome != .hold", "true"),
        answer.mutant("refund-type-supported", "type != .autoRenewableSubscription", "true"),
        answer.mutant("refund-form", "facts.isAdvancedCommerce ? .version1 : .version2", ".version2"),
        version2.mutant("refund-percentage-subscription", "type != .autoRenewableSubscription", "true"),
        version2.mutant("refund-percentage-new-type", "type.isKnown", "true"),
        version2.mutant("refund-percentage-range", "(0...wholePercentage).contains(percentage)", "true"),
        version2.mutant(
            "refund-percentage-undelivered", "statement.deliveryStatus == .delivered || percentage == 0", "true"),
        version2.mutant("refund-prorated-of-unused", "$0 > 0", "true"),
        version2.mutant("refund-prorated-of-used", "$0 < wholePercentage", "true"),
        version2.mutant(
            "refund-prorated-subscription", "facts.productType == .autoRenewableSubscription || isDivisible",
            "isDivisible"),
        version1.mutant("refund-prorated-version-1", "(nil, .proratedInVersion1)", "(1, nil)"),
        version1.mutant("refund-token", "token.isWellFormed", "true"),
        version1.mutant("refund-consumed-wholly", "percentage >= 100_000", "false"),
        classes.mutant("refund-class-bounds", "$0 <= value", "$0 < value"),

        answers.mutant("provider-consent", "members[Member.customerConsented] != nil", "true"),
        failures.mutant("provider-unavailable", ".unavailable", after: "500...599: code = ", ".refused"),
        failures.mutant("provider-settings", ".settings", after: "421, 426: code = ", ".refused"),
        failures.mutant(
            "provider-silence", "false", after: "case .settings, .refused, .malformed, .tooLong: ", "true"),
        settings.mutant(
            "provider-insecure",
            "parts.isEncrypted || parts.isLoopback || configuration[RefundsSettings.providerInsecure]", "true"),
        settings.mutant("provider-user", "!parts.hasUser", "true"),
        request.mutant("provider-id", "SHA256.digest(of: body).hex.prefix(32)", #""0""#),
        asking.mutant("provider-timestamp", "clocks.wallMilliseconds() / 1000", "0"),
        asking.mutant("provider-status", "ProviderError(status: response.status)", "nil"),
        reloaded.mutant("reload-interval", "now &- state.checkedAt >= Self.interval", "true"),
        reloaded.without("reload-value", "state.value = try make(bytes)"),
    ]
}
