/// The reason why a case is not answered. Equality compares the code and the message.
package struct ConsumptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A problem code. The raw values appear in records and metrics and are a contract.
    package enum Code: String, CaseIterable, Sendable {
        /// The rules or the company's service decided not to answer.
        case doNotAnswer = "do_not_answer"
        /// The customer has not consented: a source refuses consent, or no source grants it. In either case, Apple
        /// requires that nothing be sent.
        case noConsent = "no_consent"
        /// A parent withdrew consent to the child's use of the app, and the company has recorded no consent since.
        case consentRescinded = "consent_rescinded"
        /// Apple does not accept answers for family members' transactions (4000185).
        case familyShared = "family_shared"
        /// Apple does not accept answers for transactions assigned by an organization or a group (4000227).
        case assigned
        /// Apple's version 1 endpoint does not accept this type of Advanced Commerce purchase (4000047).
        case typeNotSupported = "type_not_supported"
        /// A rule, the service or the preference leaves the decision to a person.
        case held
        /// Neither the rules nor the company's service specify whether the purchase was delivered.
        case deliveryStatusMissing = "delivery_status_missing"
        /// Neither the rules nor the company's service specify whether sample content was provided.
        case sampleContentMissing = "sample_content_missing"

        /// Whether the problem is final. If so, no later information can change it, and the round ends. Otherwise, the
        /// round waits. Source: app-store.md 10.6.
        package var isFinal: Bool {
            switch self {
            case .doNotAnswer, .noConsent, .consentRescinded, .familyShared, .assigned, .typeNotSupported: true
            case .held, .deliveryStatusMissing, .sampleContentMissing: false
            }
        }
    }

    package let code: Code
    /// A sentence for people that includes the fix.
    package let message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code.rawValue): \(message)" }
}

/// The reason why Apple would not accept the answer with a member, which was therefore omitted. The raw values appear
/// in records and metrics and are a contract.
package enum ConsumptionNote: String, CaseIterable, Sendable {
    /// A consumptionPercentage for an auto-renewable subscription; Apple computes it from the elapsed time (4000209).
    case percentageOfSubscription = "percentage_of_subscription"
    /// A consumptionPercentage for a product with a missing or new type, because the product may be a subscription.
    case percentageOfUnknownType = "percentage_of_unknown_type"
    /// A consumptionPercentage greater than 0, although nothing was delivered.
    case percentageOfUndelivered = "percentage_of_undelivered"
    /// A consumptionPercentage outside the range 0 to 100000.
    case percentageOutOfRange = "percentage_out_of_range"
    /// A refundPreference GRANT_PRORATED without a percentage between 0 and 100000, both exclusive, for a product that
    /// is not an auto-renewable subscription.
    case proratedWithoutPercentage = "prorated_without_percentage"
    /// A refundPreference GRANT_PRORATED, which has no number in the version 1 body.
    case proratedInVersion1 = "prorated_in_version_1"
    /// An appAccountToken that is not a UUID.
    case malformedAccountToken = "malformed_account_token"
}
