package import AppStoreModel

/// How long access continues after the end of a period without news of its renewal: Apple's notification may be late,
/// or may be unread in our own input.
struct RenewalSilence: Hashable, Sendable {
    /// When the lack of news ends access.
    var end: AppStoreInstant
    /// Whether access depends on input that has not been read yet.
    var isUnknown: Bool

    /// Nil if the lack of news ends access already.
    ///
    /// Source: app-store.md 11.3, row 3b and the paragraph on row 3.
    init?(after expiresDate: AppStoreInstant, at instant: AppStoreInstant, policy: SubscriptionPolicy) {
        let leeway = policy.renewalLeewayMilliseconds
        let leewayEnd = expiresDate.advanced(byMilliseconds: leeway)
        if leewayEnd > instant {
            self.init(end: leewayEnd, isUnknown: false)
            return
        }
        // If the input was read past the end of the leeway, no news of a renewal arrived in time.
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
    /// Returns these rules for facts whose input was read up to a moment.
    ///
    /// - Parameter moment: everything received up to this moment is included in the facts.
    package func reading(until moment: AppStoreInstant) -> ProductRules {
        var rules = self
        rules.subscriptions.receivedUntil = moment
        return rules
    }
}
