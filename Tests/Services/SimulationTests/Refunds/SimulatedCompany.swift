import AppStoreModel
import RefundRules

@testable import Refunds

/// The company's service. Every answer differs, so that a body shows which decision it comes from.
final class SimulatedCompany: RefundProvider, @unchecked Sendable {
    // @unchecked Sendable because only the simulation's thread uses it.
    var isSilent = false
    private unowned let simulation: Simulation
    private let plan: RefundsPlan
    /// The round of each answer, by percentage.
    private(set) var decisions: [Int64: PlannedRound] = [:]

    init(_ simulation: Simulation, _ plan: RefundsPlan) {
        self.simulation = simulation
        self.plan = plan
    }

    func consumption(of facts: RefundFacts) async throws(ProviderError) -> ConsumptionFacts {
        let isSilent = isSilent
        let gate = Gate(whenCancelled: false)
        simulation.timers.after(simulation.number(in: 10...(isSilent ? 10_000 : 300))) { gate.open(true) }
        guard await gate.wait() else { throw ProviderError(code: .cancelled, message: "cancelled") }
        if isSilent { throw ProviderError(code: .timedOut, message: "silent") }
        let percentage = Int64(decisions.count + 1)
        decisions[percentage] = plan.round(
            of: facts.transactionId.rawValue, received: facts.requestedAt.millisecondsSince1970)
        var answer = ConsumptionFacts()
        answer.customerConsented = true
        answer.deliveryStatus = .delivered
        answer.sampleContentProvided = false
        answer.consumptionPercentage = percentage
        return answer
    }

    /// Returns the decision that a body comes from.
    func decision(of body: String) -> (percentage: Int64, round: PlannedRound)? {
        guard let mark = body.firstRange(of: "\"consumptionPercentage\":") else { return nil }
        guard let percentage = Int64(body[mark.upperBound...].prefix { $0.isNumber }) else { return nil }
        return decisions[percentage].map { (percentage, $0) }
    }
}
