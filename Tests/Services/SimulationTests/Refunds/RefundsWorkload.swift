import AppStoreModel
import Kafka
import RefundRules
import Telemetry
import TestSupport

@testable import Refunds

/// `sluice-refunds`: cases that Apple asks about, and answers that must reach Apple once and in time.
final class RefundsWorkload: SimulationWorkload, @unchecked Sendable {
    // @unchecked Sendable because only the simulation's thread uses it.
    let plan: RefundsPlan
    let apple: SimulatedApple
    let company: SimulatedCompany
    let rules: RefundRules
    let metrics = RefundsMetrics(MetricsRegistry(), rules: [], now: { 0 })
    private unowned let simulation: Simulation
    private let states: StateChecks<RefundsModel>
    private let answers: RefundAnswers
    private let contents: [[UInt8]: RefundsPlan.Content]

    init(_ simulation: Simulation) {
        self.simulation = simulation
        var random = SeededGenerator(seed: ~simulation.seed)
        let plan = RefundsPlan(&random)
        self.plan = plan
        company = SimulatedCompany(simulation, plan)
        let answers = RefundAnswers(simulation, plan, company)
        self.answers = answers
        apple = SimulatedApple(simulation) { answers.put($0) }
        states = StateChecks(simulation, RefundsModel())
        let text = #"{"default":"decline","consumption":{"customerConsented":true}}"#
        rules = (try? RefundRules(json: Array(text.utf8), name: "rules")) ?? .none
        contents = Dictionary(
            plan.notifications.map { ($0.record.value, $0.content) }, uniquingKeysWith: { one, _ in one })
    }

    var traffic: [SimulatedRecord] { plan.notifications.map(\.record) }
    var longestPause: Int64 { plan.longestPause }
    var end: Int64 { plan.end }

    func makeService(for process: SimulatedProcess, path: String) throws -> any SimulatedService {
        try RefundsMember(self, process, path: path)
    }

    func appended(_ record: KafkaRecord) { states.appended(record) }

    func isPublished(_ record: KafkaRecord) -> Bool {
        switch record.value.flatMap({ contents[$0] }) {
        case .request(let id, let uuid): published(id)?.requests[NotificationUUID(uuid)] != nil
        case .verdict(let id, let signed):
            published(id)?.verdicts.all.contains { $0.signedDate.millisecondsSince1970 == signed } ?? false
        case .poison, nil: false
        }
    }

    func mayBeDeadLettered(_ record: KafkaRecord) -> Bool {
        guard let id = record.value.flatMap({ contents[$0] })?.transactionId else { return true }
        let key = RefundsModel.key(BundleId(RefundsPlan.app), TransactionId(id))
        return simulation.broker.refusals.keys.contains(key)
    }

    private func published(_ transactionId: String) -> RefundCase? {
        states.published[RefundsModel.key(BundleId(RefundsPlan.app), TransactionId(transactionId))]
    }

    func look(at service: any SimulatedService) { (service as? RefundsMember).map { states.look(at: $0.cases) } }

    func checkEnd() {
        states.checkEnd()
        answers.checkEnd()
    }

    func checkEnd(of service: any SimulatedService) {
        (service as? RefundsMember).map { states.checkEnd(of: $0.cases) }
    }

    func beginFault() -> () -> Void {
        guard simulation.chance(2, of: 3) else {
            company.isSilent = true
            simulation.trace("company: silent")
            return { [company] in company.isSilent = false }
        }
        let moods = SimulatedApple.Mood.allCases
        apple.mood = moods[Int(simulation.number(in: 0...Int64(moods.count - 1)))]
        simulation.trace("apple: \(apple.mood)")
        return { [apple] in apple.mood = .good }
    }

    func step() {}

    /// The time until a scheduler looks for due work without being woken: shortly before a deadline, or up to an hour.
    func untilNextLook() -> Int64 {
        let marks = plan.rounds.map { $0.deadline - 60_000 - simulation.timers.now }
        let soon = marks.filter { $0 > 0 }.min() ?? .max
        return min(soon, simulation.number(in: 60_000...3_600_000) * simulation.calmFactor)
    }
}
