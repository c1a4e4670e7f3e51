import AppStoreModel
import Foundation
import JSONTestSupport
import Testing

@testable import RefundRules

/// The rules file is a contract, with the JSON Schema `deploy/refund-rules.schema.json`.
@Suite struct RefundRulesFileTests {
    private static func example() throws -> [UInt8] {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return Array(try Data(contentsOf: folder.appending(path: "deploy/refund-rules.json")))
    }

    @Test func `the example is valid and satisfies the published schema`() throws {
        let example = try Self.example()
        let rules = try RefundRules(json: example, name: "refund-rules.json")
        #expect(
            rules.names
                == ["legal", "outage-of-october", "spent-coins", "first-mistake", "many-refunds", "subscriptions"])
        #expect(try JSONSchema.deployed("refund-rules.schema.json").faults(in: example) == [])
    }

    @Test func `the example decides as documented`() throws {
        let rules = try RefundRules(json: Self.example(), name: "refund-rules.json")
        let spent = ConsumptionFacts.consented { $0.consumptionPercentage = 80_000 }
        #expect(rules.decide(.consumable(), spent).rule == "spent-coins")
        let mistake = RefundFacts.consumable {
            $0.purchaseDate = AppStoreInstant.requested.earlier(days: 1)
            $0.earlierRefunds = 0
        }
        #expect(rules.decide(mistake, nil).rule == "first-mistake")
        #expect(rules.decide(.consumable { $0.earlierRefunds = 3 }, nil).rule == "many-refunds")
        #expect(rules.decide(.subscription(), nil).outcome == .grantProrated)
        #expect(rules.decide(.consumable(), nil).source == .fallback)
        // It contains no consent, so nothing is sent without the company's service.
        #expect(throws: ConsumptionError.self) {
            try ConsumptionAnswer(.consumable(), rules.decide(.consumable(), nil))
        }
    }

    @Test(arguments: [
        ("", "rules.json:1: is not JSON: empty"),
        ("{\n\"default\": decline}", "rules.json:2: is not JSON: syntax"),
        ("[]", "rules.json:1: expected an object"),
        ("{}", "rules.json:1: default is missing"),
        (#"{"default":"REFUND"}"#, "rules.json:1: default: expected one of decline, grantFull, grantProrated, no"),
        (#"{"default":null}"#, "default: expected one of"),
        (
            #"{"default":"decline","rule":[]}"#,
            #"unknown member "rule"; allowed are $schema, default, consumption, rules"#
        ),
        (#"{"default":"decline","rules":{}}"#, "rules: expected a list of 1 to 200 rules"),
        ("{\"default\":\"decline\",\n\n\"rules\":[\n1]}", "rules.json:4: rules[0]: expected an object"),
        (#"{"default":"decline","$schema":1}"#, "$schema: expected the address"),
        (#"{"default":"decline","consumption":{"outcome":"decline"}}"#, #"consumption: unknown member "outcome""#),
        (
            #"{"default":"decline","consumption":{"customerConsented":"yes"}}"#,
            "consumption.customerConsented: expected"
        ),
    ])
    func `the error for a malformed file contains the line, the member and the permitted values`(
        text: String, message: String
    ) throws {
        let error = #expect(throws: RefundInputError.self) { try rules(text) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
        #expect(try !JSONSchema.deployed("refund-rules.schema.json").faults(in: Array(text.utf8)).isEmpty)
    }

    @Test(arguments: [
        (#"{"outcome":"decline"}"#, "rules[0]: name is missing"), (#"{"name":"a"}"#, "rules[0]: outcome is missing"),
        (#"{"name":"","outcome":"decline"}"#, "rules[0].name: expected 1 to 64 characters (letters,"),
        (#"{"name":"a b","outcome":"decline"}"#, "rules[0].name: expected 1 to 64 characters (letters,"),
        (#"{"name":"é","outcome":"decline"}"#, "rules[0].name: expected 1 to 64 characters (letters,"),
        (#"{"name":"default","outcome":"decline"}"#, #"but not "default""#),
        (#"{"name":"a","outcome":"DECLINE"}"#, "rules[0].outcome: expected one of"),
        (#"{"name":"a","outcome":"decline","if":{}}"#, #"rules[0]: unknown member "if"; allowed are name, when"#),
        (#"{"name":"a","outcome":"decline","when":[]}"#, "rules[0].when: expected an object"),
        (
            #"{"name":"a","outcome":"decline","consumption":{"consumptionPercentage":100001}}"#,
            "rules[0].consumption.consumptionPercentage: expected a whole number from 0 to 100000"
        ),
    ])
    func `a malformed rule is an error`(rule: String, message: String) throws {
        try expectRefusal(#"{"default":"decline","rules":[\#(rule)]}"#, message)
    }

    @Test(arguments: [
        (#""products":["a"]"#, #"when: unknown member "products"; allowed are product, productType, price"#),
        (#""product":"a""#, "when.product: expected a list of 1 to 1000 product ids"),
        (#""product":[]"#, "when.product: expected a list of 1 to 1000 product ids"),
        (#""product":["a*b"]"#, "when.product[0]: expected a product id, or a prefix followed by *"),
        (#""product":["a",""]"#, "when.product[1]: expected a product id"),
        (#""productType":["Subscription"]"#, "when.productType[0]: expected one of Auto-Renewable Subscription, Con"),
        (#""reason":["legal"]"#, "when.reason[0]: expected one of FULFILLMENT_ISSUE, LEGAL, OTHER"),
        (#""environment":["production"]"#, "when.environment[0]: expected one of Production, Sandbox"),
        (#""environment":["Xcode"]"#, "when.environment[0]: expected one of Production, Sandbox"),
        (#""bundleId":[""]"#, "when.bundleId[0]: expected a bundle id"),
        (#""price":{"from":"1"}"#, "when.price: currency is missing"),
        (#""price":{"currency":"EUR"}"#, "when.price: expected from (inclusive), to (exclusive), or both"),
        (#""price":{"currency":"eur","from":"1"}"#, "when.price.currency: expected an ISO 4217 code"),
        (#""price":{"currency":"EUR","from":4990}"#, "when.price.from: expected an amount in the currency as a string"),
        (#""price":{"currency":"EUR","from":"4,99"}"#, "when.price.from: expected an amount"),
        (#""price":{"currency":"EUR","from":"-1"}"#, "when.price.from: expected an amount"),
        (#""price":{"currency":"EUR","from":"1.2345"}"#, "when.price.from: expected an amount"),
        (#""price":{"currency":"EUR","from":"1234567890123"}"#, "when.price.from: expected an amount"),
        (#""price":{"currency":"EUR","from":"1","below":"2"}"#, #"when.price: unknown member "below""#),
        (#""age":{"from":14}"#, #"when.age.from: expected a duration such as "12h" or "14d""#),
        (#""age":{"from":"14 d"}"#, "when.age.from: expected a duration"),
        (#""age":{"from":"2w"}"#, "when.age.from: expected a duration"),
        (#""age":{}"#, "when.age: expected from (inclusive), to (exclusive), or both"),
        (#""earlierRefunds":{"from":-1}"#, "when.earlierRefunds.from: expected a whole number from 0 to 1000000"),
        (#""earlierRefunds":{"to":1.5}"#, "when.earlierRefunds.to: expected a whole number"),
        (#""consumptionPercentage":{"from":50000}"#, "when.consumptionPercentage.from: expected a percentage such as"),
        (#""consumptionPercentage":{"from":"50"}"#, "when.consumptionPercentage.from: expected a percentage"),
        (#""consumptionPercentage":{"from":"101%"}"#, "when.consumptionPercentage.from: expected a percentage"),
        (#""consumptionPercentage":{"from":"100.001%"}"#, "when.consumptionPercentage.from: expected a percentage"),
    ])
    func `a malformed condition is an error`(conditions: String, message: String) throws {
        try expectRefusal(
            #"{"default":"decline","rules":[{"name":"one","when":{\#(conditions)},"outcome":"decline"}]}"#, message)
    }

    /// Expects both the parser and the schema to reject the text.
    private func expectRefusal(_ text: String, _ message: String) throws {
        let error = #expect(throws: RefundInputError.self) { try rules(text) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
        #expect(try !JSONSchema.deployed("refund-rules.schema.json").faults(in: Array(text.utf8)).isEmpty, "\(text)")
    }

    @Test(arguments: [
        #""product":["*","a","a.b*"]"#, #""price":{"currency":"JPY","from":"0","to":"999999999999.999"}"#,
        #""price":{"currency":"EUR","from":"4.9","to":"4.99"}"#, #""age":{"from":"0s","to":"400d"}"#,
        #""earlierRefunds":{"from":0,"to":1000000}"#, #""consumptionPercentage":{"from":"0%","to":"100%"}"#,
        #""consumptionPercentage":{"from":"0.001%","to":"99.999%"}"#, #""consumptionPercentage":{"to":"100.0%"}"#,
        #""productType":["Auto-Renewable Subscription","Non-Consumable","Consumable","Non-Renewing Subscription"]"#,
        #""reason":["UNINTENDED_PURCHASE","FULFILLMENT_ISSUE","UNSATISFIED_WITH_PURCHASE","LEGAL","OTHER"]"#,
        #""environment":["Production","Sandbox"],"bundleId":["com.example.app"]"#, "",
    ])
    func `accepted conditions satisfy the published schema`(conditions: String) throws {
        let text = #"{"default":"decline","rules":[{"name":"one","when":{\#(conditions)},"outcome":"decline"}]}"#
        #expect(try rules(text).names == ["one"])
        #expect(try JSONSchema.deployed("refund-rules.schema.json").faults(in: Array(text.utf8)) == [])
    }

    // MARK: Checks beyond the schema

    @Test(arguments: [
        (#""age":{"from":"2d","to":"48h"}"#, "when.age: to is exclusive and must be greater than from"),
        (#""earlierRefunds":{"from":2,"to":1}"#, "when.earlierRefunds: to is exclusive and must be greater than from"),
        (
            #""price":{"currency":"EUR","from":"1","to":"1.000"}"#,
            "when.price: to is exclusive and must be greater than from"
        ),
    ])
    func `an empty range is an error`(conditions: String, message: String) throws {
        let error = #expect(throws: RefundInputError.self) { try rules(when: conditions) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func `two rules with the same name are an error`() throws {
        let error = #expect(throws: RefundInputError.self) {
            try rules(
                """
                {"default":"decline","rules":[
                 {"name":"a","outcome":"decline","when":{"product":["b"]}},
                 {"name":"a","outcome":"grantFull"}]}
                """)
        }
        #expect(error?.description == "rules.json:3: rules[1]: duplicate rule name; names must be unique")
    }

    @Test(arguments: ["", #","when":{}"#])
    func `a rule below one without conditions is an error`(when: String) throws {
        let error = #expect(throws: RefundInputError.self) {
            try rules(
                """
                {"default":"decline","rules":[{"name":"all","outcome":"decline"\(when)},
                 {"name":"b","outcome":"grantFull"}]}
                """)
        }
        #expect(
            error?.description
                == "rules.json:2: rules[1]: never applies: the rule all above it applies first")
        #expect(
            try rules(#"{"default":"decline","rules":[{"name":"all","outcome":"decline"\#(when)}]}"#).names == ["all"])
    }

    @Test func `rules beyond the limit on statistics labels are rejected`() throws {
        let many = (0...RefundRules.maximumRules).map {
            #"{"name":"r\#($0)","when":{"product":["p\#($0)"]},"outcome":"decline"}"#
        }
        #expect(throws: RefundInputError.self) {
            try rules(#"{"default":"decline","rules":[\#(many.joined(separator: ","))]}"#)
        }
        let most = many.dropLast().joined(separator: ",")
        #expect(try rules(#"{"default":"decline","rules":[\#(most)]}"#).names.count == RefundRules.maximumRules)
    }

    @Test func `a file without rules decides by its default`() throws {
        #expect(try rules(#"{"default":"decline","rules":[]}"#).decide(.consumable(), nil).outcome == .decline)
    }

    @Test func `the fingerprint depends on the content of the file, not on its white space`() throws {
        let one = try rules(#"{"default":"decline"}"#)
        let spaced = try rules("{\n  \"$schema\": \"refund-rules.schema.json\",\n  \"default\": \"decline\"\n}\n")
        #expect(one.fingerprint == spaced.fingerprint)
        #expect(one.fingerprint.utf8.count == 16)
        #expect(one.fingerprint != (try rules(#"{"default":"grantFull"}"#).fingerprint))
        #expect(one.fingerprint != RefundRules.none.fingerprint)
    }
}
