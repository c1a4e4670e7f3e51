package import AppStoreModel

/// How long silence about a subscription whose period is over is no end of access: Apple's notification of the renewal
/// may be late, and it may lie unread in our own input.
struct RenewalSilence: Hashable, Sendable {
    /// When silence begins to count.
    var end: AppStoreInstant
    /// Whether access rests on input that is not read yet.
    var isUnknown: Bool

    /// Nil where silence counts already.
    ///
    /// Source: app-store.md 11.3, row 3b and the paragraph on row 3.
    init?(after expiresDate: AppStoreInstant, at instant: AppStoreInstant, policy: SubscriptionPolicy) {
        let leeway = policy.renewalLeewayMilliseconds
        let leewayEnd = expiresDate.advanced(byMilliseconds: leeway)
        if leewayEnd > instant {
            self.init(end: leewayEnd, isUnknown: false)
            return
        }
        // Silence up to the end of the leeway was observed where the input was read that far.
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
    /// These rules for facts whose input was read up to a moment.
    ///
    /// - Parameter moment: everything that was received until then is among the facts.
    package func reading(until moment: AppStoreInstant) -> ProductRules {
        var rules = self
        rules.subscriptions.receivedUntil = moment
        return rules
    }
}
