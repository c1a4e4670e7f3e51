import AppStoreModel
import JSONTestSupport
import TestSupport
import Testing

@testable import RefundRules

/// The company's decisions in order of precedence: withdrawal, service, topic, rule, file. Any refusal overrides any
/// consent. Source: app-store.md 10.6.
@Suite struct CompanyWordsTests {
    private static let file = """
        {"default":"decline","consumption":{"customerConsented":true,"deliveryStatus":"DELIVERED",\
        "sampleContentProvided":false}}
        """

    private func preference(_ change: (inout RefundPreference) -> Void) -> RefundPreference {
        var preference = RefundPreference()
        change(&preference)
        return preference
    }

    private func service(_ consent: Bool, _ change: (inout ConsumptionFacts) -> Void = { _ in }) -> ConsumptionFacts {
        .consented {
            $0.customerConsented = consent
            change(&$0)
        }
    }

    @Test func `the service takes precedence over the preference, and the preference over the rules`() throws {
        let rules = try rules(Self.file)
        let recorded = preference {
            $0.preference = .grantFull
            $0.consumption.consumptionPercentage = 20_000
            $0.consumption.deliveryStatus = .undeliveredOther
        }
        let alone = rules.decide(.consumable(), CompanyWords(preference: recorded))
        #expect(alone.outcome == .grantFull && alone.source == .preference)
        #expect(alone.consumption.deliveryStatus == .undeliveredOther)
        let answer = service(true) { $0.outcome = .noPreference }
        let both = rules.decide(.consumable(), CompanyWords(service: answer, preference: recorded))
        #expect(both.outcome == .noPreference && both.source == .provider)
        #expect(both.consumption.deliveryStatus == .delivered)
        #expect(both.consumption.consumptionPercentage == 20_000)
    }

