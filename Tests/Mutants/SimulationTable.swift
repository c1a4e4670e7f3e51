/// The mutants that the simulation detects, beside those that the suites detect.
enum SimulationTable {
    /// The areas with code that runs in the simulation.
    static let areas: Set<TestArea> = [.state, .refund, .consumer]

    /// Returns a line for each check, and the names of the mutants that the simulation does not detect.
    static func lines(_ results: [MutantRun.Result]) -> [String] {
        let simulated = results.filter { $0.isKilledBySimulation != nil }
        guard !simulated.isEmpty else { return [] }
        var lines = [row("area", "check", "mutants", "suites", "simulation")]
        for area in TestArea.allCases {
            let own = simulated.filter { $0.area == area.rawValue }
            for check in Set(own.map(\.check)).sorted() {
                lines.append(counts(area.rawValue, check, own.filter { $0.check == check }))
            }
        }
        lines.append(counts("all", "", simulated))
        let missed = simulated.filter { $0.isKilledBySimulation == false }.map(\.name)
        return missed.isEmpty ? lines : lines + ["not detected by the simulation: \(missed.joined(separator: " "))"]
    }

    private static func counts(_ area: String, _ check: String, _ results: [MutantRun.Result]) -> String {
        let suites = results.count { $0.isKilled }
        let simulation = results.count { $0.isKilledBySimulation == true }
        return row(area, check, "\(results.count)", "\(suites)", "\(simulation)")
    }

    private static func row(_ cells: String...) -> String {
        zip(cells, [10, 12, 8, 8, 10]).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - cell.count))
        }.joined(separator: " ")
    }
}
