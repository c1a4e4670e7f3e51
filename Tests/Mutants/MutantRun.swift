import Dispatch
import Foundation
import Synchronization

/// Builds the copy once and runs the tests of each mutant.
struct MutantRun {
    let mutants: [Mutant]
    /// The numbers of the selected mutants.
    let numbers: [Int]
    /// Whether all mutants are selected.
    let isWhole: Bool
    let root: String
    /// The number of mutants that are tested concurrently.
    let jobs: Int
    /// Whether the copy of the last run is used without building and checking it.
    let isReused: Bool
    /// Whether the simulation also runs with each mutant.
    let isSimulated: Bool
    /// Whether the simulation runs alone, without the suites.
    let isOnlySimulated: Bool

    private var work: String { root + "/.build/mutants" }
    /// The file with the numbers of the mutants that the simulation runs.
    private var recorded: String { work + "/simulated" }

    struct Result: Codable {
        let name: String
        let check: String
        let area: String
        let isKilled: Bool
        /// The first failed test, or a description of how the process ended.
        let by: String
        let seconds: Double
        /// Whether the simulation runs the mutated code; nil if the simulation was not wanted.
        var isInSimulation: Bool?
        /// Whether the simulation detects the mutant; nil if it did not run.
        var isKilledBySimulation: Bool?
        /// The seed and the invariant that the simulation found violated, or a description of how the process ended.
        var bySimulation: String?
    }

    func run() throws(Failure) -> [Result] {
        let copy = work + "/package"
        // The number of a mutant is its position in the list that the copy was built with.
        let list = (mutants.map { "\($0)" } + ["simulation only: \(isOnlySimulated)"]).joined(separator: "\n")
        if isReused {
            guard (try? String(contentsOfFile: work + "/list", encoding: .utf8)) == list else {
                throw Failure("the copy was built with other mutants: run without REUSE")
            }
        } else {
            var areas: Set<TestArea> = isOnlySimulated ? [] : Set(numbers.map { mutants[$0 - 1].area })
            if isSimulated { areas.insert(.simulation) }
            try Instrumentation(root: root, copy: copy).write(mutants, areas: areas)
            try build(copy)
            do {
                try list.write(toFile: work + "/list", atomically: true, encoding: .utf8)
            } catch {
                throw Failure("\(error.localizedDescription)")
            }
        }
        let tests = try testProgram(of: copy)
        if !isReused { try checkUnchanged(tests) }
        let results = try judge(tests)
        try write(results)
        return results
    }

    // MARK: building

    /// Builds the copy, and returns the path of the test program.
    private func build(_ copy: String) throws(Failure) {
        say("building the copy: \(copy)")
        var command = ["swift", "build", "--build-tests", "--package-path", copy]
        // An optimized build takes longer, but runs the seeds of all mutants much faster.
        if isOnlySimulated {
            command += ["-c", "release", "-Xswiftc", "-enable-testing", "--scratch-path", simulationBuild(of: copy)]
        }
        let build = TestProcess(
            command: command, environment: ProcessInfo.processInfo.environment, output: work + "/build.log")
        guard try build.run(within: .seconds(3600)).outcome == .passed else {
            throw Failure("the copy does not build, see \(build.output)")
        }
    }

    private func simulationBuild(of copy: String) -> String { "\(copy)/.build/simulation" }

    /// The program that holds the tests.
    private func testProgram(of copy: String) throws(Failure) -> String {
        let folder = isOnlySimulated ? "\(simulationBuild(of: copy))/release" : "\(copy)/.build/debug"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard let name = names.first(where: { $0.hasSuffix("PackageTests.xctest") }) else {
            throw Failure("no tests in \(folder)")
        }
        return "\(folder)/\(name)"
    }

    // MARK: running

    /// Checks that every test passes without a mutant; otherwise a failing test would prove nothing.
    private func checkUnchanged(_ tests: String) throws(Failure) {
        if isSimulated {
            try? FileManager.default.removeItem(atPath: recorded)
            if let violated = try simulate(number: 0, tests, 0) {
                throw Failure("nothing is taken out, and the simulation does not pass: \(violated)")
            }
        }
        guard !isOnlySimulated else { return }
        for area in TestArea.allCases {
            let chosen = numbers.map { mutants[$0 - 1] }.filter { $0.area == area }
            guard !chosen.isEmpty else { continue }
            let filter = isWhole ? area.tests : Set(chosen.map(\.suites)).sorted().joined(separator: "|")
            let (outcome, seconds) = try process(tests, filter, number: 0, area).run(within: .seconds(600))
            guard outcome == .passed else {
                throw Failure("nothing is taken out, and \(area.rawValue) does not pass: \(Self.text(outcome))")
            }
            say(area.rawValue, "passes with nothing taken out", String(format: "| %.1f s", seconds))
        }
    }

    /// The results so far, keyed by the position of the mutant, and the failure of a job.
    private struct Progress {
        var next = 0
        var results: [Int: Result] = [:]
        var failure: Failure?
    }

    /// Tests all mutants: every job takes the next one, until none is left or a job fails.
    private func judge(_ tests: String) throws(Failure) -> [Result] {
        let simulated = isSimulated ? try simulatedNumbers() : []
        let progress = Mutex(Progress())
        DispatchQueue.concurrentPerform(iterations: jobs) { job in
            while true {
                let position = progress.withLock { progress in
                    defer { progress.next += 1 }
                    return progress.failure == nil ? progress.next : numbers.count
                }
                guard position < numbers.count else { return }
                do throws(Failure) {
                    let number = numbers[position]
                    let result = try judge(mutants[number - 1], number: number, tests, job, simulated)
                    let count = progress.withLock { progress in
                        progress.results[position] = result
                        return progress.results.count
                    }
                    say("\(count)/\(numbers.count)", line(of: result))
                } catch {
                    progress.withLock { $0.failure = $0.failure ?? error }
                }
            }
        }
        let (results, failure) = progress.withLock { ($0.results, $0.failure) }
        if let failure { throw failure }
        return numbers.indices.compactMap { results[$0] }
    }

