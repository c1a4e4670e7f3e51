import Kafka
import KeyedState
import PipelineRuntime

/// A consumer that merges sets of numbers, and nothing else.
final class SetsMember: SimulatedService {
    let sets: SimulatedState<SetsModel>
    let handler: any BatchHandler
    private unowned let process: SimulatedProcess

    init(_ process: SimulatedProcess, path: String) throws {
        self.process = process
        let names = process.simulation.names
        let model = SetsModel(period: 10 * process.simulation.workload.longestPause)
        sets = try SimulatedState(
            model, StateOptions(path: path, topics: [names.input: names.state]),
            counts: [names.state: Simulation.partitions], of: process)
        handler = KeyedStateHandler(sets.state) { record in
            guard let state = record.value.flatMap(NumberSet.init) else { return .verdict(.deadLetter("unreadable")) }
            return .state(state)
        }
    }

    var state: any SteppedState { sets }

    func start() throws { try sets.start {} }

    func stop() async {}
}
