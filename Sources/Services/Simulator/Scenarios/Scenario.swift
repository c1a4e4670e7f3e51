/// A part of one customer's history with one app, written as readable data: events and their times.
package struct Scenario: Sendable {
    /// The scenario's name on the command line.
    package let name: String
    /// A one-sentence description.
    package let summary: String
    package let product: Product
    /// Whether the customer is the buyer or has access through another person's purchase.
    package let ownership: Ownership
    package let steps: [Step]

    /// Apple's `inAppOwnershipType`.
    package enum Ownership: String, Sendable {
        case purchased = "PURCHASED"
        case familyShared = "FAMILY_SHARED"
        /// Access was assigned by an organization or group that bought seats.
        case assigned = "ASSIGNED"
    }

    /// The time at which a step happens.
    package enum Moment: Sendable, Equatable {
        /// The given time after the previous step.
        case after(Duration)
        /// The end of the current period, `expiresDate`. Renewals happen up to six hours earlier.
        case atExpiry
        /// The given time before the end of the current period.
        case beforeExpiry(Duration)
        /// The given time after the end of the current period.
        case afterExpiry(Duration)
        /// The end of the grace period, `gracePeriodExpiresDate`.
        case atGraceEnd
        /// The time at which Apple stops retrying the charge: 60 days after `expiresDate`.
        case atRetryEnd
    }

    /// One event and its time.
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
    /// The scenario up to its first refund request, or the entire scenario if it has none. If the API waits for an
    /// answer, the steps after the request depend on that answer.
    var untilRefundRequest: Scenario {
        let request = steps.firstIndex { step in
            if case .asksForRefund = step.event { return true }
            return false
        }
        guard let request else { return self }
        return Scenario(name, summary, product, ownership: ownership, steps: Array(steps[...request]))
    }

    /// All scenarios, group by group. Their names are unique.
    package static let all: [Scenario] =
        subscriptions + billing + plans + offers + prices + refunds + oneTime + family + seats + advancedCommerce
        + appLevel

    /// Returns the scenario with this name, if it exists.
    package static func named(_ name: String) -> Scenario? {
        all.first { $0.name == name }
    }
}
