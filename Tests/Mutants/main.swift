import Foundation
import Synchronization

// swift run mutants [part of a name, or a room]: takes each check out of a copy of the sources in turn, and says which test noticed.

signal(SIGINT) { _ in
    let id = TestProcess.current.load(ordering: .relaxed)
    if id > 0 { kill(-id, SIGKILL) }
    _exit(130)
}

let mutants = VerifierMutants.all + RevocationMutants.all + HTTPMutants.all + IngressMutants.all
let wanted = CommandLine.arguments.dropFirst().first ?? ""
let numbers = mutants.indices
    .filter { mutants[$0].room.rawValue == wanted || wanted.isEmpty || mutants[$0].name.contains(wanted) }
    .map { $0 + 1 }
let begun = ContinuousClock.now

do throws(Failure) {
    let names = Dictionary(grouping: mutants, by: \.name).filter { $1.count > 1 }.keys
    guard names.isEmpty else { throw Failure("two mutants of one name: \(names.sorted().joined(separator: ", "))") }
    guard !numbers.isEmpty else { throw Failure("no mutant is called or in a room called \(wanted)") }
    let results = try MutantRun(
        mutants: mutants, numbers: numbers, isWhole: wanted.isEmpty, root: FileManager.default.currentDirectoryPath
    ).run()
    let survivors = results.filter { !$0.isKilled }
    let seconds = begun.duration(to: .now).components.seconds
    for room in Room.allCases {
        let own = results.filter { $0.room == room.rawValue }
        if !own.isEmpty { say("\(room.rawValue): \(own.filter(\.isKilled).count) of \(own.count) killed") }
    }
    say("\(results.count) mutants, \(survivors.count) survived, \(seconds) s")
    for survivor in survivors { say("SURVIVED \(survivor.name): a check that no test needs") }
    exit(survivors.isEmpty ? 0 : 1)
} catch {
    say("mutants: \(error.message)")
    exit(2)
}