    private func judge(
        _ mutant: Mutant, number: Int, _ tests: String, _ job: Int, _ simulated: Set<Int>
    ) throws(Failure) -> Result {
        var result =
            isOnlySimulated
            ? Result(
                name: mutant.name, check: mutant.check, area: mutant.area.rawValue, isKilled: false,
                by: "the suites did not run", seconds: 0)
            : try judgeBySuites(mutant, number: number, tests, job)
        guard isSimulated else { return result }
        result.isInSimulation = simulated.contains(number)
        if result.isInSimulation == true {
            result.bySimulation = try simulate(number: number, tests, job)
            result.isKilledBySimulation = result.bySimulation != nil
        }
        return result
    }

    /// Returns the numbers of the mutants that the simulation ran when none was active.
    private func simulatedNumbers() throws(Failure) -> Set<Int> {
        guard let text = try? String(contentsOfFile: recorded, encoding: .utf8) else {
            throw Failure("\(recorded) cannot be read: run without REUSE")
        }
        return Set(text.split(separator: "\n").compactMap { Int($0) })
    }

    private func line(of result: Result) -> String {
        var words: [String] = []
        if !isOnlySimulated {
            words.append(result.isKilled ? "killed  " : "SURVIVED")
        }
        words += [result.area, result.check, result.name]
        if !isOnlySimulated { words += ["|", result.by, String(format: "| %.1f s", result.seconds)] }
        if let isInSimulation = result.isInSimulation {
            words += ["| simulation:", isInSimulation ? result.bySimulation ?? "every seed passes" : "not run"]
        }
        return words.joined(separator: " ")
    }

    private func judgeBySuites(
        _ mutant: Mutant, number: Int, _ tests: String, _ job: Int
    ) throws(Failure) -> Result {
        var seconds = 0.0
        func run(_ filter: String) throws(Failure) -> TestOutcome {
            let run = try process(tests, filter, number: number, mutant.area, job).run(within: .seconds(300))
            seconds += run.seconds
            return run.outcome
        }
        var outcome = try run(mutant.suites)
        if outcome == .passed {
            outcome = try run(mutant.area.tests)
            // A test unrelated to the check may fail by chance, but not twice.
            if outcome != .passed {
                let again = try run(mutant.area.tests)
                if again == .passed || again.name != outcome.name { outcome = .passed }
            }
        }
        return Result(
            name: mutant.name, check: mutant.check, area: mutant.area.rawValue, isKilled: outcome != .passed,
            by: outcome == .passed ? "every test passes" : Self.text(outcome), seconds: seconds)
    }

    /// Runs the simulation with a mutant.
    ///
    /// - Returns: the violated invariant; nil if all seeds pass.
    private func simulate(number: Int, _ tests: String, _ job: Int) throws(Failure) -> String? {
        let process = process(tests, TestArea.simulation.tests, number: number, .simulation, job)
        let outcome = try process.run(within: .seconds(1800)).outcome
        switch outcome {
        case .passed: return nil
        case .failed: return process.firstLine(containing: "seed ") ?? Self.text(outcome)
        case .crashed, .hung: return Self.text(outcome)
        }
    }

    private func process(
        _ tests: String, _ filter: String, number: Int, _ area: TestArea, _ job: Int = 0
    ) -> TestProcess {
        var environment = ProcessInfo.processInfo.environment
        environment[MutantSwitchText.variable] = "\(number)"
        // The tests must detect mutants without the shared vectors and without Apache Kafka.
        environment["SLUICE_TEST_VECTORS"] = ""
        environment["KAFKA_HOME"] = nil
        environment["NO_COLOR"] = "1"
        // With random hashing, a seed would take another course in each run.
        if area == .simulation {
            environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
            if number == 0 { environment[MutantSwitchText.recordVariable] = recorded }
        }
        // A process that is killed does not remove its temporary files.
        let temporary = work + "/tmp-\(job)"
        try? FileManager.default.removeItem(atPath: temporary)
        try? FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
        environment["TMPDIR"] = temporary
        var command = [tests, "--testing-library", "swift-testing", "--filter", filter]
        // These tests wait for external events, and run in parallel they would starve each other.
        if area != .verifier && area != .revocation { command.append("--no-parallel") }
        return TestProcess(command: command, environment: environment, output: work + "/test-\(job).log")
    }

    private static func text(_ outcome: TestOutcome) -> String {
        switch outcome {
        case .passed: "passed"
        case .failed(let test): test ?? "a test process that failed without naming a test"
        case .crashed(let signal): "a crash, signal \(signal)"
        case .hung: "a test process that did not end in time"
        }
    }

    // MARK: telling

    private func write(_ results: [Result]) throws(Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            try encoder.encode(results).write(to: URL(filePath: work + "/report.json"))
        } catch {
            throw Failure("\(error.localizedDescription)")
        }
    }
}

/// Prints a line without buffering, also when the output is a file.
func say(_ words: String...) {
    FileHandle.standardOutput.write(Data((words.joined(separator: " ") + "\n").utf8))
}
