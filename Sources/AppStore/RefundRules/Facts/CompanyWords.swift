/// The company's statements about one customer beside the rules file. Source: app-store.md 10.6.
package struct CompanyWords: Hashable, Sendable {
    /// The answer of its service to this request.
    package var service: ConsumptionFacts?
    /// Its record for the customer.
    package var preference: RefundPreference?

    package init(service: ConsumptionFacts? = nil, preference: RefundPreference? = nil) {
        self.service = service
        self.preference = preference
    }

    /// Facts by the first word that states each; consent is not decided by it.
    var consumption: ConsumptionFacts {
        (service ?? ConsumptionFacts()).merging(preference?.facts)
    }
}

/// The customer's consent by all words: any no beats any yes, and nobody's word is none.
enum CustomerConsent: Hashable {
    case given
    case refused
    /// Apple told of a parent's withdrawal, and no yes came after it.
    case rescinded
    case unknown

    /// - Parameter file: the rule's word, else that of the whole file.
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
        // The service is asked now; the file says nothing about one customer.
        let isLater = words.service?.customerConsented == true || words.preference?.isConsent(after: moment) == true
        self = isLater ? .given : .rescinded
    }

    /// In the form of a fact.
    var isGiven: Bool? {
        switch self {
        case .given: true
        case .refused, .rescinded: false
        case .unknown: nil
        }
    }
}
