/// The mutants that the simulation runs and detects, beside those that the suites detect.
enum SimulationTable {
    /// The areas with code that runs in the simulation.
    static let areas: Set<TestArea> = [.state, .refund, .consumer]

    /// Returns a line for each check, and the names of the mutants that the simulation does not run or not detect.
    ///
    /// - Parameter hasSuites: whether the suites ran too.
    static func lines(_ results: [MutantRun.Result], hasSuites: Bool) -> [String] {
        let all = results.filter { $0.isInSimulation != nil }
        guard !all.isEmpty else { return [] }
        var lines = [row("area", "check", "mutants", "suites", "run", "simulation")]
        for area in TestArea.allCases {
            let own = all.filter { $0.area == area.rawValue }
            for check in Set(own.map(\.check)).sorted() {
                lines.append(counts(area.rawValue, check, own.filter { $0.check == check }, hasSuites))
            }
        }
        lines.append(counts("all", "", all, hasSuites))
        lines += names("not run by the simulation", all) { $0.isInSimulation == false }
        return lines + names("not detected by the simulation", missed(all)) { _ in true }
    }

    /// Returns the mutants that the simulation runs but does not detect.
    static func missed(_ results: [MutantRun.Result]) -> [MutantRun.Result] {
        results.filter { $0.isKilledBySimulation == false }
    }

    private static func names(
        _ title: String, _ results: [MutantRun.Result], _ isIncluded: (MutantRun.Result) -> Bool
    ) -> [String] {
        let names = results.filter(isIncluded).map(\.name)
        return names.isEmpty ? [] : ["\(title): \(names.joined(separator: " "))"]
    }

    private static func counts(
        _ area: String, _ check: String, _ results: [MutantRun.Result], _ hasSuites: Bool
    ) -> String {
        let suites = results.count { $0.isKilled }
        let run = results.count { $0.isInSimulation == true }
        let simulation = results.count { $0.isKilledBySimulation == true }
        return row(area, check, "\(results.count)", hasSuites ? "\(suites)" : "-", "\(run)", "\(simulation)")
    }

    private static func row(_ cells: String...) -> String {
        zip(cells, [10, 12, 8, 8, 8, 10]).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - cell.count))
        }.joined(separator: " ")
    }
}
