import Kafka

/// The invariants of every simulation. Expected values come from the traffic and the log.
final class SimulationChecks {
    private unowned let simulation: Simulation
    private var letters = DeadLetterChecks()
    private(set) var problems: [String] = []

    init(_ simulation: Simulation) { self.simulation = simulation }

    func fail(_ problem: String) {
        simulation.trace("VIOLATED: \(problem)")
        problems.append(problem)
    }

    /// The values of the input records with a dead letter.
    var deadLetters: Set<[UInt8]> { letters.values }

    /// Called for each record that is appended to a topic of the service.
    func appended(_ record: KafkaRecord) {
        guard record.topic != simulation.names.state else { return simulation.workload.appended(record) }
        if let problem = letters.add(record, simulation.broker) { fail(problem) }
        if !simulation.workload.mayBeDeadLettered(record) { fail("a dead letter of a record without fault") }
    }

    /// Checks that every record before a committed offset has had its effect.
    func committed(_ next: Int64, of place: KafkaTopicPartition, after previous: Int64) {
        for record in simulation.broker.records(of: place) where (previous..<next).contains(record.offset.rawValue) {
            if !isEffective(record) { fail("\(place)@\(record.offset) was committed before its effect") }
        }
    }

    private func isEffective(_ record: KafkaRecord) -> Bool {
        deadLetters.contains(record.value ?? []) || simulation.workload.isPublished(record)
    }

    /// Checks the rows of a member, and that it is not ready while rows are unknown.
    func look(at process: SimulatedProcess) {
        guard let service = process.service else { return }
        simulation.workload.look(at: service)
        lookAtReadiness(of: process)
        lookAtIndex(of: process, service.state)
        guard service.state.obstacle == nil else { return }
        for (place, end) in process.endsAtStart where service.state.position(of: place) < end {
            fail("\(process.name) is ready before it has read \(place) to \(end)")
        }
    }

    /// Checks that a ready member is neither behind nor unable to write.
    func lookAtReadiness(of process: SimulatedProcess) {
        guard !process.isFrozen, let problem = process.service?.state.readinessProblem else { return }
        fail("\(process.name) is ready although \(problem)")
    }

    /// Checks that the index in a member's database has exactly the entries of its rows.
    func lookAtIndex(of process: SimulatedProcess, _ state: any SteppedState) {
        do {
            if let problem = try state.indexProblem() { fail("the database of \(process.name) \(problem)") }
        } catch {
            fail("\(process.name) cannot read its index: \(error)")
        }
    }

    /// Checks the end of a run, when all faults are over and nothing is left to do.
    func checkEnd() {
        for place in simulation.names.inputs {
            let committed = simulation.group.committed[place] ?? 0
            if committed != simulation.broker.end(of: place) { fail("\(place) is committed to \(committed) only") }
            for record in simulation.broker.records(of: place) where !isEffective(record) {
                fail("the notification at \(place)@\(record.offset) was lost")
            }
        }
        simulation.workload.checkEnd()
        for host in simulation.hosts where host.process == nil { fail("\(host.name) does not start") }
        for process in simulation.processes {
            guard let service = process.service else { continue }
            lookAtIndex(of: process, service.state)
            if let obstacle = service.state.obstacle { fail("\(process.name) is not ready: \(obstacle)") }
            simulation.workload.checkEnd(of: service)
        }
    }
}
