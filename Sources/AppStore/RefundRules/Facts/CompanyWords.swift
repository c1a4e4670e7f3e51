/// The company's statements about a customer, in addition to the rules file. Source: app-store.md 10.6.
package struct CompanyWords: Hashable, Sendable {
    /// The answer from the company's service to this request.
    package var service: ConsumptionFacts?
    /// The preferences that the company has recorded for the customer.
    package var preference: RefundPreference?

    package init(service: ConsumptionFacts? = nil, preference: RefundPreference? = nil) {
        self.service = service
        self.preference = preference
    }

    /// The facts, each taken from the first source that provides it. Consent is determined separately.
    var consumption: ConsumptionFacts {
        (service ?? ConsumptionFacts()).merging(preference?.facts)
    }
}

/// The customer's consent according to all sources. A single refusal overrides any consent. If no source mentions
/// consent, it is unknown.
enum CustomerConsent: Hashable {
    case given
    case refused
    /// Apple reported that a parent withdrew consent, and no consent has been recorded since.
    case rescinded
    case unknown

    /// - Parameter file: the consent in the rule or, if the rule has none, in the file as a whole.
    init(_ facts: RefundFacts, _ words: CompanyWords, file: Bool?) {
        let all = [words.service?.customerConsented, words.preference?.consentOrRefusal, file]
        guard !all.contains(false) else {
            self = .refused
            return
        }
        guard let moment = facts.consentRescindedAt else {
            self = all.contains(true) ? .given : .unknown
            return
        }
        // Consent in the service's answer counts because the answer is current. Consent in the file does not, because
        // the file contains nothing about individual customers.
        let isLater = words.service?.customerConsented == true || words.preference?.isConsent(after: moment) == true
        self = isLater ? .given : .rescinded
    }

    /// The consent as a fact, or nil if unknown.
    var isGiven: Bool? {
        switch self {
        case .given: true
        case .refused, .rescinded: false
        case .unknown: nil
        }
    }
}
