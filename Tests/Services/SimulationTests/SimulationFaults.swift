/// The faults of a simulation. They begin at random moments during the first hours, each ends after a while, and all
/// are over when they stop.
final class SimulationFaults {
    private unowned let simulation: Simulation
    private(set) var areOn = true
    private var ends: [() -> Void] = []

    /// The time after which no fault begins, in milliseconds after the start; a quarter of the time for an answer at
    /// most.
    private var duration: Int64 { 12 * simulation.workload.longestPause }

    init(_ simulation: Simulation) { self.simulation = simulation }

    func begin() {
        simulation.timers.after(duration) { [unowned self] in stop() }
        scheduleNext()
    }

    private func stop() {
        areOn = false
        for end in ends { end() }
        ends = []
        simulation.trace("all faults are over")
        simulation.timers.after(60_000) { [unowned self] in simulation.group.rebalance() }
        compactLater()
    }

    /// Compaction is not a fault, and goes on.
    private func compactLater() {
        simulation.timers.after(6 * SimulationTime.hour) { [unowned self] in
            compact()
            if simulation.timers.now < simulation.workload.end { compactLater() }
        }
    }

    private func scheduleNext() {
        simulation.timers.after(simulation.number(in: 100...3 * simulation.workload.longestPause)) { [unowned self] in
            guard areOn else { return }
            inject()
            scheduleNext()
        }
    }

    private var aHost: SimulatedHost {
        simulation.hosts[Int(simulation.number(in: 0...Int64(simulation.hosts.count - 1)))]
    }

    /// Injects a fault now and then. Called when something else could happen, so that faults meet work in progress.
    ///
    /// - Returns: whether there was a fault.
    func step() -> Bool {
        guard areOn, simulation.chance(1, of: 100) else { return false }
        inject()
        return true
    }

    private func inject() {
        switch simulation.number(in: 1...12) {
        case 1, 2: kill(aHost)
        case 3: freeze(aHost)
        case 4: simulation.group.rebalance()
        case 5: loseLeader()
        case 6: fence(aHost)
        case 7: failWrites(of: aHost)
        case 8: fillDisk(of: aHost)
        case 9, 10, 11: beginOther()
        default: if simulation.chance(1, of: 2) { refuseStates() } else { compact() }
        }
    }

    /// Ends a fault after a time, or when all faults stop.
    private func end(after milliseconds: ClosedRange<Int64>, _ action: @escaping () -> Void) {
        var isOver = false
        let once = {
            guard !isOver else { return }
            isOver = true
            action()
        }
        ends.append(once)
        simulation.timers.after(simulation.number(in: milliseconds), once)
    }

    // MARK: Faults

    private func kill(_ host: SimulatedHost) {
        let deaths = SimulatedHost.Death.allCases
        host.kill(deaths[Int(simulation.number(in: 0...Int64(deaths.count - 1)))])
        end(after: 1_000...900_000) { [unowned self] in
            host.start()
            simulation.timers.after(3_000) { [unowned self] in simulation.group.rebalance() }
        }
    }

    /// Injects a fault into a restore now and then: restores take few steps, so that other faults seldom meet them.
    func restoring(_ process: SimulatedProcess) {
        guard areOn, let host = simulation.hosts.first(where: { $0.process === process }) else { return }
        switch simulation.number(in: 1...16) {
        case 1: simulation.died(process, "killed while restoring")
        case 2, 3: host.currentDisk.failingWrites = Int(simulation.number(in: 1...3))
        default: break
        }
    }

    /// Returns whether a restore finds a damaged database.
    func damagesRestore() -> Bool { areOn && simulation.chance(1, of: 16) }

    private func freeze(_ host: SimulatedHost) {
        guard let process = host.process, !process.isFrozen else { return }
        simulation.trace("\(process.name): frozen")
        process.isFrozen = true
        simulation.group.left(process)
        end(after: 1_000...600_000) { [unowned self] in
            guard process.isFrozen, !process.isDead else { return }
            simulation.trace("\(process.name): goes on")
            process.isFrozen = false
            process.isMember = true
            simulation.timers.after(3_000) { [unowned self] in simulation.group.rebalance() }
        }
    }

    private func loseLeader() {
        let places = simulation.names.inputs + simulation.names.states + [simulation.names.deadLetters]
        let place = places[Int(simulation.number(in: 0...Int64(places.count - 1)))]
        simulation.trace("broker: \(place) has no leader")
        simulation.broker.setLeader(false, of: place)
        end(after: 100...120_000) { [unowned self] in
            simulation.trace("broker: \(place) has a leader")
            simulation.broker.setLeader(true, of: place)
        }
    }

    private func fence(_ host: SimulatedHost) {
        guard let process = host.process else { return }
        simulation.trace("\(process.name): its producer is fenced")
        process.producer.fence()
    }

    private func failWrites(of host: SimulatedHost) {
        let disk = host.currentDisk
        disk.failingWrites = Int(simulation.number(in: 1...20))
        simulation.trace("disk of \(host.process?.name ?? "a dead host"): \(disk.failingWrites) writes fail")
        end(after: 1_000...600_000) { disk.failingWrites = 0 }
    }

    private func fillDisk(of host: SimulatedHost) {
        let disk = host.currentDisk
        disk.isFull = true
        simulation.trace("disk of \(host.process?.name ?? "a dead host"): full")
        end(after: 1_000...600_000) { disk.isFull = false }
    }

    private func beginOther() {
        end(after: 1_000...7_200_000, simulation.workload.beginFault())
    }

    /// Lets the brokers refuse all rows for a while.
    func refuseStates() {
        simulation.broker.refusals.refusesStates = true
        simulation.trace("broker: refuses states")
        end(after: 1_000...60_000) { [unowned self] in simulation.broker.refusals.refusesStates = false }
    }

    private func compact() {
        simulation.trace("broker: compacts")
        for place in simulation.names.states {
            simulation.broker.compact(place, at: simulation.timers.now, lag: 24 * SimulationTime.hour)
        }
    }
}
