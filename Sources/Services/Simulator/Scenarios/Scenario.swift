/// A part of one customer's history with one app, as readable data: what happens, and when.
package struct Scenario: Sendable {
    /// How operators name it on the command line.
    package let name: String
    /// One sentence for people.
    package let summary: String
    package let product: Product
    /// Whether the customer bought, or has access through someone else's purchase.
    package let ownership: Ownership
    package let steps: [Step]

    /// Apple's `inAppOwnershipType`.
    package enum Ownership: String, Sendable {
        case purchased = "PURCHASED"
        case familyShared = "FAMILY_SHARED"
        /// By an organization or a group that bought seats.
        case assigned = "ASSIGNED"
    }

    /// When a step happens.
    package enum Moment: Sendable, Equatable {
        /// So long after the step before it.
        case after(Duration)
        /// When the current period ends: `expiresDate`. Renewals come up to six hours ahead of it.
        case atExpiry
        /// So long before the current period ends.
        case beforeExpiry(Duration)
        /// So long after the current period has ended.
        case afterExpiry(Duration)
        /// When the grace period ends: `gracePeriodExpiresDate`.
        case atGraceEnd
        /// When Apple stops trying to charge: 60 days after `expiresDate`.
        case atRetryEnd
    }

    /// One event at its time.
    package struct Step: Sendable {
        package let moment: Moment
        package let event: ScenarioEvent

        static func first(_ event: ScenarioEvent) -> Step { Step(moment: .after(.zero), event: event) }
        static func after(_ delay: Duration, _ event: ScenarioEvent) -> Step {
            Step(moment: .after(delay), event: event)
        }
        static func atExpiry(_ event: ScenarioEvent) -> Step { Step(moment: .atExpiry, event: event) }
        static func before(expiry delay: Duration, _ event: ScenarioEvent) -> Step {
            Step(moment: .beforeExpiry(delay), event: event)
        }
        static func after(expiry delay: Duration, _ event: ScenarioEvent) -> Step {
            Step(moment: .afterExpiry(delay), event: event)
        }
        static func atGraceEnd(_ event: ScenarioEvent) -> Step { Step(moment: .atGraceEnd, event: event) }
        static func atRetryEnd(_ event: ScenarioEvent) -> Step { Step(moment: .atRetryEnd, event: event) }
    }

    init(_ name: String, _ summary: String, _ product: Product, ownership: Ownership = .purchased, steps: [Step]) {
        self.name = name
        self.summary = summary
        self.product = product
        self.ownership = ownership
        self.steps = steps
    }
}

extension Scenario {
    /// The scenario up to its first request for a refund; whole when it has none. What comes after the request depends
    /// on the answer where one is waited for.
    var untilRefundRequest: Scenario {
        let request = steps.firstIndex { step in
            if case .asksForRefund = step.event { return true }
            return false
        }
        guard let request else { return self }
        return Scenario(name, summary, product, ownership: ownership, steps: Array(steps[...request]))
    }

    /// Every scenario, family by family. Names are unique.
    package static let all: [Scenario] =
        subscriptions + billing + plans + offers + prices + refunds + oneTime + family + seats + advancedCommerce
        + appLevel

    /// The scenario of that name, if there is one.
    package static func named(_ name: String) -> Scenario? {
        all.first { $0.name == name }
    }
}
