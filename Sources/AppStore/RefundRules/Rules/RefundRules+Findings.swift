/// A defect in a rules file that can leave requests unanswered, or answered without a preference.
package struct RefundRulesFinding: Hashable, Sendable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        /// No request to which the rule applies is answered.
        case error
        /// Requests to which the rule applies are not answered, or are answered without a preference, unless the
        /// company's service or a preference supplies the missing data.
        case warning
    }

    package let severity: Severity
    /// The name of the rule, or nil for requests to which no rule applies.
    package let rule: String?
    /// One sentence, without a period, that includes the fix.
    package let message: String

    package var description: String { "rule \(rule ?? "default"): \(message)" }
}

extension RefundRules {
    /// Returns the defects of each rule and of the default: missing consent, missing members that Apple requires, and a
    /// prorated refund without a percentage.
    ///
    /// - Parameters:
    ///   - hasService: whether the company's service is called.
    ///   - hasPreferences: whether the company can record preferences.
    package func findings(hasService: Bool, hasPreferences: Bool) -> [RefundRulesFinding] {
        var findings: [RefundRulesFinding] = []
        for rule in rules {
            findings += missing(
                rule.name, rule.outcome, rule.consumption.merging(consumption), hasService || hasPreferences)
        }
        return findings + missing(nil, fallback, consumption, hasService || hasPreferences)
    }

    private func missing(
        _ rule: String?, _ outcome: RefundOutcome, _ facts: ConsumptionFacts, _ othersMaySay: Bool
    ) -> [RefundRulesFinding] {
        guard outcome != .doNotAnswer, facts.customerConsented != false else { return [] }
        var missing: [String] = []
        if facts.customerConsented == nil { missing.append("customerConsented") }
        if facts.deliveryStatus == nil { missing.append("deliveryStatus") }
        if facts.sampleContentProvided == nil { missing.append("sampleContentProvided") }
        var findings: [RefundRulesFinding] = []
        if !missing.isEmpty {
            let names = missing.joined(separator: ", ")
            let fix =
                othersMaySay
                ? "no answer is sent unless the service or a preference supplies the missing data"
                : "no answer will ever be sent; add the missing data under consumption, or set refunds.provider.url"
            findings.append(
                RefundRulesFinding(
                    severity: othersMaySay ? .warning : .error, rule: rule, message: "no value for \(names): \(fix)"))
        }
        if outcome == .grantProrated, facts.consumptionPercentage == nil {
            findings.append(
                RefundRulesFinding(
                    severity: .warning, rule: rule,
                    message: """
                        grantProrated requires consumptionPercentage for a product that is not a subscription; without \
                        it, no preference is sent
                        """))
        }
        return findings
    }
}