    @Test func `any refusal of consent overrides any consent`() throws {
        let words: [Bool?] = [nil, true, false]
        for file in words {
            for recorded in words {
                for answered in words {
                    for isWithdrawn in [false, true] {
                        let text = file.map { #","consumption":{"customerConsented":\#($0)}"# } ?? ""
                        let rules = try rules(#"{"default":"decline"\#(text)}"#)
                        let words = CompanyWords(
                            service: answered.map { service($0) },
                            preference: preference {
                                $0.consent = recorded
                                $0.isWithdrawn = isWithdrawn
                            })
                        let consent = rules.decide(.consumable(), words).consumption.customerConsented
                        let said = [file, recorded, answered, isWithdrawn ? false : nil]
                        #expect(consent == (said.contains(false) ? false : said.contains(true) ? true : nil))
                    }
                }
            }
        }
    }

    // cases.md 22.
    @Test func `after a parent's withdrawal, only a later consent by the company is valid`() throws {
        let rules = try rules(Self.file)
        let rescinded = RefundFacts.consumable { $0.consentRescindedAt = .requested }
        func code(_ words: CompanyWords) -> ConsumptionError.Code? {
            do throws(ConsumptionError) {
                _ = try ConsumptionAnswer(rescinded, rules.decide(rescinded, words))
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(CompanyWords()) == .consentRescinded)
        #expect(code(CompanyWords(service: service(true))) == nil)
        #expect(code(CompanyWords(service: service(false))) == .noConsent)
        let earlier = preference {
            $0.consent = true
            $0.since = AppStoreInstant.requested.earlier(days: 1)
        }
        #expect(code(CompanyWords(preference: earlier)) == .consentRescinded)
        let later = preference {
            $0.consent = true
            $0.since = AppStoreInstant.requested.earlier(days: -1)
        }
        #expect(code(CompanyWords(preference: later)) == nil)
    }

    // MARK: Final problems

    @Test func `a problem is final if no later statement can change it`() {
        let final = ConsumptionError.Code.allCases.filter(\.isFinal)
        #expect(
            Set(final) == [
                .doNotAnswer, .noConsent, .consentRescinded, .familyShared, .assigned, .typeNotSupported,
            ])
    }

    @Test(arguments: [
        (InAppOwnershipType.familyShared, ConsumptionError.Code.familyShared), (.assigned, .assigned),
    ])
    func `a shared or assigned transaction is not answered, regardless of any statement`(
        _ ownership: InAppOwnershipType, _ code: ConsumptionError.Code
    ) {
        #expect(ConsumptionAnswer.finalProblem(of: .consumable { $0.inAppOwnershipType = ownership })?.code == code)
        #expect(ConsumptionAnswer.finalProblem(of: .consumable()) == nil)
    }

    @Test(arguments: ProductType.known.map(\.rawValue).sorted())
    func `every product type is answered, but only two of them in Advanced Commerce`(_ type: String) {
        let facts = RefundFacts.consumable { $0.productType = ProductType(rawValue: type) }
        #expect(ConsumptionAnswer.finalProblem(of: facts) == nil)
        var commerce = facts
        commerce.isAdvancedCommerce = true
        let isTaken = ["Consumable", "Auto-Renewable Subscription"].contains(type)
        #expect(ConsumptionAnswer.finalProblem(of: commerce)?.code == (isTaken ? nil : .typeNotSupported))
    }

    @Test func `a held request waits for a person`() throws {
        let rules = try rules(Self.file.replacing(#""default":"decline""#, with: #""default":"hold""#))
        let error = #expect(throws: ConsumptionError.self) {
            try ConsumptionAnswer(.consumable(), rules.decide(.consumable(), CompanyWords()))
        }
        #expect(error?.code == .held)
    }
}

/// Records in the preferences topic, which form a contract.
@Suite struct RefundPreferenceTests {
    private func read(_ text: String) throws(RefundInputError) -> RefundPreference {
        try RefundPreference(json: Array(text.utf8), name: "record")
    }

    private static let golden = """
        {"consent":true,"since":"2026-11-25T12:00:00.000Z","preference":"grantFull",\
        "consumption":{"deliveryStatus":"DELIVERED","consumptionPercentage":50000}}
        """

    @Test func `a record is parsed and formatted unchanged`() throws {
        let preference = try read(Self.golden)
        #expect(preference.consent == true && preference.preference == .grantFull)
        #expect(preference.since?.description == "2026-11-25T12:00:00.000Z")
        #expect(preference.consumption.consumptionPercentage == 50_000)
        #expect(String(decoding: preference.json, as: UTF8.self) == Self.golden)
        #expect(try read(#"{"consent":true,"since":1795608000000}"#).since == preference.since)
    }

    @Test func `unknown members of later versions are reported but not rejected`() throws {
        let preference = try read(#"{"consent":true,"locale":"en","consumption":{"mood":1}}"#)
        #expect(preference.consent == true)
        #expect(preference.unknownMembers == [#""locale""#, #""mood""#])
    }

    @Test(arguments: [
        (#"{"consent":"no"}"#, "consent: expected true or false"), (#"{"withdrawn":1}"#, "withdrawn: expected"),
        (#"{"since":"yesterday"}"#, "since: expected a time"), (#"{"since":1e40}"#, "since: expected a time"),
        (#"{"preference":"REFUND"}"#, "preference: expected one of decline"),
        (#"{"consumption":{"customerConsented":true}}"#, "customerConsented is not allowed here"),
        (#"{"consumption":[]}"#, "consumption: expected an object"), ("[]", "expected an object"),
    ])
    func `a known member with an invalid value is an error`(_ text: String, _ message: String) {
        let error = #expect(throws: RefundInputError.self) { try read(text) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [golden, #"{"withdrawn":true}"#, #"{"consent":false,"since":1795608000000,"preference":"hold"}"#])
    func `a valid record satisfies the published schema`(_ text: String) throws {
        _ = try read(text)
        #expect(try JSONSchema.deployed("refund-preference.schema.json").faults(in: Array(text.utf8)) == [])
    }

    @Test func `of two records about a customer, a refusal prevails, otherwise the later one`() throws {
        let early = try read(#"{"consent":true,"since":1795600000000,"preference":"decline"}"#)
        let late = try read(#"{"consent":true,"since":1795608000000,"preference":"grantFull"}"#)
        #expect(early.merging(late).preference == .grantFull && late.merging(early).preference == .grantFull)
        let withdrawn = try read(#"{"withdrawn":true,"since":1795500000000}"#)
        #expect(early.merging(withdrawn).isRefusal && withdrawn.merging(early).isRefusal)
        let refused = try read(#"{"consent":false,"since":1795500000000}"#)
        #expect(late.merging(refused).isRefusal)
    }

    @Test func `a merged consent has the date of the record that contains it`() throws {
        let undated = try read(#"{"consent":true}"#)
        let other = try read(#"{"since":1795608000000,"preference":"grantFull"}"#)
        let moment = AppStoreInstant(clampingMillisecondsSince1970: 1_795_600_000_000)
        for merged in [undated.merging(other), other.merging(undated)] {
            #expect(merged.consent == true && merged.since == nil && merged.preference == .grantFull)
            #expect(!merged.isConsent(after: moment))
        }
        let consented = try read(#"{"consent":true,"since":1795608000000}"#)
        let refused = try read(#"{"consent":false,"since":1795500000000}"#)
        for merged in [consented.merging(refused), refused.merging(consented)] {
            #expect(merged.consent == false && merged.since == refused.since)
        }
        #expect(consented.merging(consented) == consented && refused.merging(refused) == refused)
    }
}

/// Conditions on the purchase and the customer's history, and rules that can never apply.
@Suite struct RefundConditionTests {
    private func applies(_ conditions: String, to facts: RefundFacts) throws -> Bool {
        try rules(when: conditions).decide(facts, CompanyWords()).rule == "one"
    }

    private static let trial = RefundFacts.subscription {
        $0.storefront = "USA"
        $0.offerType = .introductory
        $0.offerDiscountType = .freeTrial
        $0.transactionReason = .purchase
        $0.earlierRequests = 2
        $0.earlierRequestsOfTransaction = 1
    }

    @Test(arguments: [
        (#""storefront":["USA","DEU"]"#, true), (#""storefront":["DEU"]"#, false),
        (#""offer":["introductory"]"#, true), (#""offer":["none","winBack"]"#, false), (#""trial":true"#, true),
        (#""trial":false"#, false), (#""purchase":["first"]"#, true), (#""purchase":["renewal"]"#, false),
        (#""ownership":["PURCHASED"]"#, true),
        // 10 of 30 days have elapsed.
        (#""elapsed":{"from":"30%","to":"50%"}"#, true), (#""elapsed":{"from":"50%"}"#, false),
        (#""earlierRequests":{"from":2}"#, true), (#""earlierRequests":{"from":3}"#, false),
        (#""earlierRequestsOfTransaction":{"from":1}"#, true), (#""earlierRequestsOfTransaction":{"to":1}"#, false),
    ])
    func `a condition matches as documented`(_ condition: String, _ holds: Bool) throws {
        #expect(try applies(condition, to: Self.trial) == holds)
    }

    @Test(arguments: [
        #""storefront":["USA"]"#, #""purchase":["first"]"#, #""elapsed":{"from":"0%"}"#,
        #""earlierRequests":{"from":0}"#,
    ])
    func `a condition on an unknown fact does not match`(_ condition: String) throws {
        #expect(try !applies(condition, to: .consumable()))
    }

    @Test(arguments: [
        (#"{"product":["a.*"]}"#, #"{"product":["a.b"]}"#),
        (#"{"product":["a.*"]}"#, #"{"product":["a.b*"],"trial":true}"#),
        (#"{"reason":["LEGAL","OTHER"]}"#, #"{"reason":["OTHER"],"storefront":["USA"]}"#),
        (#"{"age":{"to":"14d"}}"#, #"{"age":{"from":"1d","to":"14d"}}"#),
        (#"{"price":{"currency":"EUR","from":"1"}}"#, #"{"price":{"currency":"EUR","from":"2"}}"#),
        (#"{}"#, #"{"trial":true}"#), (#"{"trial":true}"#, #"{"trial":true}"#),
    ])
    func `a rule shadowed by an earlier one is an error`(_ earlier: String, _ later: String) {
        let error = #expect(throws: RefundInputError.self) { try rules(Self.two(earlier, later)) }
        #expect(error?.message == "never applies: the rule one above it applies first")
    }

    @Test(arguments: [
        (#"{"product":["a.b"]}"#, #"{"product":["a.*"]}"#),
        (#"{"reason":["OTHER"]}"#, #"{"reason":["OTHER","LEGAL"]}"#),
        (#"{"age":{"to":"14d"}}"#, #"{"age":{"to":"15d"}}"#), (#"{"trial":true}"#, #"{"trial":false}"#),
        (#"{"price":{"currency":"EUR","from":"1"}}"#, #"{"price":{"currency":"USD","from":"2"}}"#),
        (#"{"trial":true,"reason":["LEGAL"]}"#, #"{"trial":true}"#),
    ])
    func `a rule that still applies to some requests is accepted`(_ earlier: String, _ later: String) throws {
        #expect(try rules(Self.two(earlier, later)).names == ["one", "two"])
    }

    private static func two(_ earlier: String, _ later: String) -> String {
        """
        {"default":"decline","rules":[{"name":"one","when":\(earlier),"outcome":"decline"},
        {"name":"two","when":\(later),"outcome":"grantFull"}]}
        """
    }

    @Test(arguments: [
        #""ownership":["ASSIGNED"]"#, #""ownership":["FAMILY_SHARED","ASSIGNED"]"#,
        #""productType":["Consumable"],"elapsed":{"from":"10%"}"#,
        #""productType":["Consumable"],"purchase":["renewal"]"#,
        #""productType":["Non-Consumable"],"trial":true"#,
    ])
    func `conditions that exclude each other are an error`(_ conditions: String) {
        let error = #expect(throws: RefundInputError.self) { try rules(when: conditions) }
        #expect(error?.message.hasPrefix("never applies: ") == true)
    }

    @Test func `a rule that cannot supply a required member is a finding`() throws {
        let text = #"{"default":"doNotAnswer","rules":[{"name":"one","outcome":"grantProrated"}]}"#
        let alone = try rules(text).findings(hasService: false, hasPreferences: false)
        #expect(alone.map(\.severity) == [.error, .warning])
        #expect(alone.allSatisfy { $0.rule == "one" })
        #expect(alone[0].message.contains("customerConsented, deliveryStatus, sampleContentProvided"))
        let asked = try rules(text).findings(hasService: true, hasPreferences: false)
        #expect(asked.map(\.severity) == [.warning, .warning])
        let complete = try rules(
            """
            {"default":"decline","consumption":{"customerConsented":true,"deliveryStatus":"DELIVERED",\
            "sampleContentProvided":false}}
            """)
        #expect(complete.findings(hasService: false, hasPreferences: false).isEmpty)
    }
}
