import Foundation

// swift run mutants [part of a name, a check, or a test area; several with commas] [number of concurrent mutants
// [options]]: disables each check in turn in a copy of the sources and reports which test fails. Options: `reuse` takes
// the copy of the last run; `simulation` also runs the simulation with each mutant of its areas, and prints a table;
// `simulation-only` runs nothing else.

let interrupts = TestProcess.endAllOnSignals()

let mutants = allMutants
let options = Set(CommandLine.arguments.dropFirst(3))
let isOnlySimulated = options.contains("simulation-only")
let isSimulated = options.contains("simulation") || isOnlySimulated
let wanted = (CommandLine.arguments.dropFirst().first ?? "").split(separator: ",").map(String.init)
let numbers = mutants.indices.filter { index in
    let mutant = mutants[index]
    if isSimulated, !SimulationTable.areas.contains(mutant.area) { return false }
    return wanted.isEmpty
        || wanted.contains { mutant.area.rawValue == $0 || mutant.check == $0 || mutant.name.contains($0) }
}.map { $0 + 1 }
let jobs = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1
let begun = ContinuousClock.now

do throws(Failure) {
    guard !numbers.isEmpty else {
        throw Failure("no mutant is called or in a test area called \(wanted.joined(separator: " or "))")
    }
    let results = try MutantRun(
        mutants: mutants, numbers: numbers, isWhole: wanted.isEmpty && !isSimulated,
        root: FileManager.default.currentDirectoryPath, jobs: min(max(1, jobs), numbers.count),
        isReused: options.contains("reuse"), isSimulated: isSimulated,
        isOnlySimulated: isOnlySimulated
    ).run()
    let survivors = isOnlySimulated ? SimulationTable.missed(results) : results.filter { !$0.isKilled }
    let seconds = begun.duration(to: .now).components.seconds
    for area in TestArea.allCases where !isOnlySimulated {
        let own = results.filter { $0.area == area.rawValue }
        if !own.isEmpty { say("\(area.rawValue): \(own.filter { $0.isKilled }.count) of \(own.count) killed") }
    }
    for line in SimulationTable.lines(results, hasSuites: !isOnlySimulated) { say(line) }
    say("\(results.count) mutants, \(survivors.count) survived, \(seconds) s")
    for survivor in survivors where !isOnlySimulated { say("SURVIVED \(survivor.name): a check that no test needs") }
    exit(survivors.isEmpty ? 0 : 1)
} catch {
    say("mutants: \(error.message)")
    exit(2)
}
