package import AppStoreModel

/// The access that continues after the end of a period when no renewal is reported. Apple's notification may be late or
/// still unread.
struct RenewalSilence: Hashable, Sendable {
    /// The time when access ends because no renewal was reported.
    var end: AppStoreInstant
    /// Whether access depends on input that has not been read yet.
    var isUnknown: Bool

    /// Returns nil if access has already ended because no renewal was reported in time.
    ///
    /// Source: app-store.md 11.3, row 3b and the paragraph on row 3.
    init?(after expiresDate: AppStoreInstant, at instant: AppStoreInstant, policy: SubscriptionPolicy) {
        let leeway = policy.renewalLeewayMilliseconds
        let leewayEnd = expiresDate.advanced(byMilliseconds: leeway)
        if leewayEnd > instant {
            self.init(end: leewayEnd, isUnknown: false)
            return
        }
        // Once the input has been read past the end of the leeway, it is certain that no renewal was reported in time.
        guard let receivedUntil = policy.receivedUntil, receivedUntil < leewayEnd,
            receivedUntil.advanced(byMilliseconds: leeway) < instant
        else { return nil }
        let limit = expiresDate.advanced(byMilliseconds: policy.outageLeewayMilliseconds)
        guard limit > instant else { return nil }
        self.init(end: limit, isUnknown: true)
    }

    private init(end: AppStoreInstant, isUnknown: Bool) {
        self.end = end
        self.isUnknown = isUnknown
    }
}

extension ProductRules {
    /// Returns a copy of these rules for facts that include all input received up to a given time.
    ///
    /// - Parameter moment: the time up to which the facts include all input.
    package func reading(until moment: AppStoreInstant) -> ProductRules {
        var rules = self
        rules.subscriptions.receivedUntil = moment
        return rules
    }
}
