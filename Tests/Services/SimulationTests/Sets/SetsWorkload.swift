import Kafka
import KeyedState
import TestSupport

/// Sets with derived updates for other partitions, and contributions of any member.
final class SetsWorkload: SimulationWorkload, @unchecked Sendable {
    // @unchecked Sendable because only the simulation's thread uses it.
    let traffic: [SimulatedRecord]
    let longestPause: Int64
    private unowned let simulation: Simulation
    private let states: StateChecks<SetsModel>
    private var lastContribution = 10_000

    init(_ simulation: Simulation) {
        self.simulation = simulation
        states = StateChecks(simulation, SetsModel())
        var random = SeededGenerator(seed: ~simulation.seed)
        longestPause = Bool.random(using: &random) ? 2_000 : 60_000
        traffic = Self.traffic(longestPause, &random)
        simulation.broker.refusals.refusesLettersWithoutKey = Bool.random(using: &random)
        if Int.random(in: 0..<4, using: &random) == 0 {
            simulation.broker.refusals.refusedKey = SetsModel.keys.randomElement(using: &random).map { Array($0.utf8) }
        }
    }

    private static func traffic(_ longestPause: Int64, _ random: inout SeededGenerator) -> [SimulatedRecord] {
        var at = SimulationTime.start
        var records: [SimulatedRecord] = []
        for number in 1...Int.random(in: 10...30, using: &random) {
            at += Int64.random(in: 1..<longestPause, using: &random)
            let key = SetsModel.keys.randomElement(using: &random) ?? "a"
            // A repeated record, an unreadable one, or a new number.
            if let repeated = records.randomElement(using: &random), Int.random(in: 0..<5, using: &random) == 0 {
                records.append(
                    SimulatedRecord(at: at, key: repeated.key, value: repeated.value, hasKey: repeated.hasKey))
            } else if Int.random(in: 0..<15, using: &random) == 0 {
                records.append(
                    SimulatedRecord(
                        at: at, key: Array(key.utf8), value: Array("poison \(number)".utf8),
                        hasKey: Bool.random(using: &random)))
            } else {
                records.append(
                    SimulatedRecord(at: at, key: Array(key.utf8), value: NumberSet(key, [number]).text))
            }
        }
        return records
    }

    var end: Int64 { (traffic.last?.at ?? SimulationTime.start) + 2 * SimulationTime.hour }

    func makeService(for process: SimulatedProcess, path: String) throws -> any SimulatedService {
        try SetsMember(process, path: path)
    }

    func appended(_ record: KafkaRecord) {
        simulation.trace(String(decoding: record.value ?? [], as: UTF8.self))
        states.appended(record)
    }

    /// A record is published with the updates that it derives. By itself, a record derives an update for each following
    /// key, or none.
    func isPublished(_ record: KafkaRecord) -> Bool {
        guard let state = record.value.flatMap(NumberSet.init), states.contains(state) else { return false }
        guard refusals.keys.isEmpty, !SetsModel().derivedUpdates(of: state).isEmpty else { return true }
        return SetsModel.keys.drop { $0 != state.key }.allSatisfy { states.contains(NumberSet($0, state.numbers)) }
    }

    /// The row of a record, or one that it derives an update for, may have been refused.
    func mayBeDeadLettered(_ record: KafkaRecord) -> Bool {
        guard let state = record.value.flatMap(NumberSet.init) else { return true }
        return SetsModel.keys.drop { $0 != state.key }.contains { refusals.keys.contains(Array($0.utf8)) }
    }

    private var refusals: BrokerRefusals { simulation.broker.refusals }

    func look(at service: any SimulatedService) { (service as? SetsMember).map { states.look(at: $0.sets) } }

    func checkEnd() {
        states.checkEnd()
        for (_, state) in states.published.sorted(by: { $0.value.key < $1.value.key }) {
            for update in SetsModel().derivedUpdates(of: state) where !states.contains(update) {
                if Array(update.key.utf8) == refusals.refusedKey { continue }
                simulation.checks.fail("the topic lacks the update of \(update.key) that \(state.key) derives")
            }
        }
    }

    func checkEnd(of service: any SimulatedService) {
        (service as? SetsMember).map { states.checkEnd(of: $0.sets) }
    }

    func beginFault() -> () -> Void {
        if simulation.chance(1, of: 3) { simulation.faults.refuseStates() } else { simulation.group.rebalance() }
        return {}
    }

    // MARK: Contributions

    /// Lets a random member contribute a number now and then.
    func step() {
        guard simulation.faults.areOn, simulation.chance(1, of: 40) else { return }
        let members = simulation.processes.filter { !$0.isFrozen }
        guard !members.isEmpty else { return }
        let process = members[Int(simulation.number(in: 0...Int64(members.count - 1)))]
        guard let member = process.service as? SetsMember else { return }
        let index = Int(simulation.number(in: 0...Int64(SetsModel.keys.count - 1)))
        lastContribution += 1
        contribute(NumberSet(SetsModel.keys[index], [lastContribution]), by: member, process)
    }

    private func contribute(_ state: NumberSet, by member: SetsMember, _ process: SimulatedProcess) {
        let keyed = member.sets.state
        let input = simulation.names.input
        let contribution = Contribution(workload: self, process: process)
        _ = process.task {
            let merged = try? await keyed.contribute(
                to: Array(state.key.utf8), from: input, orTo: NumberSet(state.key)
            ) { _ in state }
            if let merged { contribution.returned(merged, state) }
        }
    }

    /// The state of a contribution that has returned.
    private struct Contribution: @unchecked Sendable {
        // @unchecked Sendable because only the simulation's thread uses it.
        unowned let workload: SetsWorkload
        let process: SimulatedProcess

        func returned(_ merged: NumberSet, _ state: NumberSet) {
            guard !process.isDead else { return }
            let checks = workload.simulation.checks
            if !state.numbers.isSubset(of: merged.numbers) { checks.fail("\(state.key) lacks a contribution") }
            if !workload.states.contains(state) { checks.fail("a contribution to \(state.key) was not published") }
        }
    }
}
