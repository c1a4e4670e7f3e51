package import AppStoreModel

/// The company's record about refunds of one customer, in the topic of preferences: consent, and from when; the
/// preference that Apple is told; facts about consumption.
package struct RefundPreference: Hashable, Sendable {
    package var consent: Bool?
    /// When the customer gave or withdrew consent.
    package var since: AppStoreInstant?
    /// The customer withdrew consent: nothing is sent, whatever else is said.
    package var isWithdrawn = false
    package var preference: RefundOutcome?
    /// Without consent and outcome.
    package var consumption = ConsumptionFacts()
    /// Names of members that this version does not know.
    package var unknownMembers: [String] = []

    package init() {}

    /// Nil where nothing is said about consent.
    var consentOrRefusal: Bool? { isWithdrawn ? false : consent }

    /// Whether it says no.
    package var isRefusal: Bool { consentOrRefusal == false }

    /// Whether it says yes, and since a moment that is later than another.
    package func isConsent(after moment: AppStoreInstant) -> Bool {
        consentOrRefusal == true && since.map { $0 > moment } ?? false
    }

    /// The facts that it states, in the form of an answer of the company's service.
    var facts: ConsumptionFacts {
        var facts = consumption
        facts.outcome = preference
        return facts
    }

    /// Two records about one customer, under appAccountToken and appTransactionId: a no of either counts, otherwise each
    /// member is that of the later one where it states it.
    package func merging(_ other: RefundPreference) -> RefundPreference {
        let isLater = since ?? .earliest >= other.since ?? .earliest
        let (first, second) = isLater ? (self, other) : (other, self)
        var merged = first
        merged.isWithdrawn = first.isWithdrawn || second.isWithdrawn
        merged.consent = [first.consent, second.consent].contains(false) ? false : first.consent ?? second.consent
        // The moment belongs to the word on consent.
        if first.consent == nil { merged.since = second.since ?? first.since }
        merged.preference = first.preference ?? second.preference
        merged.consumption = first.consumption.merging(second.consumption)
        return merged
    }
}
