import Kafka
import KeyedState

/// The invariants of a keyed state, for any model.
final class StateChecks<Model: StateModel> {
    private unowned let simulation: Simulation
    private let model: Model
    /// The union of all states that the topic has ever contained, by key.
    private(set) var published: [[UInt8]: Model.State] = [:]
    /// The state in the last record of each key.
    private var last: [[UInt8]: Model.State] = [:]

    init(_ simulation: Simulation, _ model: Model) {
        self.simulation = simulation
        self.model = model
    }

    /// Called for each record that is appended to the state's topic.
    func appended(_ record: KafkaRecord) {
        guard let key = record.key, let value = record.value,
            let state = try? model.read(published: value, at: record.offset.rawValue)
        else { return simulation.checks.fail("an unreadable record of the state at \(record.offset)") }
        last[key] = state
        guard var joined = published[key] else {
            published[key] = state
            return
        }
        _ = try? model.merge(state, into: &joined)
        published[key] = joined
    }

    /// Returns whether the topic has ever contained a state.
    func contains(_ state: Model.State) -> Bool {
        guard var joined = published[model.key(of: state)] else { return false }
        return (try? model.merge(state, into: &joined).isChanged) == false
    }

    /// Checks that a member has no row with more facts than the topic.
    func look(at state: SimulatedState<Model>) {
        do {
            for row in try state.rows() where !contains(row) {
                simulation.checks.fail("\(state.name) has more of \(name(model.key(of: row))) than was published")
            }
        } catch {
            simulation.checks.fail("\(state.name) cannot read its rows: \(error)")
        }
    }

    /// Checks that the last record of each key contains everything that was ever published for it.
    func checkEnd() {
        for (key, joined) in published.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
        where last[key] != joined {
            simulation.checks.fail("the last record of \(name(key)) is not the union of all of them")
        }
    }

    /// Checks that a member has exactly the rows of the topic.
    func checkEnd(of state: SimulatedState<Model>) {
        guard let rows = try? state.rows() else {
            return simulation.checks.fail("\(state.name) cannot read its rows")
        }
        if rows.count != published.count {
            simulation.checks.fail("\(state.name) has \(rows.count) of \(published.count) rows")
        }
        for row in rows where last[model.key(of: row)] != row {
            simulation.checks.fail("the row \(name(model.key(of: row))) of \(state.name) differs from the topic")
        }
    }

    private func name(_ key: [UInt8]) -> String { String(decoding: key, as: UTF8.self) }
}
