/// Why a case gets no answer. Equality compares both.
package struct ConsumptionProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// What stands against an answer. The raw value is for records and metrics: a contract.
    package enum Code: String, CaseIterable, Sendable {
        /// The rules, or the company's service, say so.
        case doNotAnswer = "do_not_answer"
        /// The customer has not consented: somebody said no, or nobody said yes. Apple: then send nothing.
        case noConsent = "no_consent"
        /// A parent revoked the child's use of the app, and the company has not said yes since.
        case consentRescinded = "consent_rescinded"
        /// Apple takes no answer for transactions of family members (4000185).
        case familyShared = "family_shared"
        /// Apple takes no answer for transactions that an organization or a group assigned (4000227).
        case assigned
        /// An Advanced Commerce purchase of a type that the version 1 endpoint does not take (4000047).
        case typeNotSupported = "type_not_supported"
        /// A rule, the service or the preference leaves the decision to a person.
        case held
        /// Neither the rules nor the company's service say whether it was delivered.
        case deliveryStatusMissing = "delivery_status_missing"
        /// Neither the rules nor the company's service say whether there was a sample.
        case sampleContentMissing = "sample_content_missing"

        /// Whether nothing that somebody can still say changes it: the round ends. Otherwise it waits. Source: app-store.md
        /// 10.6.
        package var isFinal: Bool {
            switch self {
            case .doNotAnswer, .noConsent, .consentRescinded, .familyShared, .assigned, .typeNotSupported: true
            case .held, .deliveryStatusMissing, .sampleContentMissing: false
            }
        }
    }

    package let code: Code
    /// One sentence for people that says how it is mended.
    package let message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code.rawValue): \(message)" }
}

/// What was left out of an answer so that Apple takes it. The raw value is for records and metrics: a contract.
package enum ConsumptionNote: String, CaseIterable, Sendable {
    /// consumptionPercentage, of an auto-renewable subscription: Apple computes it from the time elapsed (4000209).
    case percentageOfSubscription = "percentage_of_subscription"
    /// consumptionPercentage, of a product whose type is missing or new: it may be a subscription.
    case percentageOfUnknownType = "percentage_of_unknown_type"
    /// consumptionPercentage, greater than 0 though nothing was delivered.
    case percentageOfUndelivered = "percentage_of_undelivered"
    /// consumptionPercentage, outside 0 to 100000.
    case percentageOutOfRange = "percentage_out_of_range"
    /// refundPreference GRANT_PRORATED, which needs a percentage between 0 and 100000, both exclusive.
    case proratedWithoutPercentage = "prorated_without_percentage"
    /// refundPreference GRANT_PRORATED, which the version 1 body has no number for.
    case proratedInVersion1 = "prorated_in_version_1"
    /// appAccountToken, which is no UUID.
    case malformedAccountToken = "malformed_account_token"
}
