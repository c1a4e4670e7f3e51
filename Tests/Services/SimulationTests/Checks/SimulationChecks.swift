import AppStoreModel
import Kafka
import KeyedState
import RefundRules

@testable import Refunds

/// The invariants of a simulation. Expected values come from the plan, the log and what Apple received.
final class SimulationChecks {
    private unowned let simulation: Simulation
    private let model = RefundsModel()
    /// The facts that the state's topic has ever contained, by key.
    private(set) var published: [[UInt8]: RefundCase] = [:]
    /// Input records with a dead letter, by their value.
    private(set) var deadLetters: Set<[UInt8]> = []
    /// The percentages that Apple received for each round.
    private var bodies: [PlannedRound: Set<Int64>] = [:]
    private(set) var acceptedRounds: Set<PlannedRound> = []
    private(set) var problems: [String] = []

    /// How long a request may be on its way after the last attempt, in milliseconds.
    private static let way: Int64 = 60_000

    init(_ simulation: Simulation) { self.simulation = simulation }

    func fail(_ problem: String) {
        simulation.trace("VIOLATED: \(problem)")
        problems.append(problem)
    }

    // MARK: Steps

    /// Called for each record that is appended to a topic of the service.
    func appended(_ record: KafkaRecord) {
        guard record.topic == simulation.names.state else {
            if let value = record.value { deadLetters.insert(value) }
            return
        }
        guard let key = record.key, let value = record.value,
            let state = try? model.read(published: value, at: record.offset.rawValue)
        else { return fail("an unreadable record of the state at \(record.offset)") }
        var joined = published[key] ?? state
        joined.merge(state)
        published[key] = joined
    }

    /// Checks that every record before a committed offset has had its effect.
    func committed(_ next: Int64, of place: KafkaTopicPartition, after previous: Int64) {
        for record in simulation.broker.records(of: place) where (previous..<next).contains(record.offset.rawValue) {
            guard let content = simulation.content(of: record) else { continue }
            if !isEffective(content, record) { fail("\(place)@\(record.offset) was committed before its effect") }
        }
    }

    private func isEffective(_ content: SimulationPlan.Content, _ record: KafkaRecord) -> Bool {
        if deadLetters.contains(record.value ?? []) { return true }
        return isPublished(content)
    }

    func isPublished(_ content: SimulationPlan.Content) -> Bool {
        switch content {
        case .poison: false
        case .request(let id, let uuid):
            published[key(id)]?.requests[NotificationUUID(uuid)] != nil
        case .verdict(let id, let signed):
            published[key(id)]?.verdicts.all.contains { $0.signedDate.millisecondsSince1970 == signed } ?? false
        }
    }

    private func key(_ transactionId: String) -> [UInt8] {
        RefundsModel.key(BundleId(SimulationPlan.app), TransactionId(transactionId))
    }

    /// Checks that a round has one answer, and none after its deadline.
    func put(_ put: SimulatedApple.Put) {
        guard let (percentage, round) = simulation.company.decision(of: put.body) else {
            return fail("Apple received a body that nobody decided: \(put.body)")
        }
        if round.transactionId != put.transactionId { fail("the answer of another case: \(put.body)") }
        bodies[round, default: []].insert(percentage)
        if bodies[round]?.count ?? 0 > 1 { fail("two answers to round \(round.number) of \(round.transactionId)") }
        if put.at > round.deadline + Self.way {
            fail("an answer to round \(round.number) of \(round.transactionId) after its deadline")
        }
        if put.isAccepted { acceptedRounds.insert(round) }
    }

    // MARK: Members

    /// Checks what a member shows: nothing that is not in the topic, and no readiness while rows are unknown.
    func look(at process: SimulatedProcess) {
        guard let state = process.state else { return }
        do {
            for row in try state.rows() {
                var joined = published[model.key(of: row)] ?? row.identity
                if joined.merge(row) { fail("\(process.name) shows more of \(row.transactionId) than was published") }
            }
        } catch {
            fail("\(process.name) cannot read its rows: \(error)")
        }
        guard state.state.obstacle == nil else { return }
        for (place, end) in process.endsAtStart where state.position(of: place) < end {
            fail("\(process.name) is ready before it has read \(place) to \(end)")
        }
    }

    // MARK: End

    /// Checks the end of a run, when all faults are over and nothing is left to do.
    func checkEnd() {
        checkTopic()
        checkFacts()
        checkAnswers()
        for process in simulation.processes { checkRows(of: process) }
    }

    /// Checks that the last record of each key contains everything that was ever published for it.
    private func checkTopic() {
        for (key, joined) in published.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            guard let last = simulation.last(key), last == joined else {
                fail("the last record of \(String(decoding: key, as: UTF8.self)) is not the union of all of them")
                continue
            }
        }
    }

    /// Checks that every notification is in the topic or has a dead letter, and that everything is committed.
    private func checkFacts() {
        for place in simulation.names.inputs {
            if simulation.group.committed[place] ?? 0 != simulation.broker.end(of: place) {
                fail("\(place) is committed to \(simulation.group.committed[place] ?? 0) only")
            }
            for record in simulation.broker.records(of: place) {
                guard let content = simulation.content(of: record), !isEffective(content, record) else { continue }
                fail("\(content) was lost")
            }
        }
    }

    private func checkAnswers() {
        for round in simulation.plan.rounds where !round.isDecided && !acceptedRounds.contains(round) {
            // A notification with a dead letter may be missing when the round begins.
            let isKnown = simulation.plan.notifications.allSatisfy { notification in
                notification.content.transactionId != round.transactionId || !deadLetters.contains(notification.value)
            }
            if isKnown { fail("Apple has no answer to round \(round.number) of \(round.transactionId)") }
        }
    }

    private func checkRows(of process: SimulatedProcess) {
        guard let state = process.state, let rows = try? state.rows() else {
            return fail("\(process.name) has no rows")
        }
        if let obstacle = state.state.obstacle { fail("\(process.name) is not ready: \(obstacle)") }
        if rows.count != published.count { fail("\(process.name) has \(rows.count) of \(published.count) rows") }
        for row in rows where simulation.last(model.key(of: row)) != row {
            fail("the row \(row.transactionId) of \(process.name) differs from the topic")
        }
    }
}
