import Kafka

/// The invariants of answers to Apple. A body shows by its percentage the decision that it comes from.
final class RefundAnswers {
    private unowned let simulation: Simulation
    private let plan: RefundsPlan
    private let company: SimulatedCompany
    /// The percentages that Apple received for each round.
    private var bodies: [PlannedRound: Set<Int64>] = [:]
    private var accepted: Set<PlannedRound> = []

    /// How long a request may be on its way after the last attempt, in milliseconds.
    private static let way: Int64 = 60_000

    init(_ simulation: Simulation, _ plan: RefundsPlan, _ company: SimulatedCompany) {
        self.simulation = simulation
        self.plan = plan
        self.company = company
    }

    /// Checks that a round has one answer, and none after its deadline.
    func put(_ put: SimulatedApple.Put) {
        let checks = simulation.checks
        guard let (percentage, round) = company.decision(of: put.body) else {
            return checks.fail("Apple received a body that no member decided: \(put.body)")
        }
        let name = "round \(round.number) of \(round.transactionId)"
        if round.transactionId != put.transactionId { checks.fail("the answer of another case: \(put.body)") }
        bodies[round, default: []].insert(percentage)
        if bodies[round]?.count ?? 0 > 1 { checks.fail("two answers to \(name)") }
        if put.at > round.deadline + Self.way { checks.fail("an answer to \(name) after its deadline") }
        if put.isAccepted { accepted.insert(round) }
    }

    /// Checks that Apple has the answer to each round without a verdict. A notification with a dead letter may be
    /// missing when the round begins, so its case is left out.
    func checkEnd() {
        for round in plan.rounds where !round.isDecided && !accepted.contains(round) {
            let isKnown = plan.notifications.allSatisfy {
                $0.content.transactionId != round.transactionId
                    || !simulation.checks.deadLetters.contains($0.record.value)
            }
            if isKnown { simulation.checks.fail("no answer to round \(round.number) of \(round.transactionId)") }
        }
    }
}
