import KeyedState

/// A machine with a disk, on which one process after another runs.
final class SimulatedHost {
    /// The losses in a death of the process.
    enum Death: CaseIterable {
        case process
        /// Unsynced changes to files may be lost.
        case power
        case disk
    }

    private unowned let simulation: Simulation
    let name: String
    private let path: String
    private var disk = SimulatedDisk()
    private(set) var process: SimulatedProcess?
    /// Ended processes; timers may still refer to them.
    private var ended: [SimulatedProcess] = []
    private var starts = 0

    init(_ simulation: Simulation, name: String, path: String) {
        self.simulation = simulation
        self.name = name
        self.path = path
    }

    var currentDisk: SimulatedDisk { disk }

    private var currentPath: String { "\(path)-\(starts)" }

    func start() {
        guard process == nil else { return }
        starts += 1
        let process = SimulatedProcess(simulation, "\(name).\(starts)")
        SimulatedVFS.register(currentPath, disk)
        do {
            try process.start(path: currentPath)
            simulation.trace("\(process.name): started")
            self.process = process
        } catch {
            simulation.trace("\(process.name): does not start: \(error)")
            // A damaged file is renamed, and rebuilt from the topics.
            if (error as? StateError)?.code == .damaged { disk = SimulatedDisk() }
            process.kill()
            ended.append(process)
            SimulatedVFS.unregister(currentPath)
            simulation.timers.after(10_000) { [weak self] in self?.start() }
        }
    }

    func kill(_ death: Death) {
        guard let process else { return }
        simulation.trace("\(process.name): killed with its \(death)")
        let old = disk
        switch death {
        case .process: disk = old.afterKill()
        case .power: disk = old.afterPowerLoss { simulation.chance(1, of: 2) }
        case .disk: disk = SimulatedDisk()
        }
        self.process = nil
        process.kill()
        ended.append(process)
        SimulatedVFS.unregister(currentPath)
        simulation.group.left(process)
    }

    /// Ends the process at the end of a run.
    func end() {
        guard let process else { return }
        process.kill()
        SimulatedVFS.unregister(currentPath)
    }
}
