internal import Cryptography

extension RefundRules {
    /// The member names. These names are a contract.
    private enum Member {
        static let schema = "$schema"
        static let rules = "rules"
        static let fallback = "default"
        static let consumption = "consumption"
        static let name = "name"
        static let when = "when"
        static let outcome = "outcome"
    }

    package static let maximumBytes = 1 << 20
    /// The maximum number of rules. The number is limited because the names of the rules are metric labels.
    package static let maximumRules = 200

    /// Parses a rules file. Its JSON Schema is `deploy/refund-rules.schema.json`.
    ///
    /// - Parameter name: the name of the file, for errors.
    /// - Throws: the first error, with the file, line, member and allowed values.
    package init(json: [UInt8], name: String) throws(RefundInputError) {
        let file = try RefundInput(json: json, name: name, maximumBytes: Self.maximumBytes)
        let members = try file.members([Member.schema, Member.fallback, Member.consumption, Member.rules])
        _ = try members[Member.schema]?.text("the address of the JSON Schema") { $0 }
        guard let fallback = members[Member.fallback] else {
            throw file.error("\(Member.fallback) is missing; it is the outcome when no rule applies")
        }
        self.init(
            rules: try members[Member.rules].map(Self.rules) ?? [], fallback: try fallback.oneOf(),
            consumption: try members[Member.consumption].map(ConsumptionFacts.init(reading:)) ?? ConsumptionFacts(),
            fingerprint: String(SHA256.digest(of: file.json(without: Member.schema)).hex.prefix(16)))
    }

    private static func rules(_ input: RefundInput) throws(RefundInputError) -> [RefundRule] {
        if input.isEmptyList { return [] }
        var rules: [RefundRule] = []
        for element in try input.elements(atMost: maximumRules, of: "rules") {
            let rule = try rule(element)
            guard !rules.contains(where: { $0.name == rule.name }) else {
                throw element.error("duplicate rule name; names must be unique")
            }
            if let earlier = rules.first(where: { $0.conditions.cover(rule.conditions) }) {
                throw element.error("never applies: the rule \(earlier.name) above it applies first")
            }
            if let contradiction = rule.conditions.contradiction {
                throw element.error("never applies: \(contradiction)")
            }
            rules.append(rule)
        }
        return rules
    }

    private static func rule(_ input: RefundInput) throws(RefundInputError) -> RefundRule {
        let members = try input.members([Member.name, Member.when, Member.outcome, Member.consumption])
        guard let name = members[Member.name] else { throw input.error("\(Member.name) is missing") }
        guard let outcome = members[Member.outcome] else { throw input.error("\(Member.outcome) is missing") }
        return RefundRule(
            name: try name.text(
                "1 to 64 characters (letters, digits, hyphens, underscores and dots), but not \"default\""
            ) {
                isName($0) ? $0 : nil
            },
            conditions: try members[Member.when].map(RefundConditions.init(reading:)) ?? RefundConditions(),
            outcome: try outcome.oneOf(),
            consumption: try members[Member.consumption].map(ConsumptionFacts.init(reading:)) ?? ConsumptionFacts())
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text != Member.fallback
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }
}
