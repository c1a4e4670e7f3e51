package import AppStoreModel

/// A record in the preferences topic with the company's data for a customer's refunds: consent with its date, the
/// preference to send to Apple, and facts about consumption.
package struct RefundPreference: Hashable, Sendable {
    package var consent: Bool?
    /// The time when the customer gave or withdrew consent.
    package var since: AppStoreInstant?
    /// Whether the customer withdrew consent. If true, nothing is sent, regardless of other members.
    package var isWithdrawn = false
    package var preference: RefundOutcome?
    /// Facts about consumption. `customerConsented` and `outcome` are not set; see ``consent`` and ``preference``.
    package var consumption = ConsumptionFacts()
    /// Names of members unknown to this version.
    package var unknownMembers: [String] = []

    package init() {}

    /// The customer's consent, or nil if the record does not mention consent.
    var consentOrRefusal: Bool? { isWithdrawn ? false : consent }

    /// Whether the record refuses consent.
    package var isRefusal: Bool { consentOrRefusal == false }

    /// Returns whether the record contains consent that is dated after `moment`.
    package func isConsent(after moment: AppStoreInstant) -> Bool {
        consentOrRefusal == true && since.map { $0 > moment } ?? false
    }

    /// The facts in this record, in the same form as an answer from the company's service.
    var facts: ConsumptionFacts {
        var facts = consumption
        facts.outcome = preference
        return facts
    }

    /// Merges two records about one customer, one stored under the appAccountToken and the other under the
    /// appTransactionId. A refusal in either takes precedence. Every other member is taken from the later of the
    /// records that contain it.
    package func merging(_ other: RefundPreference) -> RefundPreference {
        let isLater = since ?? .earliest >= other.since ?? .earliest
        let (first, second) = isLater ? (self, other) : (other, self)
        var merged = first
        merged.isWithdrawn = first.isWithdrawn || second.isWithdrawn
        merged.consent = [first.consent, second.consent].contains(false) ? false : first.consent ?? second.consent
        // `since` is the date of the consent, so it is taken from the later record that contains the merged consent.
        if first.consent != merged.consent { merged.since = second.since }
        merged.preference = first.preference ?? second.preference
        merged.consumption = first.consumption.merging(second.consumption)
        return merged
    }
}
